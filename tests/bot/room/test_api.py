"""Programs over HTTP, by a token that the shell made."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.ports.people import Member
from bot.room.making import TokenTerms, make_token, service_of
from bot.shell.tokens import tokens
from bot.wire.base import SystemClock
from core.errors import BadInput
from storage.database import utc_now
from storage.people.tokens import Tokens
from storage.tables import TOKEN
from tests.bot.crashing import settings_for
from tests.bot.room.serving import QUESTION, SHELL, Served, served
from tests.bot.room.test_signing_in import signing

_DEBATES = "/api/v1/debates"


SERVICE = service_of("ci", "")


async def made(
    room: Served, *scopes: str, purse: float = 1.0, person: str = SERVICE, ended: bool = False
) -> str:
    store, terms = Tokens(room.parts.stores.database), TokenTerms("ci", scopes, purse, 1)
    now = utc_now() - timedelta(days=2 if ended else 0)
    return (await make_token(store, person, terms, now))[1]


async def called(
    room: Served, secret: str, method: str, path: str, *, key: str = "", **more: Any
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {secret}"} | ({"Idempotency-Key": key} if key else {})
    url = room.bot.address + path
    async with room.web.request(method, url, headers=headers, **more) as answer:
        return answer.status, await answer.json(content_type=None)


async def test_a_program_starts_follows_reads_and_lists_a_debate(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        secret = await made(room, "read", "start")
        asked = {"template": "panel", "target": QUESTION, "budget": 0.4, "rounds": 1}
        status, begun = await called(room, secret, "POST", _DEBATES, key="a", json=asked)
        assert status == 201, begun
        status, again = await called(room, secret, "POST", _DEBATES, key="a", json=asked)
        assert (status, again["id"]) == (200, begun["id"])
        one, after, kinds = f"{_DEBATES}/{begun['id']}", 0, []
        while True:
            _, news = await called(room, secret, "GET", f"{one}/wait?after={after}")
            kinds += [each["kind"] for each in news["events"]]
            assert [each["number"] for each in news["events"]] == [
                *range(after + 1, news["after"] + 1)
            ]
            after = news["after"]
            if "DebateEnded" in kinds or news["final"]:
                break
        assert kinds[0] == "DebateRequested"
        status, document = await called(room, secret, "GET", one)
        assert (status, document["id"], document["status"]) == (200, begun["id"], "finished")
        _, listed = await called(room, secret, "GET", _DEBATES)
        assert [each["id"] for each in listed["debates"]] == [begun["id"]]
        assert listed["next"] is None


async def test_a_token_does_no_more_than_it_says(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        reads, starts = await made(room, "read"), await made(room, "start", purse=0.5)
        ended = await made(room, "read", "start", ended=True)
        asked = {"template": "panel", "target": QUESTION, "budget": 0.3}
        for secret, status in ((reads, 403), (ended, 401), ("x" * 50, 401)):
            assert (await called(room, secret, "POST", _DEBATES, json=asked))[0] == status
        assert (await called(room, starts, "GET", _DEBATES))[0] == 403
        assert (await called(room, reads, "GET", f"{_DEBATES}/nothere"))[0] == 404
        for wrong in ({"budget": 0}, {"odd": 1}, {"template": "none"}, {"target": ["x"]}):
            status, said = await called(room, starts, "POST", _DEBATES, json=asked | wrong)
            assert status == 400, (wrong, said)
        assert await room.parts.service.list() == []
        both = [called(room, starts, "POST", _DEBATES, key=k, json=asked) for k in ("a", "b")]
        assert sorted([status for status, _ in await asyncio.gather(*both)]) == [201, 403]
        assert len(await room.parts.service.list()) == 1
        status, said = await called(room, starts, "POST", _DEBATES, json=asked)
        assert (status, "purse holds $0.20" in said["detail"]) == (403, True)


async def test_the_shell_makes_lists_and_takes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(tmp_path, enters=False) as room:
        settings, clock = room.parts.settings, room.parts.clock
        await tokens(["add", "ci", "--purse", "2.5"], settings, clock, SHELL)
        secret = capsys.readouterr().out.strip()
        assert (await called(room, secret, "GET", _DEBATES))[0] == 200
        database = room.parts.stores.database
        rows = await database.read(lambda conn: conn.execute(sa.select(TOKEN)).all())
        assert secret not in str(rows)
        await tokens(["list"], settings, clock, SHELL)
        shown = capsys.readouterr().out
        id = shown.split()[0]
        assert "read $0.00 of $2.50" in shown
        assert shown.rstrip().endswith("ci program:ci")
        with pytest.raises(BadInput, match="no token"):
            await tokens(["remove", "00000000"], settings, clock, SHELL)
        await tokens(["remove", id], settings, clock, SHELL)
        assert (await called(room, secret, "GET", _DEBATES))[0] == 401
        for wrong in (["add", "x", "--scopes", "start"], ["add", "x", "--days", "0"], ["make"]):
            with pytest.raises(BadInput):
                await tokens(wrong, settings, clock, SHELL)


@pytest.mark.parametrize("wrong", [["add", "a/b"], ["add", "x", "--in", "room:T1"]])
async def test_a_service_is_named_plainly_and_of_a_chat(tmp_path: Path, wrong: list[str]) -> None:
    settings = settings_for(f"sqlite:///{tmp_path}/debate.db", tmp_path)
    with pytest.raises(BadInput):
        await tokens(wrong, settings, SystemClock(), SHELL)


async def test_a_token_of_the_machine_has_nothing_of_its_shell(tmp_path: Path) -> None:
    """A service sees its own debates, whatever the person sees who made its token."""
    async with served(tmp_path, enters=False) as room:
        held = await room.debate()
        secret = await made(room, "read", "start")
        assert (await called(room, secret, "GET", f"{_DEBATES}/{held.id}"))[0] == 404
        assert (await called(room, secret, "GET", _DEBATES))[1]["debates"] == []
        asked = {"template": "panel", "target": "/etc/hostname", "budget": 0.3, "models": "gpt-5"}
        status, said = await called(room, secret, "POST", _DEBATES, json=asked)
        assert (status, "may not be named here" in said["detail"]) == (400, True)


async def test_a_token_of_a_person_is_as_good_as_their_membership(tmp_path: Path) -> None:
    """In the room of their workspace, with their own rights there, until they leave it."""
    async with signing(tmp_path) as on:
        ann, service = "slack:T1/U1", service_of("ci", "slack:T1")
        room, question = on.room, {"template": "panel", "target": QUESTION, "budget": 0.3}
        theirs = await made(room, "read", "start", person=ann)
        other = await made(room, "read", "start", person=service)
        _, begun = await called(room, theirs, "POST", _DEBATES, json=question)
        line = await room.parts.stores.debates.find(begun["id"])
        assert (line.asker, line.place) == (ann, "room:slack:T1/main")
        on.slack.chat.outside.add(("slack:T1/G1", service))
        opened = await room.debate(place="slack:T1/C1", asker="slack:T1/U2", wait=False)
        closed = await room.debate(place="slack:T1/G1", asker="slack:T1/U2", wait=False)
        abroad = await room.debate(place="slack:T2/C1", asker="slack:T2/U2", wait=False)
        for id, status in (
            (begun["id"], 200),
            (opened.id, 200),
            (closed.id, 404),
            (abroad.id, 404),
        ):
            assert (await called(room, other, "GET", f"{_DEBATES}/{id}"))[0] == status, id
        on.slack.people["slack:T1", "U1"] = Member("Ann", admin=True)
        fresh = await made(room, "read", person="slack:T1/U9")
        assert (await called(room, fresh, "GET", _DEBATES))[0] == 401, "nobody of that workspace"
        on.slack.away = True
        assert (await called(room, theirs, "GET", _DEBATES))[0] == 200, "believed for a while"
        unknown = await made(room, "read", person="slack:T1/U8")
        assert (await called(room, unknown, "GET", _DEBATES))[0] == 503
