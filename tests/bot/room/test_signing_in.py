"""People sign in with both providers, and a session is worth as much as the membership behind
it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp

from bot.room.people import CHECKED, TRUSTED
from bot.wire.base import SystemClock
from core.application.presence import Member
from core.debate.ports import Clock
from tests.bot.room.serving import NOTHING, Served, served
from tests.standins.chat import RecordingChat
from tests.standins.members import MembersStandIn
from tests.standins.sign_in import CLIENT, SECRET, Person, SignInStandIn

PUBLIC = "http://debates.example"


@dataclass
class Signing:
    room: Served
    who: SignInStandIn
    slack: MembersStandIn
    discord: MembersStandIn

    async def sign_in(self, provider: str = "slack", to: str = "/") -> tuple[int, str]:
        """Goes through the provider's page and back; returns the last answer's status and
        target.
        """
        status, _, headers = await self.room.get(await self.allowed(provider, to))
        return status, headers.get("Location", "")

    async def come_back(self, provider: str) -> tuple[int, str]:
        """Goes the same way; returns the last answer's status and page."""
        status, page, _ = await self.room.get(await self.allowed(provider))
        return status, page

    async def allowed(self, provider: str, to: str = "/") -> str:
        """Goes through the provider's page; returns where it sends the browser."""
        status, _, headers = await self.room.get(f"/sign-in/{provider}?to={to}")
        assert status == 303
        async with self.room.web.get(headers["Location"]) as page:
            allow = re.search(r'href="(/allow[^"]*)"', await page.text())
        assert allow
        url = self.who.base + allow[1].replace("&amp;", "&")
        async with self.room.web.get(url, allow_redirects=False) as answer:
            return answer.headers["Location"].removeprefix(PUBLIC)


@dataclass
class Ahead(SystemClock):
    """A clock that runs ``ahead`` of the machine's."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


@asynccontextmanager
async def signing(
    folder: Path, env: Mapping[str, str] = NOTHING, *, clock: Clock | None = None
) -> AsyncIterator[Signing]:
    slack = MembersStandIn(RecordingChat(folder / "slack.jsonl"))
    discord = MembersStandIn(RecordingChat(folder / "discord.jsonl"))
    slack.people["slack:T1", "U1"] = Member("Ann", admin=False)
    discord.people["discord:900", "701"] = Member("ann", admin=True)
    async with SignInStandIn() as who:
        variables: dict[str, Any] = {
            "DEBATE_PUBLIC_URL": PUBLIC,
            "SLACK_CLIENT_ID": CLIENT,
            "SLACK_CLIENT_SECRET": SECRET,
            "SLACK_API_URL": who.slack_url,
            "DISCORD_CLIENT_ID": CLIENT,
            "DISCORD_CLIENT_SECRET": SECRET,
            "DISCORD_API_URL": who.discord_url,
            **env,
        }
        chats = {"slack": slack, "discord": discord}
        async with served(folder, platforms=chats, clock=clock, enters=False, **variables) as room:
            yield Signing(room, who, slack, discord)


async def test_with_a_public_address_everybody_signs_in(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        debate = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U2")
        path = f"/d/{debate.id}"
        status, _, headers = await on.room.get(path)
        assert (status, headers["Location"]) == (303, f"/sign-in?to=%2Fd%2F{debate.id}")
        _, page, _ = await on.room.get(headers["Location"])
        assert "Sign in with Slack" in page
        assert "Sign in with Discord" in page
        assert debate.id not in page.replace(f"/d/{debate.id}", "").replace(
            f"%2Fd%2F{debate.id}", ""
        )
        assert (await on.room.post("/press", {}, action="pause", value=debate.id))[0] == 401
        assert await on.sign_in(to=path) == (303, path)
        status, page, _ = await on.room.get(path)
        assert status == 200
        assert ">Ann</a>" in page


async def test_only_the_way_back_sees_the_attempt_and_no_script_does(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        _, _, headers = await on.room.get("/sign-in/slack?to=/")
        cookie = next(one for one in headers.getall("Set-Cookie") if one.startswith("sign-in="))  # type: ignore[attr-defined]
        assert {part.strip() for part in cookie.split(";")[1:]} >= {
            "HttpOnly", "Max-Age=600", "Path=/sign-in", "SameSite=Lax"
        }  # fmt: skip
        assert "Secure" not in cookie, "this address is not reached over TLS"


async def test_neither_a_stranger_nor_an_answer_for_another_attempt_signs_in(
    tmp_path: Path,
) -> None:
    async with signing(tmp_path) as on:
        usual = on.who.here
        on.who.here = Person(slack="U9", team="T9")
        status, _ = await on.sign_in()
        assert status == 403
        assert (await on.room.get("/"))[0] == 303
        on.who.here = Person(discord="701", guilds=("555",))
        assert (await on.sign_in("discord"))[0] == 403

        on.who.here = usual
        on.who.nonce_of_another = True
        assert (await on.sign_in())[0] == 403
        on.who.nonce_of_another = False
        assert (await on.room.get("/sign-in/slack/done?code=x&state=y"))[0] == 403
        await on.room.get("/sign-in/discord")
        state = on.who.grants
        assert (await on.room.get(f"/sign-in/slack/done?code=x&state={state}"))[0] == 403
        assert (await on.room.get("/sign-in/discord/done?code=x&state=wrong"))[0] == 403
        assert (await on.room.get("/sign-in/nobody"))[0] == 404


async def test_an_answer_of_a_wrong_shape_ends_in_one_sentence(tmp_path: Path) -> None:
    claims: list[dict[str, object]] = [
        {"exp": "x"}, {"exp": None}, {"exp": 10**400}, {"iss": 7}, {"aud": [None]},
        {"https://slack.com/team_id": ["T1"]}, {"https://slack.com/user_id": "U1/\0"},
    ]  # fmt: skip
    huge = b'{"ok":true,"access_token":"a","id":"701","x":"%s"}' % (b"x" * (2 << 20))
    twice, many = b'{"access_token":"a\\r\\nb: c"}', b'[{"id":"%s"}]' % (b"9" * 5000)
    bodies = {
        "openid.connect.token": (
            b"[]", b"", b'{"ok":true}', b'{"ok":true,"id_token":"a.\xff"}', huge
        ),
        "token": (b"[" * 9000, b'{"access_token":null}', twice, huge),
        "@me": (b"<html>", b'{"id":701}', b'{"id":"\xd9\xa7"}', huge),
        "guilds": (b"null", b'{"a":1}', b"[null]", b'[7, "900"]', b'[{"id":null}]', many),
    }  # fmt: skip
    async with signing(tmp_path) as on:
        for one in claims:
            on.who.claims = one
            await _not_signed_in(on, "slack")
        on.who.claims = {"nonce": "ž"}
        assert (await on.sign_in())[0] == 403
        for end, wrong in bodies.items():
            for body in wrong:
                on.who.bodies = {end: body}
                await _not_signed_in(on, "slack" if end.startswith("openid") else "discord")


async def test_a_name_that_is_none_keeps_nobody_out_and_nobody_is_sent_elsewhere(
    tmp_path: Path,
) -> None:
    async with signing(tmp_path) as on:
        for to in (
            "https://evil.example", "//evil.example", "/%5Cevil.example", "/%09/evil.example",
            "/%0D/evil.example", "%01//evil.example",
        ):  # fmt: skip
            assert await on.sign_in(to=to) == (303, "/"), to
        on.who.claims = {"name": None, "aud": ["other", CLIENT]}
        assert await on.sign_in() == (303, "/")
        on.who.bodies = {"@me": b'{"id":"701","global_name":null,"username":{"a":1}}'}
        assert await on.sign_in("discord") == (303, "/")


async def _not_signed_in(on: Signing, provider: str) -> None:
    """Signs in, and expects the page that says that it failed and what to do."""
    on.room.web.cookie_jar.clear()
    status, page = await on.come_back(provider)
    assert (status, "Try it again" in page, "Traceback" in page) == (503, True, False)
    assert (await on.room.get("/"))[0] == 303


async def test_debates_of_another_workspace_are_not_there(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        ours = await on.room.settled(place="slack:T1/C1", asker="slack:T1/U2")
        theirs = await on.room.settled(place="slack:T2/C1", asker="slack:T2/U1")
        await on.sign_in()
        _, page, _ = await on.room.get("/")
        assert ours.id in page
        assert theirs.id not in page
        assert (await on.room.get(f"/d/{ours.id}"))[0] == 200
        for path in ("", "/live", f"/debate-{theirs.id}.json"):
            status, page, _ = await on.room.get(f"/d/{theirs.id}{path}")
            assert status == 404
            assert "PostgreSQL" not in page
        vote = {"token": await on.room.token(), "action": "vote", "value": f"{theirs.id}::yes"}
        assert (await on.room.post("/press", {}, **vote))[0] in (303, 404)
        assert not (await on.room.load(theirs.id)).votes


async def test_what_one_may_do_is_what_one_may_do_in_the_chat(tmp_path: Path) -> None:
    async with signing(tmp_path, {"DEBATE_SCRIPTED_LATENCY": "600"}) as on:
        debate = await on.room.debate(wait=False, place="slack:T1/C1", asker="slack:T1/U2")
        await on.sign_in()
        token = await on.room.token()
        json = {"Accept": "application/json"}
        press = {"token": token, "action": "stop", "value": debate.id}
        status, reply, _ = await on.room.post("/press", json, **press)
        assert status == 409
        assert "Only the person who started it" in reply
        assert (await on.room.load(debate.id)).stop is None


async def test_sessions_are_listed_and_ended(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        await on.sign_in()
        async with served_as_another(on) as other:
            await other.sign_in()
            _, page, _ = await other.room.get("/you")
            assert page.count('<th scope="row">') == 2
            assert "Sign out everywhere" in page
            token = await other.room.token()
            status, _, headers = await other.room.post("/sign-out", {}, token=token, session="all")
            assert (status, headers["Location"]) == (303, "/sign-in")
        assert (await on.room.get("/"))[0] == 303


async def test_who_has_left_the_workspace_is_signed_out(tmp_path: Path) -> None:
    clock = Ahead()
    async with signing(tmp_path, clock=clock) as on:
        await on.sign_in()
        clock.ahead += CHECKED * 2
        assert (await on.room.get("/"))[0] == 200
        on.slack.away = True
        clock.ahead += CHECKED * 2
        assert (await on.room.get("/"))[0] == 200
        clock.ahead += TRUSTED
        assert (await on.room.get("/"))[0] == 303
        on.slack.away = False
        await on.sign_in()
        on.slack.people.clear()
        clock.ahead += CHECKED + timedelta(seconds=1)
        assert (await on.room.get("/"))[0] == 303


async def test_an_account_of_several_servers_looks_at_one_of_them(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        on.who.here = replace(on.who.here, guilds=("900", "901", "777"))
        on.discord.people["discord:901", "701"] = Member("ann", admin=False)
        first = await on.room.settled(place="discord:900/1", asker="discord:900/5")
        second = await on.room.settled(place="discord:901/1", asker="discord:901/5")
        await on.sign_in("discord")
        assert (await on.room.get(f"/d/{first.id}"))[0] == 200
        assert (await on.room.get(f"/d/{second.id}"))[0] == 404
        token = await on.room.token()
        form = {"token": token, "workspace": "discord:901"}
        assert (await on.room.post("/you/workspace", {}, **form))[0] == 303
        assert (await on.room.get(f"/d/{second.id}"))[0] == 200
        form["workspace"] = "discord:777"
        assert (await on.room.post("/you/workspace", {}, **form))[0] == 403


@asynccontextmanager
async def served_as_another(on: Signing) -> AsyncIterator[Signing]:
    """Opens the same room in another browser."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
        yield replace(on, room=Served(on.room.parts, on.room.bot, web))
