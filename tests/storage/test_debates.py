"""Finding debates, and knowing which of them need a writer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from core.debate.commands import Pause
from core.debate.errors import BadInput, Fenced
from core.debate.events import DebateRequested, Fork
from core.debate.log import Append, Call, CallState
from core.debate.script import SeatId
from core.debate.usage import Usage
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import STALE, Debates
from storage.debates.calls import Limit, Spending
from storage.events.log import DebateLog
from storage.schema import open_database
from storage.tables import DEBATE, MESSAGE
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import AT, opened, requested, started


async def test_lists_are_newest_first_and_by_place_and_status(db: Database, hands: Hands) -> None:
    debates = Debates(db)
    here, there = "slack:T1/C1", "discord:G/1"
    for id, place in (("aa1", here), ("ab2", there), ("b_3", here), ("bx3", here)):
        await debates.create(requested(id, place), id)
        hands.pass_by(1)
    log = await debates.claim("aa1", "me")
    await log.append(Append("aa1", 1, (opened(),), status="running"))

    async def ids(**wanted: Any) -> list[str]:
        return [line.id for line in await debates.find_recent(**wanted)]

    assert await ids() == ["bx3", "b_3", "ab2", "aa1"]
    assert await ids(place=here, limit=2) == ["bx3", "b_3"]
    assert await ids(statuses=("running", "paused")) == ["aa1"]
    assert await ids(place=there) == ["ab2"]
    assert await debates.find_recent(place="discord:G/2") == []
    assert (await debates.find("ab")).id == "ab2"
    assert (await debates.find("b_")).id == "b_3"
    with pytest.raises(BadInput, match="'a' could be ab2, aa1: write more of the id"):
        await debates.find("a")
    with pytest.raises(BadInput, match="There is no debate 'c'"):
        await debates.find("c")


@ON_SQLITE
async def test_an_id_that_begins_another_is_found_by_itself(db: Database) -> None:
    debates = Debates(db)
    for id in ("a", "ab"):
        await debates.create(requested(id), id)
    assert (await debates.find("a")).id == "a"


async def test_what_needs_a_writer(db: Database, hands: Hands) -> None:
    debates, signals = Debates(db), CommandQueue(db)
    assert await debates.find_runnable() == []
    for id in ("new", "busy", "asleep", "over"):
        await debates.create(requested(id), id)
        hands.pass_by(1)
    assert await debates.find_runnable() == ["new", "busy", "asleep", "over"]

    busy, asleep, over = [await debates.claim(id, "me") for id in ("busy", "asleep", "over")]
    assert await debates.find_runnable() == ["new"]
    await asleep.append(
        Append("asleep", 1, status="waiting", wake_at=hands.now() + timedelta(minutes=10))
    )
    await asleep.release()
    await over.append(Append("over", 1, status="finished"))
    await over.release()
    assert await debates.find_runnable() == ["new"]
    line = await debates.get("asleep")
    assert line is not None
    assert line.wake_at == hands.now() + timedelta(minutes=10)

    hands.pass_by(40)
    await busy.heartbeat()
    hands.pass_by(40)
    assert await debates.find_runnable() == ["new"]
    hands.pass_by(6)
    assert await debates.find_runnable() == ["new", "busy"]
    assert await debates.find_runnable(stale=timedelta(0)) == ["new", "busy"]
    hands.pass_by(600)
    assert await debates.find_runnable() == ["new", "busy", "asleep"]
    await signals.enqueue("over", Pause("u"), "s1")
    assert await debates.find_runnable() == ["new", "busy", "asleep", "over"]


@ON_SQLITE
async def test_a_fork_begins_with_its_parents_past(db: Database) -> None:
    debates = Debates(db)
    first = DebateRequested("d2", requested().request, AT, Fork("d1", 2, SeatId("critic")))
    await debates.create(first, "fork", past=(opened(), started()))
    assert await debates.load("d2") == [first, opened(), started()]
    line = await debates.get("d2")
    assert line is not None
    assert (line.parent, line.events) == ("d1", 3)
    log = await debates.claim("d2", "me")
    await log.append(Append("d2", 3, (started("x"),)))


async def test_spending_is_summed_by_day_and_person(db: Database, hands: Hands) -> None:
    debates, spending = Debates(db), Spending(db)
    start = hands.now()
    await debates.create(requested("d1"), "1")
    await debates.create(requested("d2", "discord:G/1"), "2")
    for id in ("d1", "d2"):
        log = await debates.claim(id, "me")
        calls = (
            Call("t1", 1, "m", CallState.FAILED, usage=Usage(usd=0.25)),
            Call("t1", 2, "m", CallState.DONE, usage=Usage(usd=0.5)),
            Call("t2", 1, "m", CallState.DONE, usage=Usage(usd=None)),
            Call("t3", 1, "m"),
        )
        await log.append(Append(id, 1, calls=calls))
        hands.pass_by(86400)

    async def left(since: datetime, asker: str = "") -> float | None:
        return await spending.left((Limit(10.0, since, (asker, "")),))

    assert await left(start) == 8.5
    assert await left(start, "slack:T1/U1") == 8.5
    assert await left(start + timedelta(hours=1)) == 9.25
    assert await left(start, "nobody") == 10.0
    line = await debates.get("d1")
    assert line is not None
    assert line.cost == 0.75


ANN, BOB = "slack:T1/U1", "slack:T1/U2"


async def at_table(db: Database, id: str, asker: str = ANN) -> DebateLog:
    first = requested(id)
    await Debates(db).create(replace(first, request=replace(first.request, asker=asker)), id)
    return await Debates(db).claim(id, "me")


async def test_calls_in_flight_and_what_closing_turns_need_count_as_spent_for_others(
    db: Database, hands: Hands
) -> None:
    spending, day = Spending(db), Limit(1.0, hands.now())
    first, second = await at_table(db, "d1"), await at_table(db, "d2", BOB)
    assert await spending.reserve(
        first, (Call("t1", 1, "m", estimate=0.3), Call("t2", 1, "m")), 0.5, 0.2, (day,)
    )
    assert await spending.left((day,), "d1") == 1.0, "it reckons its own itself"
    assert await spending.left((day,), "d2") == pytest.approx(0.5)
    assert await spending.left((day, Limit(1.0, day.since, (BOB, ""))), "d2") == pytest.approx(0.5)
    assert await spending.left((Limit(1.0, day.since, (BOB, "")),), "d2") == 1.0
    assert not await spending.reserve(
        second, (Call("t1", 1, "m", estimate=0.51),), 0.51, 0.0, (day,)
    )
    assert await second.calls() == [], "nothing is noted where it can't be paid"
    assert await spending.reserve(second, (Call("t1", 1, "m", estimate=0.5),), 0.5, 0.0, (day,))
    done = Call("t1", 1, "m", CallState.DONE, usage=Usage(usd=0.1), estimate=0.3)
    await first.append(Append("d1", 1, calls=(done,)))
    assert await spending.left((day,), "d2") == pytest.approx(0.7), (
        "what it cost counts, and no longer what it might have"
    )
    await first.append(Append("d1", 1, status="paused"))
    assert await spending.left((day,), "d2") == pytest.approx(0.9)


async def test_who_died_or_let_go_or_was_overtaken_holds_back_nobodys_money(
    db: Database, hands: Hands
) -> None:
    spending, day = Spending(db), Limit(1.0, hands.now())
    first, second = await at_table(db, "d1"), await at_table(db, "d2")
    held = Call("t1", 1, "m", estimate=0.9)
    assert await spending.reserve(first, (held,), 1.0, 0.1, (day,))
    assert not await spending.reserve(second, (held,), 1.0, 0.1, (day,))
    hands.pass_by(STALE.total_seconds() + 1)
    assert await spending.reserve(second, (held,), 1.0, 0.1, (day,)), (
        "a writer without a sign of life counts as dead"
    )
    await first.heartbeat()
    assert await spending.left((day,), "d2") == pytest.approx(0.0)
    await first.release()
    assert await spending.left((day,), "d2") == 1.0
    await Debates(db).claim("d1", "another")
    with pytest.raises(Fenced):
        await spending.reserve(first, (), 0.0, 0.0, (day,))


async def test_of_many_in_two_replicas_that_reserve_at_once_only_those_win_that_can_be_paid(
    db: Database, hands: Hands, database_address: str
) -> None:
    day, call = Limit(1.0, hands.now()), Call("t1", 1, "m", estimate=0.15)
    other = await open_database(database_address, hands.now)
    tables = [(one, await at_table(one, f"d{n}")) for n, one in enumerate((db, other) * 6)]
    won = await asyncio.gather(
        *(Spending(one).reserve(log, (call,), 0.2, 0.05, (day,)) for one, log in tables)
    )
    assert sum(won) == 5
    await other.close()


async def test_a_mirror_that_goes_on_is_listed_however_much_was_said_since(db: Database) -> None:
    """Of finished debates only those are listed that the place's newest messages are about."""
    debates, there = Debates(db), "slack:T1/C9"
    for id in ("d1", "d2", "d3", "d4"):
        await debates.create(requested(id, there if id == "d3" else "slack:T1/C1"), id)
    old, new = db.now() - timedelta(days=9), db.now()

    def row(debate: str, number: int, at: datetime) -> dict[str, object]:
        return {"place": there, "message": f"{debate}-{number}", "thread": "t",
                "debate_id": debate, "key": f"{debate}:{number}/0", "at": at}  # fmt: skip

    rows = [row("d1", 0, old), row("d2", 0, old), row("d4", 0, old)]
    rows += [row("d3", number, new) for number in range(2_000)]

    def work(conn: sa.Connection) -> None:
        conn.execute(sa.insert(MESSAGE), rows)
        ended = sa.update(DEBATE).where(DEBATE.c.id.in_(("d2", "d4")))
        conn.execute(ended.values(status="finished"))

    await db.write(work)
    ids = {line.id for line in await debates.find_recent(place=there)}
    assert ids == {"d1", "d3"}
