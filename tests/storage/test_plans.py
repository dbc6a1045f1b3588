"""Statements that run again and again, or for each of many debates, read no table from end to end:
the plans of SQLite for the statements as they are sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any, cast

import aiosqlite
import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_

from bot.posting.deliver import PACE
from core.application.listing import Filter
from core.debate.commands import Pause
from core.debate.events import TextsDeleted
from core.debate.log import Append, Outgoing, PostOp
from storage.claims import UNPACED, PlaceShare
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.debates.calls import Limit, Spending
from storage.debates.outcomes import Outcomes
from storage.forgetting import Forgetting
from storage.outbox import Outbox
from storage.search import Search
from tests.storage.samples import new_log, requested

SENT = list[tuple[str, Any]]
_FEW = (
    "ix_outbox_open|ix_outbox_due|ix_outbox_uncertain|ix_debate_owner|ix_debate_wake_at"
    "|ix_signal_waiting|ix_outcome_concluded_at_debate_id_place"
)
"""Indexes of those rows alone that are asked for, or by which the newest are read."""
_END_TO_END = re.compile(
    r"SCAN (debate(?:_text)?|event|outbox|signal|llm_call|day_spent|outcome|message)\b"
    rf"(?!.* INDEX ({_FEW})$)"
    r"|INDEX ix_outcome_held\w* \(held=\?\)$"  # all that nobody judged
)


@contextmanager
def recorded() -> Iterator[SENT]:
    sent: SENT = []

    def note(_c: object, _cursor: object, text: str, values: Any, _x: object, many: bool) -> None:
        sent.append((text, values[0] if many else values))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


async def plans(db: Database, sent: SENT) -> list[str]:
    """Steps that read a whole table, with the statement."""

    def work(conn: sa.Connection) -> list[str]:
        plan_lines = []
        for text, values in sent:
            if text.split()[0] in ("SELECT", "WITH", "UPDATE", "DELETE"):
                rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
                plan_lines += [f"{row[-1]}: {text}" for row in rows if _END_TO_END.search(row[-1])]
        return plan_lines

    return await db.read(work)


async def look_for_posts(db: Database) -> None:
    outbox = Outbox(db)
    await outbox.recover()
    await outbox.claim("me", pace=PACE, reactions=3)
    await outbox.claim(
        "me", pace={"hook": UNPACED}, reactions=0, share=PlaceShare(8, {"hook:a": 8})
    )
    await outbox.claim("me")
    await outbox.count_backlog()
    await outbox.count_backlog("d1")


async def look_for_work(db: Database) -> None:
    debates = Debates(db)
    await debates.find_runnable()
    await debates.find_runnable("d1", "d2", stale=timedelta(0))
    await debates.measure_queue_age()
    async with CommandQueue(db) as queue:
        await queue.load_waiting("d1")


async def look_for_old_texts(db: Database) -> None:
    await Forgetting(db).find_old(datetime(2020, 1, 1, tzinfo=UTC), 50)


async def list_a_place(db: Database) -> None:
    await Debates(db).find_recent(place="slack:T1/C1", limit=50)
    await Debates(db).find_recent(place="slack:T1/C1", statuses=["running", "paused"], limit=1)


async def show_lists(db: Database) -> None:
    outcomes = Outcomes(db)
    twenty = [f"d{number}" for number in range(20)]  # as many as a list shows
    await outcomes.find_asked(twenty, date(2026, 3, 1))
    await outcomes.decided(twenty)
    await outcomes.panels(500)
    await outcomes.kinds(500)
    await outcomes.kinds(500, ["slack:T1/"])


async def read_costs(db: Database) -> None:
    spending = Spending(db)
    for within in (None, ["slack:T1/"]):
        await spending.by_day(date(2026, 3, 1), within)
    await spending.by_place(datetime(2026, 3, 1, tzinfo=UTC), 50)
    await spending.sum_days()
    midnight = datetime(2026, 3, 1, tzinfo=UTC)
    limits = (Limit(1.0, midnight), Limit(1.0, midnight, ("slack:T1/U1", "")))
    await spending.left(limits, "d1")


async def search_for_few(db: Database) -> None:
    search = Search(db)
    await search.save("d1", "a zebra", "acme/shop", 1)
    wanted_ones = (
        Filter(words="zebra"),
        Filter(words="lion"),
        Filter(repository="shop"),
        Filter(repository="zoo"),
        Filter(words="zebra", repository="acme"),
    )
    for wanted in wanted_ones:
        await search.find_page(wanted, 50)


async def give_a_command(db: Database) -> None:
    async with CommandQueue(db) as queue:
        await queue.enqueue("d1", Pause("slack:T1/U1"), "click")


async def delete_texts(db: Database) -> None:
    deleted = TextsDeleted("asked", "finished", {}, "", datetime(2026, 3, 1, tzinfo=UTC))
    await Forgetting(db).delete_texts("d2", 1, requested("d2"), deleted)


@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
async def test_no_table_is_read_from_end_to_end(db: Database) -> None:
    """PostgreSQL plans by what its tables hold."""
    debates = Debates(db)
    for id in ("d1", "d2"):
        await debates.create(requested(id), id)
    for ask in (
        look_for_posts,
        look_for_work,
        look_for_old_texts,
        list_a_place,
        show_lists,
        read_costs,
        search_for_few,
        give_a_command,
        delete_texts,
    ):
        with recorded() as sent:
            await ask(db)
        assert sent
        assert await plans(db, sent) == [], ask.__name__


async def wait_behind_failures(db: Database, debates: range) -> None:
    """Messages of these debates to an address that answers no, each tried once, and some more."""
    outbox = Outbox(db)
    for id in (f"d{number}" for number in debates):
        log = await new_log(db, id)
        posts = tuple(Outgoing(f"{id}:{n}", "hook:no", PostOp.WEBHOOK, {}) for n in range(3))
        await log.append(Append(id, 1, posts=posts))
    while failed := await outbox.claim("me", pace={"hook": UNPACED}, reactions=0):
        for delivery in failed:
            assert await outbox.retry_later(delivery, 1800.0, "answered 500")


async def steps_of_a_claim(db: Database) -> int:
    """Steps that SQLite takes to find that nothing is due, on either kind of place."""
    outbox = Outbox(db)
    with recorded() as sent:
        assert not await outbox.claim(
            "me", pace={"hook": UNPACED}, reactions=0, share=PlaceShare(8, {})
        )
        assert not await outbox.claim("me", pace=PACE)
    queries = [(text, values) for text, values in sent if text.split()[0] in ("SELECT", "WITH")]

    def work(conn: sa.Connection) -> int:
        steps = count(1)
        driver = cast("aiosqlite.Connection", conn.connection.driver_connection)
        await_(driver.set_progress_handler(lambda: next(steps) and 0, 1))
        try:
            for text, values in queries:
                conn.exec_driver_sql(text, values).all()
        finally:
            await_(driver.set_progress_handler(lambda: 0, 0))
        return next(steps)

    return await db.read(work)


@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
async def test_what_failed_and_waits_slows_no_claim(db: Database) -> None:
    """SQLite counts its steps."""
    await wait_behind_failures(db, range(3))
    few = await steps_of_a_claim(db)
    await wait_behind_failures(db, range(3, 60))
    assert few > 50  # steps are counted
    assert await steps_of_a_claim(db) == few
