"""A page of costs says what all calls come to, whatever was summed and whoever was forgotten."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from core.debate.log import Append, Call, CallState
from core.debate.usage import Usage
from storage.database import Database
from storage.debates import Debates
from storage.debates.calls import Limit, Spending
from storage.debates.day_sums import REACH
from storage.tables import CALL, DAY_SPENT, DEBATE
from tests.storage.conftest import Hands
from tests.storage.samples import new_log, requested

DAY = 86400.0
ASKERS = ("slack:T1/U1", "slack:T1/U2", "discord:1/7")
PLACES = ("slack:T1/C1", "slack:T2/C_1", "discord:1/2")
MODELS = ("small", "large")


_CALLS = (
    sa.select(CALL.c.at, CALL.c.model, CALL.c.usd, DEBATE.c.asker, DEBATE.c.place)
    .join_from(CALL, DEBATE)
    .where(CALL.c.state != CallState.INTENT)
)


def from_calls(
    calls: Sequence[Any], start: date, within: Sequence[str] | None
) -> dict[tuple[str, str, str], tuple[float, int, int]]:
    """What every call since then comes to, one after the other, as the table of calls has them."""
    sums: dict[tuple[str, str, str], tuple[float, int, int]] = {}
    for row in calls:
        inside = within is None or any(row.place.startswith(place) for place in within)
        if row.at.date() >= start and inside:
            key = (row.at.date().isoformat(), row.asker, row.model)
            usd, count, unpriced = sums.get(key, (0.0, 0, 0))
            sums[key] = (usd + (row.usd or 0.0), count + 1, unpriced + (row.usd is None))
    return sums


async def agree(db: Database, hands: Hands) -> None:
    spending = Spending(db)
    calls = await db.read(partial(_all, query=_CALLS))
    for days in (0, 7, 30, 90):
        for within in (None, [], ["slack:T1/"], ["slack:T2/C_1", "discord:"]):
            start = (hands.now() - timedelta(days=days)).date()
            spent = await spending.by_day(start, within)
            expected = from_calls(calls, start, within)
            figures = {
                (one.day, one.asker, one.model): (one.usd, one.calls, one.unpriced) for one in spent
            }
            assert len(figures) == len(spent)
            assert figures.keys() == expected.keys()
            assert all(figures[key] == pytest.approx(expected[key]) for key in expected)
            order = [(one.asker, one.model) for one in spent if one.day == spent[0].day]
            assert order == sorted(order)
            assert [one.day for one in spent] == sorted((one.day for one in spent), reverse=True)


async def budgets_agree(db: Database, hands: Hands) -> None:
    """What a budget leaves is what the calls leave, of everybody's and of one person's."""
    spending = Spending(db)
    for since in (midnight(hands), hands.now() - timedelta(hours=5)):
        query = sa.select(CALL.c.usd, DEBATE.c.asker).join_from(CALL, DEBATE)
        query = query.where(CALL.c.at >= since, CALL.c.state != CallState.INTENT)
        rows = await db.read(partial(_all, query=query))
        for asker in ("", *ASKERS):
            spent = sum(row.usd or 0.0 for row in rows if asker in ("", row.asker))
            left = await spending.left((Limit(1000.0, since, (asker, "")),))
            assert left == pytest.approx(1000.0 - spent)


def _all(conn: sa.Connection, query: sa.Select[Any]) -> Sequence[Any]:
    return conn.execute(query).all()


def midnight(hands: Hands) -> datetime:
    return hands.now().replace(hour=0, minute=0, second=0, microsecond=0)


async def spend(db: Database, chance: random.Random, id: str) -> None:
    """One more debate, or a few more calls of one that is there."""
    debates = Debates(db)
    if await debates.get(id) is None:
        first = requested(id, chance.choice(PLACES))
        request = replace(first.request, asker=chance.choice(ASKERS))
        await debates.create(replace(first, request=request), id)
    log = await debates.claim(id, "me")
    calls = [
        Call(
            f"t{chance.randrange(10**9)}", 1, chance.choice(MODELS),
            chance.choice(list(CallState)),
            usage=Usage(usd=chance.choice([None, 0.0, 0.001, 0.25])),
        )
        for _ in range(chance.randint(1, 4))
    ]  # fmt: skip
    await log.append(Append(id, 1, calls=tuple(calls)))


async def rename(db: Database, person: str, alias: str) -> None:
    """What forgetting a person does to who began a debate."""
    change = sa.update(DEBATE).where(DEBATE.c.asker == person).values(asker=alias)
    await db.write(lambda conn: conn.execute(change).rowcount)


_SEEDS = [pytest.param(seed, marks=[pytest.mark.faults] * (seed != 1)) for seed in range(3)]
"""Of the three the second draws every kind of step, and most evenly."""


@pytest.mark.parametrize("seed", _SEEDS)
async def test_sums_say_what_the_calls_say_at_any_time(
    db: Database, hands: Hands, seed: int
) -> None:
    chance = random.Random(seed)
    spending = Spending(db)
    for step in range(60):
        match chance.randrange(10):
            case 0 | 1:
                await spending.sum_days()
            case 2:
                hands.pass_by(chance.choice([1.0, 20.0]) * DAY * chance.random())
            case 3:
                hands.pass_by(3600.0)
            case 4 if step > 40:
                await rename(db, chance.choice(ASKERS), f"forgotten:/{step}")
            case _:
                await spend(db, chance, f"d{chance.randrange(12)}")
        if step % 20 == 19:
            await agree(db, hands)
            await budgets_agree(db, hands)
    hands.pass_by(2 * DAY)
    await spending.sum_days()
    await agree(db, hands)
    assert await spending.sum_days() == 0


async def summed(db: Database) -> list[tuple[str, int]]:
    query = sa.select(DAY_SPENT.c.day, sa.func.sum(DAY_SPENT.c.calls)).group_by(DAY_SPENT.c.day)
    rows = await db.read(lambda conn: conn.execute(query.order_by(DAY_SPENT.c.day)).all())
    return [(str(day), int(calls)) for day, calls in rows]


async def test_a_day_is_summed_an_hour_after_its_end_and_again_where_a_clock_was_wrong(
    db: Database, hands: Hands
) -> None:
    chance, spending = random.Random(1), Spending(db)
    log = await new_log(db)
    paid = replace(Call("t1", 1, "m", CallState.DONE), usage=Usage(usd=0.5))
    await log.append(Append("d1", 1, calls=(paid,)))
    day = hands.now().date().isoformat()
    hands.pass_by(12.9 * 3600)
    assert await spending.sum_days() == 0
    hands.pass_by(0.2 * 3600)
    assert await spending.sum_days() == 1
    assert await summed(db) == [(day, 1)]
    for turn in ("t2", "t3"):
        await log.append(Append("d1", 1, calls=(replace(paid, turn=turn),)))
        hands.pass_by(DAY)
    assert await spending.sum_days() == 2
    hands.pass_by(-3 * DAY)
    await log.append(Append("d1", 1, calls=(replace(paid, turn="t4"),)))
    hands.pass_by(3 * DAY)
    assert await spending.sum_days() == 1
    await agree(db, hands)
    hands.pass_by(30 * DAY)
    await spending.sum_days()
    ahead = await summed(db)
    hands.pass_by(-29 * DAY)
    await spend(db, chance, "d2")
    await agree(db, hands)
    assert (day, 2) in ahead


async def test_far_history_is_left_to_the_calls_and_no_sum_holds_a_name(
    db: Database, hands: Hands
) -> None:
    spending = Spending(db)
    await spend(db, random.Random(2), "d1")
    hands.pass_by((REACH + timedelta(days=9)).total_seconds())
    await spending.sum_days()
    assert await summed(db) == []
    columns = {column.name for column in DAY_SPENT.columns}
    assert columns == {"day", "debate_id", "model", "usd", "calls", "unpriced"}
