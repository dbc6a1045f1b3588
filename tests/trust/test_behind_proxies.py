"""The room behind real nginx and Caddy, with the configurations in ``manifests``, and
behind a proxy that does nothing but pass on.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yarl
from aiohttp.abc import AbstractResolver, ResolveResult

from adapters.models import Vendors
from core.application.presence import Member
from tests.bot.room.serving import Served, heard, served
from tests.patience import PATIENCE
from tests.standins.chat import RecordingChat
from tests.standins.members import MembersStandIn
from tests.standins.programs import find
from tests.standins.proxies import NAME, PROXIES, Ports, Proxied, in_front
from tests.standins.sign_in import CLIENT, SECRET, SignInStandIn

TOKEN = "s3cret-s3cret"
LARGEST = 5_000_000
"""Bytes that the configurations let through."""

pytestmark = [
    pytest.mark.parametrize(
        "program",
        [
            pytest.param(
                one,
                marks=pytest.mark.skipif(
                    not find(one), reason=f"no {one}: `make test` says how to get it"
                ),
            )
            for one in PROXIES
        ],
    )
]


class Here(AbstractResolver):
    """Every name is this machine's."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host="127.0.0.1", port=port, family=socket.AF_INET, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        """Does nothing: there is no connection to close."""


@dataclass
class Behind:
    room: Served
    proxy: Proxied
    who: SignInStandIn
    web: aiohttp.ClientSession

    async def get(self, path: str, **headers: str) -> tuple[int, str, Any]:
        url = self.proxy.address + path
        async with self.web.get(url, headers=headers, allow_redirects=False) as answer:
            return answer.status, await answer.text(), answer.headers


def browser(proxy: Proxied) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(resolver=Here(), ssl=proxy.trust)
    return aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.CookieJar(unsafe=True), trust_env=False
    )


@asynccontextmanager
async def behind(program: str, folder: Path, **env: str) -> AsyncIterator[Behind]:
    """Returns a room with a Slack behind the program."""
    slack = MembersStandIn(RecordingChat(folder / "slack.jsonl"))
    slack.people["slack:T1", "U1"] = Member("Ann", admin=False)
    ports = Ports.free()
    async with SignInStandIn() as who:
        variables = {
            "DEBATE_PUBLIC_URL": f"https://{NAME}:{ports.tls}",
            "DEBATE_WATCH_TOKEN": TOKEN,
            "SLACK_CLIENT_ID": CLIENT,
            "SLACK_CLIENT_SECRET": SECRET,
            "SLACK_API_URL": who.slack_url,
        } | env
        async with (
            served(
                folder,
                platforms={"slack": slack},
                clock=None,
                make_models=Vendors,
                enters=False,
                **variables,
            ) as room,
            in_front(program, folder, ports, yarl.URL(room.bot.address).authority) as proxy,
            browser(proxy) as web,
        ):
            yield Behind(room, proxy, who, web)


async def test_strangers_stay_out_and_people_come_in_and_hear_what_is_said(
    program: str, tmp_path: Path
) -> None:
    env = {"GITHUB_WEBHOOK_SECRET": TOKEN, "DEBATE_SCRIPTED_HOLD": str(tmp_path / "hold")}
    async with behind(program, tmp_path, **env) as on:
        await check_that_a_visitor_without_a_session_is_nobody(on)
        await check_that_all_is_over_tls(on)
        await check_that_figures_are_not_reached(on)
        await check_that_nothing_too_large_is_passed_on(on)
        await check_that_the_shells_link_lets_one_in(on)
        await check_that_people_sign_in_with_a_chat(on)
        async with asyncio.timeout(PATIENCE):
            await check_that_what_is_said_arrives_while_it_is_said(on, tmp_path)


async def check_that_a_visitor_without_a_session_is_nobody(on: Behind) -> None:
    id = (await on.room.debate(rounds=1)).id
    for headers in (
        {},
        {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1;host=127.0.0.1", "Via": "1.1 127.0.0.1"},
        {"X-Forwarded-User": "ann", "X-Remote-User": "ann", "Authorization": "Basic YW5uOg=="},
    ):
        for path in ("/", f"/d/{id}", f"/d/{id}/live", f"/d/{id}/debate-{id}.json", "/new"):
            status, page, answer = await on.get(path, **headers)
            assert (status, page) == (303, "")
            assert answer["Location"].startswith("/sign-in")


async def check_that_all_is_over_tls(on: Behind) -> None:
    address = f"http://127.0.0.1:{on.proxy.plain}/d/x?y=z"
    async with (
        aiohttp.ClientSession() as plain,
        plain.get(address, headers={"Host": NAME}, allow_redirects=False) as moved,
    ):
        assert moved.status in (301, 308)
        assert moved.headers["Location"].startswith(f"https://{NAME}")
        assert moved.headers["Location"].endswith("/d/x?y=z")
    on.proxy.trust.set_alpn_protocols(["h2", "http/1.1"])
    _, writer = await asyncio.open_connection(
        "127.0.0.1", on.proxy.port, ssl=on.proxy.trust, server_hostname=NAME
    )
    assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2"
    writer.close()
    on.proxy.trust.set_alpn_protocols(["http/1.1"])


async def check_that_figures_are_not_reached(on: Behind) -> None:
    token = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/metrics", "/readyz", "/healthz", "//metrics", "/%6detrics", "/d/../metrics"):
        for headers in ({}, token):
            url = yarl.URL(on.proxy.address + path, encoded=True)
            async with on.web.get(url, headers=headers, allow_redirects=False) as answer:
                assert "debatebot_" not in await answer.text()
                assert answer.status != 200
    assert (await on.room.get("/metrics", **token))[0] == 200


async def check_that_nothing_too_large_is_passed_on(on: Behind) -> None:
    events = f"{on.proxy.address}/github/events"

    async def sent(size: int, *, with_length: bool = True) -> int:
        async def body() -> AsyncIterator[bytes]:
            yield b"{" + b" " * (size - 2) + b"}"

        sizes = {"Content-Length": str(size)} if with_length else {}
        sizes |= {"Content-Type": "application/json", "X-GitHub-Event": "push"}
        async with on.web.post(events, data=body(), headers=sizes) as refused:
            return refused.status

    assert await sent(1000) == 401, "the bot's own answer"
    assert await sent(LARGEST - 1000) == 401
    assert await sent(6_000_000) == 413
    assert await sent(6_000_000, with_length=False) in (413, 502), "cut off where it is too much"


async def check_that_the_shells_link_lets_one_in(on: Behind) -> None:
    link = await on.room.link()
    assert link.startswith(on.proxy.address)
    async with on.web.get(link) as answer:
        assert (answer.status, answer.url.path) == (200, "/")
        assert ">ann</a>" in await answer.text()
    async with on.web.get(link) as again:
        assert again.url.path == "/", "this browser is in already"
    async with browser(on.proxy) as other, other.get(link) as answer:
        assert answer.status == 403


async def check_that_people_sign_in_with_a_chat(on: Behind) -> None:
    debate = await on.room.debate(place="slack:T1/C1", asker="slack:T1/U2", rounds=1)
    path = f"/d/{debate.id}"
    async with browser(on.proxy) as theirs, aiohttp.ClientSession() as outside:
        start = f"{on.proxy.address}/sign-in/slack?to={path}"
        async with theirs.get(start, allow_redirects=False) as answer:
            assert answer.status == 303
            provider = answer.headers["Location"]
        async with outside.get(provider) as page:
            allow = (await page.text()).partition('href="/allow')[2].partition('"')[0]
        url = f"{on.who.base}/allow{allow.replace('&amp;', '&')}"
        async with outside.get(url, allow_redirects=False) as answer:
            back = answer.headers["Location"]
        assert back.startswith(f"{on.proxy.address}/sign-in/slack/done")
        async with theirs.get(back) as answer:
            assert (answer.status, answer.url.path) == (200, path)
            assert ">Ann</a>" in await answer.text()
        form = {"action": "pause", "value": debate.id, "token": "0" * 32}
        origin = {"Origin": on.proxy.address}
        async with theirs.post(f"{on.proxy.address}/press", data=form, headers=origin) as answer:
            assert answer.status == 403


async def check_that_what_is_said_arrives_while_it_is_said(on: Behind, folder: Path) -> None:
    """The debate is held until its first words have arrived: a proxy that gathers would wait for
    ever.
    """
    hold = folder / "hold"
    hold.touch()
    async with on.web.get(on.proxy.address) as answer:
        page = await answer.text()
    token = re.search(r'name="csrf" content="([0-9a-f]+)"', page)
    assert token
    form = {"token": token[1], "template": "triad", "target": "Tabs or spaces?", "rounds": "1"}
    new = f"{on.proxy.address}/new"
    async with on.web.post(new, data=form, allow_redirects=False) as answer:
        id = answer.headers["Location"].removeprefix("/d/")
    async with on.web.get(f"{on.proxy.address}/d/{id}/live?after=1") as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        events = heard(answer)
        async for one in events:
            if one.kind == "words":
                break
        assert not (await on.room.load(id)).final
        hold.unlink()
        async for one in events:
            if one.kind == "done":
                break
    assert (await on.room.load(id)).final
