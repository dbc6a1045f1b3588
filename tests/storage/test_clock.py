"""A wall clock that is set under a running bot ends no claim and prolongs no wait."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.application.presence import Ref
from core.debate.log import Outgoing, PostOp
from storage.database import Database, database_url
from storage.database.clock import utc_now
from storage.debates import Debates
from storage.forgetting.removals import Removals
from storage.outbox import Outbox
from storage.schema import open_database
from storage.work import EVENT, Work, WorkQueue
from tests.storage.conftest import ON_SQLITE
from tests.storage.samples import new_log
from tests.storage.test_outbox import HERE, post

LINK = "https://github.com/acme/app/pull/7"
DAYS = pytest.mark.parametrize("days", [30, -30])


@pytest.fixture
async def db(database_address: str) -> AsyncIterator[Database]:
    database = await open_database(database_address)
    yield database
    await database.close()


def jump(db: Database, days: float) -> None:
    db.now = lambda: utc_now() + timedelta(days=days)


@DAYS
async def test_what_one_holds_no_other_gets(db: Database, days: int) -> None:
    log, outbox = await new_log(db), Outbox(db)
    hook = Outgoing("1", "hook:1", op=PostOp.WEBHOOK)
    queue, kinds = WorkQueue(db), (EVENT, "review", "remove_slack")
    await post(log, Outgoing("root", HERE))
    (root,) = await outbox.claim("one")
    await outbox.mark_sent(root, Ref(HERE, "1", ("1",)))
    await post(log, Outgoing("round", HERE), hook)
    await queue.add(Work("p", "review", {}, log.debate, LINK), Work("e", EVENT, {}))
    await Removals(db, queue).add([log.debate])

    held = await outbox.claim("one")
    mine = await queue.claim("one", kinds)
    assert (len(held), len(mine)) == (2, 3)
    jump(db, days)
    assert await outbox.claim("two") == []
    assert await queue.claim("two", kinds) == []
    assert await Debates(db).find_runnable(log.debate) == []
    assert all([await outbox.mark_sent(one, Ref(HERE, "1", ("2",))) for one in held])
    assert all([await queue.done(row) for row in mine])


@ON_SQLITE
@DAYS
async def test_what_is_new_waits_for_nothing_and_what_waits_goes_on_waiting(
    db: Database, days: int
) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE), Outgoing("1", "hook:1", op=PostOp.WEBHOOK))
    for delivery in await outbox.claim("one"):
        await outbox.retry_later(delivery, 3_000.0, "busy")
    jump(db, days)
    assert await outbox.claim("one") == []
    await post(log, Outgoing("new", "discord:G/1"))
    assert [d.key for d in await outbox.claim("one")] == ["new"]


@ON_SQLITE
async def test_a_webhook_of_a_clock_that_was_ahead_is_tried_as_if_for_the_first_time(
    database_address: str,
) -> None:
    """A process that starts while the clock is wrong has no other to go by."""
    ahead = await open_database(database_address, lambda: utc_now() + timedelta(days=30))
    await post(await new_log(ahead), Outgoing("1", "hook:1", op=PostOp.WEBHOOK))
    (early,) = await Outbox(ahead).claim("one")
    await Outbox(ahead).retry_later(early, 86_400.0, "busy")
    assert await Outbox(ahead).claim("one") == []
    await ahead.close()
    right = await open_database(database_address)
    await Outbox(right).recover()
    (again,) = await Outbox(right).claim("one")
    assert again.attempt == 2
    assert again.first_attempt_at == again.claimed_at
    assert again.claimed_at - utc_now() < timedelta(minutes=10)
    await right.close()


async def test_a_debate_is_played_on_whatever_its_last_writer_s_clock_said(
    database_address: str,
) -> None:
    ahead = await open_database(database_address, lambda: utc_now() + timedelta(days=30))
    log = await new_log(ahead)
    await ahead.close()
    right = await open_database(database_address)
    assert await Debates(right).find_runnable() == [log.debate]
    assert await Debates(right).find_runnable(stale=timedelta(0)) == [log.debate]
    await right.close()


async def test_claims_go_by_a_clock_that_nobody_sets_or_by_the_one_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = utc_now() + timedelta(days=30)
    address = database_url(str(tmp_path / "debate.db"))
    own, other = Database(address), Database(address, lambda: given)
    assert other.moment() == given
    before, sound = own.moment(), time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda clock: sound(clock) + 3_600.0)
    after = own.moment()
    assert isinstance(before, datetime)
    assert isinstance(after, datetime)
    assert timedelta(hours=1) <= after - before < timedelta(hours=2)
    for each in (own, other):
        await each.close()
