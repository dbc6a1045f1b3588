"""An appended event is there, once, in order, and only the one writer that holds the debate
appends.
"""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from core.debate.errors import BadInput, Fenced, StoreAway
from core.debate.log import Append, Call, CallState, Outgoing
from core.debate.usage import Usage
from storage.codec import UnknownFormat
from storage.database import Database
from storage.debates import Debates
from storage.schema import open_database
from storage.tables import CALL, EVENT, OUTBOX
from tests.storage.conftest import ON_SQLITE
from tests.storage.samples import finished, new_log, opened, requested, started


async def counted(db: Database, *tables: sa.Table) -> list[int]:
    async def count(table: sa.Table) -> int:
        query = sa.select(sa.func.count()).select_from(table)
        return await db.read(lambda conn: conn.execute(query).scalar_one())

    return [await count(table) for table in tables]


async def test_what_is_appended_is_loaded_by_the_next_writer(db: Database) -> None:
    debates = Debates(db)
    assert await debates.create(requested(), "slack:E1") == "d1"
    log = await debates.claim("d1", "one")
    await log.append(
        Append("d1", 1, (opened("Nul \0 and half a pair \ud800"), started()), status="running")
    )
    done = Call("r1.critic", 1, "scripted", CallState.DONE, "h", "reply", Usage(100, 0, 20, 0.002))
    await log.append(Append("d1", 3, calls=(Call("r1.critic", 1, "scripted"),)))
    await log.append(Append("d1", 3, (finished(),), (done,)))

    again = await debates.claim("d1", "two")
    clean = opened("Nul \0 and half a pair ?")
    assert (
        await again.load()
        == await debates.load("d1")
        == [requested(), clean, started(), finished()]
    )
    assert await again.calls() == [done]
    line = await debates.get("d1")
    assert line is not None
    assert (line.status, line.events, line.cost) == ("running", 4, 0.002)
    assert (line.epoch, line.owner) == (2, "two")
    assert line.title == "Nul \ufffd and half a pair ?"


async def test_a_start_that_comes_twice_is_one_debate(db: Database) -> None:
    debates = Debates(db)
    ids = await asyncio.gather(*(debates.create(requested(f"d{n}"), "slack:E1") for n in range(5)))
    assert len(set(ids)) == 1
    assert [line.id for line in await debates.find_recent()] == ids[:1]
    assert await debates.load(ids[0]) == [requested(ids[0])]


async def test_a_writer_that_lost_its_epoch_writes_nothing(db: Database) -> None:
    debates = Debates(db)
    await debates.create(requested(), "k")
    old = await debates.claim("d1", "old")
    new = await debates.claim("d1", "new")
    before = await debates.get("d1")
    posts = (Outgoing("p", "slack:T1/C1"),)
    full = Append("d1", 1, (started(),), (Call("t", 1, "m"),), status="running", posts=posts)
    with pytest.raises(Fenced):
        await old.append(full)
    for touch in (old.heartbeat, old.release):
        with pytest.raises(Fenced):
            await touch()
    assert await debates.get("d1") == before
    assert await counted(db, EVENT, CALL, OUTBOX) == [1, 0, 0]
    await new.append(full)
    assert await counted(db, EVENT, CALL, OUTBOX) == [2, 1, 1]


@ON_SQLITE
async def test_an_append_at_another_position_is_fenced(db: Database) -> None:
    log = await new_log(db)
    for position in (0, 2):
        with pytest.raises(Fenced):
            await log.append(Append("d1", position, (started(),)))
    assert await log.load() == [requested()]


async def test_of_two_claimers_at_once_one_writes(db: Database) -> None:
    debates = Debates(db)
    await debates.create(requested(), "k")
    logs = await asyncio.gather(*(debates.claim("d1", str(n)) for n in range(4)))
    assert sorted(log.epoch for log in logs) == [1, 2, 3, 4]
    results = await asyncio.gather(
        *(log.append(Append("d1", 1, (started(str(log.epoch)),))) for log in logs),
        return_exceptions=True,
    )
    assert [type(r) for r in results].count(Fenced) == 3
    assert await debates.load("d1") == [requested(), started("4")]


async def test_one_bad_append_in_a_group_harms_no_other(db: Database) -> None:
    debates = Debates(db)
    logs = [await new_log(db, f"d{n}") for n in range(20)]
    await debates.claim("d7", "somebody else")
    results = await asyncio.gather(
        *(log.append(Append(log.debate, 1, (started(),))) for log in logs), return_exceptions=True
    )
    assert [n for n, r in enumerate(results) if r is not None] == [7]
    assert isinstance(results[7], Fenced)
    events = {line.id: line.events for line in await debates.find_recent()}
    assert events == {f"d{n}": 1 if n == 7 else 2 for n in range(20)}


async def test_an_append_goes_through_though_its_caller_was_cancelled(db: Database) -> None:
    log = await new_log(db)
    task = asyncio.create_task(log.append(Append("d1", 1, (started(),))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await log.append(Append("d1", 2, (finished(),)))
    assert await log.load() == [requested(), started(), finished()]


async def test_closing_finishes_what_was_asked_and_takes_nothing_more(
    db: Database, database_address: str
) -> None:
    debates = Debates(db)
    tasks = [asyncio.create_task(debates.create(requested(f"d{n}"), str(n))) for n in range(5)]
    await asyncio.sleep(0)
    await db.close()
    assert sorted(await asyncio.gather(*tasks)) == [f"d{n}" for n in range(5)]
    with pytest.raises(RuntimeError, match="the database is closed"):
        await debates.create(requested(), "k")
    again = await open_database(database_address)
    assert len(await Debates(again).find_recent()) == 5
    await again.close()


@pytest.mark.parametrize("database_address", ["postgres"], indirect=True)
async def test_a_server_that_was_restarted_is_found_again(db: Database) -> None:
    log = await new_log(db)
    rest = sa.text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
        "current_database() AND pid <> pg_backend_pid()"
    )
    await db.read(lambda conn: conn.execute(rest).all())
    await log.append(Append("d1", 1, (started(),)))
    assert await log.load() == [requested(), started()]


@pytest.mark.parametrize("database_address", ["postgres"], indirect=True)
async def test_work_whose_connection_breaks_before_the_commit_is_done_once(db: Database) -> None:
    await new_log(db)
    epochs = []

    def breaking(conn: sa.Connection) -> int:
        raised = sa.text("UPDATE debate SET epoch = epoch + 1 WHERE id = 'd1' RETURNING epoch")
        epochs.append(int(conn.execute(raised).scalar_one()))
        if len(epochs) == 1:
            conn.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return epochs[-1]

    assert await db.write(breaking) == 2
    assert epochs == [2, 2], "what was not committed did not count"

    def always(conn: sa.Connection) -> None:
        conn.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))

    with pytest.raises(StoreAway, match=r"^The database does not answer\.$"):
        await db.write(always)
    assert await db.write(breaking) == 3, "the next one finds a new connection"


@ON_SQLITE
async def test_one_that_cannot_be_read_leaves_the_others_alone(db: Database) -> None:
    logs = [await new_log(db, id) for id in ("d1", "d2", "d3")]
    broken = sa.text("UPDATE event SET payload = '{\"id\": 7}' WHERE debate_id = 'd2'")
    await db.write(lambda conn: conn.execute(broken).rowcount)
    one, two, three = await asyncio.gather(*(x.load() for x in logs), return_exceptions=True)
    assert [one, three] == [[requested("d1")], [requested("d3")]]
    assert isinstance(two, UnknownFormat)


@ON_SQLITE
async def test_a_log_refuses_another_debates_append(db: Database) -> None:
    log = await new_log(db)
    with pytest.raises(ValueError, match="'d2' does not belong into the log of 'd1'"):
        await log.append(Append("d2", 1))
    with pytest.raises(BadInput, match="There is no debate d2"):
        await Debates(db).claim("d2", "me")
