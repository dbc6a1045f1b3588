"""Each act has a line in the transaction that stored it, and no line can be changed unnoticed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from core.debate.commands import CastVote, RaiseChallenge, Stop, Wake
from core.debate.events import DebateConcluded, EndReason
from core.debate.log import Append, Call, CallState
from core.debate.usage import Usage
from storage.audit import Act, Actor, AuditLog, acting
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.forgetting import Forgetting
from storage.people.sessions import Links
from storage.places import Places
from storage.tables import AUDIT
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import AT, requested

ANN, SECRET = "slack:T1/U1", "kumquat"


async def read_acts(db: Database) -> list[tuple[str, str, str, str]]:
    lines = await AuditLog(db).load()
    return [(line.who, line.surface, line.what, line.about) for line in lines]


async def test_acts_are_told_by_whom_and_from_where(db: Database, hands: Hands) -> None:
    debates, places = Debates(db), Places(db, lambda _: True)
    with acting(ANN, "room", "room:slack:T1"):
        await debates.create(requested(), "k")
        await debates.create(requested("d2"), "k")  # the same start, again
        await places.bind("slack:T1/C1", "O/R", ANN)
        await places.bind("slack:T1/C1", "o/r", ANN)
        await places.unbind("slack:T1/C1", "o/r")
        await places.unbind("slack:T1/C1", "o/r")
        await Links(db).make("d1", ANN, AT + timedelta(days=1))
    async with CommandQueue(db) as queue:
        await queue.enqueue("d1", RaiseChallenge("slack:T1/U2", SECRET), "m1")
        await queue.enqueue("d1", RaiseChallenge("slack:T1/U2", SECRET), "m1")
        await queue.enqueue("d1", CastVote("discord:G1/U3", "approve"), "m2")
        await queue.enqueue("d1", Wake(AT), "m3")
        await queue.enqueue("d1", Stop(""), "m4")
        with pytest.raises(KeyError):
            await queue.enqueue("d9", Stop(ANN), "m5")
    log = await debates.claim("d1", "me")
    usage = Usage(100, 0, 20, 0.25)
    ended = DebateConcluded(EndReason.COMPLETED, "approve", True, AT)
    calls = (Call("t", 1, "m", CallState.DONE, usage=usage),)
    await log.append(Append("d1", 1, (ended,), calls, status="waiting"))
    assert await read_acts(db) == [
        (ANN, "room", "start", "d1"),
        (ANN, "room", "bind", "o/r"),
        (ANN, "room", "unbind", "o/r"),
        (ANN, "room", "make a link", "d1"),
        ("slack:T1/U2", "slack", "challenge", "d1"),
        ("discord:G1/U3", "discord", "vote", "d1"),
        ("", "process", "stop", "d1"),
        (ANN, "process", "spend", "d1"),
    ]
    lines = await AuditLog(db).load()
    assert lines[-1].detail == {"usd": 0.25}
    assert [line.number for line in lines] == list(range(1, 9))
    assert SECRET not in str(lines)
    assert await AuditLog(db).find_fault() == ""
    hands.pass_by(60)
    assert await AuditLog(db).load(hands.now()) == []


async def test_what_is_written_at_once_stands_in_one_chain(db: Database) -> None:
    log = AuditLog(db)
    acts = (log.append(Actor(f"slack:T1/U{n}", "slack"), Act("read", "d1")) for n in range(40))
    await asyncio.gather(*acts)
    assert len(await log.load()) == 40
    assert await log.find_fault() == ""


async def written(db: Database, hands: Hands) -> AuditLog:
    log = AuditLog(db)
    for n in range(4):
        await log.append(Actor(f"slack:T1/U{n}", "slack", "slack:T1/C1"), Act("read", f"d{n}"))
        hands.pass_by(1)
    return log


@ON_SQLITE
async def test_a_line_that_was_changed_or_taken_out_shows(db: Database, hands: Hands) -> None:
    log = await written(db, hands)
    changes: tuple[dict[str, Any], ...] = (
        {"who": "slack:T1/U9"}, {"who_hash": "0" * 64}, {"surface": "room"}, {"place": "x"},
        {"what": "export"}, {"about": "d9"}, {"detail": {"usd": 1.0}}, {"hash": "0" * 64},
        {"at": AT + timedelta(days=1)}, {"number": 9},
    )  # fmt: skip
    line = AUDIT.c.number == 2

    def kept(conn: sa.Connection) -> list[dict[str, Any]]:
        return [dict(row) for row in conn.execute(sa.select(AUDIT)).mappings()]

    rows = await db.read(kept)
    for change in changes:
        await db.write(run(sa.update(AUDIT).where(line).values(change)))
        assert "2" in await log.find_fault(), change
        await db.write(lambda conn: restored(conn, rows))
        assert await log.find_fault() == ""
    for number in (1, 2, 3):
        await db.write(run(sa.delete(AUDIT).where(AUDIT.c.number == number)))
        assert await log.find_fault() == f"line {number} is missing"
        await db.write(lambda conn: restored(conn, rows))


def run(statement: sa.Executable) -> Callable[[sa.Connection], object]:
    return lambda conn: conn.execute(statement)


def restored(conn: sa.Connection, rows: list[dict[str, Any]]) -> None:
    conn.execute(sa.delete(AUDIT))
    conn.execute(sa.insert(AUDIT), rows)


@ON_SQLITE
async def test_the_last_line_is_missed_by_whoever_noted_its_hash(
    db: Database, hands: Hands
) -> None:
    log = await written(db, hands)
    noted = await log.last_hash()
    gone = sa.delete(AUDIT).where(AUDIT.c.number == 4)
    await db.write(lambda conn: conn.execute(gone).rowcount)
    assert (await log.find_fault(), await log.last_hash() == noted) == ("", False)


async def test_a_name_that_is_forgotten_leaves_the_chain_whole(db: Database, hands: Hands) -> None:
    log = await written(db, hands)
    await Forgetting(db).forget_name(lambda name: name == "slack:T1/U2", "forgotten:ab")
    lines = await log.load()
    assert await log.load(lines[2].at) == lines[2:], "from a moment on"
    assert [line.who for line in lines[:4]] == [
        "slack:T1/U0", "slack:T1/U1", "forgotten:ab", "slack:T1/U3",
    ]  # fmt: skip
    assert (lines[-1].what, lines[-1].about) == ("forget a person", "forgotten:ab")
    assert await log.find_fault() == ""
