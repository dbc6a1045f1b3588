"""The tools over HTTP: a real bot, the SDK's own client, and a token that says what one may do."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import httpx2
import pytest

from bot.debates.changes import Changes
from bot.mcp.remote import RemoteAccess, TokenHost
from bot.room.tokens import make_token, service_of
from bot.settings import read
from bot.wire.parts import Parts, open_parts
from core.application.commands import Start
from core.application.presence import Member
from core.application.tokens import Bearer, TokenTerms
from storage.database.clock import utc_now
from storage.people.tokens import Tokens
from tests.bot.mcp.talking import called, refused
from tests.bot.parts import until_status
from tests.bot.room.serving import QUESTION, Served, served
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from mcp import Client

WHO = service_of("assistant", "")
ALL = ("read", "start", "act")


async def token(parts: Parts, *scopes: str, budget: float = 1.0) -> str:
    terms = TokenTerms("assistant", scopes, budget, days=1)
    store = Tokens(parts.stores.database)
    return (await make_token(store, WHO, terms, utc_now()))[1]


@asynccontextmanager
async def connected(
    room: Served,
    *scopes: str,
    mode: Any = "auto",
    budget: float = 1.0,
    person: Any = None,
    secret: str = "",
    extensions: Sequence[Any] = (),
) -> AsyncIterator[Client]:
    """Returns a client that brings a token: with these scopes, or the ``secret``."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    secret = secret or await token(room.parts, *scopes, budget=budget)
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as web,
        Client(
            streamable_http_client(f"{room.bot.address}/mcp", http_client=web),
            mode=mode,
            elicitation_callback=person,
            extensions=extensions,
        ) as client,
    ):
        yield client


async def test_a_debate_is_held_within_the_budget(tmp_path: Path) -> None:
    wanted = {"target": QUESTION, "template": "panel", "budget_usd": 0.6}
    async with (
        served(tmp_path, enters=False, DEBATE_PUBLIC_URL="https://debates.example") as room,
        connected(room, *ALL, mode="2026-07-28") as client,
    ):
        begun = await called(client, "start_debate", **wanted)
        one = {"debate": begun["debate"]}
        assert begun["url"] == f"https://debates.example/d/{begun['debate']}"
        again = await called(client, "start_debate", **wanted)
        assert (again["debate"], again["started_before"]) == (begun["debate"], True)
        news = await called(client, "wait_debate", **one)
        assert (news["over"], news["happened"][0]["line"]) == (True, "The debate begins.")
        later = await called(client, "wait_debate", **one, after_event=news["next_event"])
        assert later["happened"] == []
        verdict = await called(client, "get_verdict", **one)
        assert (verdict["over"], verdict["cost"]["usd"]) == (True, 0.0)
        other = wanted | {"target": "Should the cache go away for good?"}
        assert "budget has $0.40" in await refused(client, "start_debate", **other)
        assert len(await room.parts.stores.debates.find_recent()) == 1
        await until_status(room.parts, begun["debate"], "finished")
        listed = (await called(client, "list_debates"))["debates"]
        assert [each["debate"] for each in listed] == [begun["debate"]]
        assert all(listed[0][name] == verdict[name] for name in ("decision", "reached"))
        unread = "No files are read here: name a part of a title or of a link."
        assert await refused(client, "list_debates", target=".") == unread
        async with connected(room, *ALL, mode="legacy") as older:
            begun = await called(older, "start_debate", **other)
            assert not begun["started_before"]
            third = other | {"target": "Should the log go away for good?"}
            assert "budget has $0.40" in await refused(older, "start_debate", **third)
            news = await called(older, "wait_debate", debate=begun["debate"])
            assert (news["over"], news["debate"]) == (True, begun["debate"])


async def test_a_call_that_ends_while_it_starts_a_debate_gives_no_money_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, gate = asyncio.Event(), asyncio.Event()

    async def note(*_: object) -> None:
        stored.set()
        await gate.wait()

    monkeypatch.setattr(Changes, "note", note)
    async with served(tmp_path, enters=False) as room:
        secret, store = await token(room.parts, *ALL), Tokens(room.parts.stores.database)
        mine, unused = await store.find(secret), cast("Any", None)
        assert mine is not None
        caller = Bearer(mine, Member("assistant", admin=False)).caller("mcp")
        access = RemoteAccess(cast("Any", store), unused, unused, room.parts.desk)
        host = TokenHost(room.parts.desk, caller, access=access, token=mine.id)
        wanted = Start("panel", QUESTION, budget=0.6)
        starting = asyncio.create_task(host.start(wanted))
        await stored.wait()
        starting.cancel()
        await asyncio.wait([starting])
        gate.set()
        assert (await host.start(wanted)).before
        mine = await store.find(secret)
        assert mine is not None
        assert mine.held == 0.6


async def test_a_debate_is_not_final_while_votes_count(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room, connected(room, *ALL) as client:
        for window, final in ((3_600.0, False), (0.0, True)):
            debate = await room.debate(
                wait=False, asker=WHO, place=WHO, rounds=1, vote_window=window
            )
            one = {"debate": debate.id}
            async with asyncio.timeout(PATIENCE):
                while not (news := await called(client, "wait_debate", **one))["over"]:
                    pass
                while final and not (await called(client, "wait_debate", **one))["final"]:
                    pass
            verdict = await called(client, "get_verdict", **one)
            assert (verdict["over"], verdict["final"]) == (True, final)
            assert final or not news["final"]
            path = f"{room.bot.address}/api/v1/debates/{one['debate']}/wait?seconds=0"
            headers = {"Authorization": f"Bearer {await token(room.parts, 'read')}"}
            async with room.web.get(path, headers=headers) as answer:
                assert (await answer.json())["final"] == final


async def test_a_token_does_what_it_says_here_and_nowhere_else(tmp_path: Path) -> None:
    async with (
        served(tmp_path, enters=False) as room,
        open_parts(read({"DEBATE_DATABASE_URL": str(tmp_path / "other.db")}, tmp_path)) as other,
    ):
        held = await room.settled(asker=WHO, place=WHO)
        async with connected(room, "read") as client:
            reason = await refused(client, "start_debate", target=QUESTION, budget_usd=0.1)
            assert "may not start" in reason
            for tool in ({"text": "It is wrong, see line 4."}, {}):
                name = "challenge" if tool else "stop_debate"
                assert "may not act" in await refused(client, name, debate=held.id, **tool)
            verdict = await client.read_resource(f"debate://{held.id}/verdict")
            assert json.loads(getattr(verdict.contents[0], "text", ""))["debate"] == held.id
        url = f"{room.bot.address}/mcp"
        good, elsewhere = await token(room.parts, "read"), await token(other, "read")
        for secret, origin, status in (
            (good, "", 400),
            (elsewhere, "", 401),
            ("", "", 401),
            (good, "https://evil.example", 403),
        ):
            headers = {"Authorization": f"Bearer {secret}"} | ({"Origin": origin} if origin else {})
            async with room.web.post(url, json={}, headers=headers) as answer:
                assert answer.status == status, await answer.text()
        async with room.web.get(url, headers={"Authorization": f"Bearer {good}"}) as answer:
            assert answer.status == 405


async def test_files_of_the_server_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.diff").write_text("--- a\n+++ b\n")
    async with served(tmp_path, enters=False) as room, connected(room, *ALL) as client:
        for target in (str(tmp_path / "secret.diff"), ".", "git:HEAD", "-"):
            wanted = {"target": target, "template": "code_review", "budget_usd": 0.1}
            assert await refused(client, "start_debate", **wanted)
        assert await room.parts.stores.debates.find_recent() == []


GARBAGE = (
    b"",
    b"[",
    b"[" * 100_000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
    json.dumps(
        {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "get_verdict", "arguments": {"debate": "\ud800\0" * 20}},
        }
    ).encode(),
)  # fmt: skip


async def test_what_is_no_request_is_refused_and_never_a_fault(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        for version in ("2026-07-28", "2025-11-25", "none"):
            headers = {
                "Authorization": f"Bearer {await token(room.parts, *ALL)}",
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "Mcp-Protocol-Version": version,
            }
            url = f"{room.bot.address}/mcp"
            for body in GARBAGE:
                async with room.web.post(url, data=body, headers=headers) as answer:
                    text = await answer.text()
                    assert answer.status < 500, (body[:40], text)
                    assert "Traceback" not in text
            large = b'{"a": "' + b"x" * 1_200_000 + b'"}'
            async with room.web.post(url, data=io.BytesIO(large), headers=headers) as answer:
                assert answer.status == 413
