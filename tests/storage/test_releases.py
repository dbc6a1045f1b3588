"""Two releases on one database: the older one keeps and carries the newer one's records, and leaves
to it the debates that only it can play. The newer one is played by rows that this release does not
know.
"""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from core.debate.commands import Pause
from core.debate.errors import NeedsNewer
from core.debate.events import UnknownEvent
from core.debate.state import replay
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.events.levels import LEVEL
from storage.tables import COMMAND, DEBATE, EVENT
from tests.storage.conftest import ON_SQLITE
from tests.storage.samples import requested

NEWER = UnknownEvent("tea_was_served", 3, {"by": "slack:T1/U2", "cups": [{"for": "slack:T1/U3"}]})


async def stored(db: Database, id: str) -> list[tuple[str, int, object]]:
    query = sa.select(EVENT.c.kind, EVENT.c.version, EVENT.c.payload).where(EVENT.c.debate_id == id)
    rows = await db.read(lambda conn: conn.execute(query.order_by(EVENT.c.seq)).all())
    return [(row.kind, row.version, row.payload) for row in rows]


async def test_what_a_newer_release_recorded_is_kept_counted_and_carried(db: Database) -> None:
    debates = Debates(db)
    await debates.create(requested(), "k", past=(NEWER,))
    (first, read) = await debates.load("d1")
    assert read == NEWER
    assert (await stored(db, "d1"))[1] == (NEWER.kind, NEWER.version, NEWER.payload)
    debate = replay((first, read))
    assert (debate.count, debate.status) == (2, "queued")
    await debates.create(requested("d2"), "k2", past=(read,))
    hashes = [await debates.load_hashes(id) for id in ("d1", "d2")]
    assert hashes[0][1] == hashes[1][1], "carried as it was"


@ON_SQLITE
async def test_a_debate_that_holds_it_is_played_by_the_newer_release_alone(db: Database) -> None:
    debates = Debates(db)
    await debates.create(requested(), "k")
    await debates.create(requested("d2"), "k2", past=(NEWER,))
    assert await debates.find_runnable() == ["d1"]
    with pytest.raises(NeedsNewer, match="Debate d2 holds what only a newer release"):
        await debates.claim("d2", "me")
    line = await debates.get("d2")
    assert line is not None
    assert (line.owner, line.epoch) == ("", 0), "nothing was taken from whoever plays it"
    await db.write(lambda conn: conn.execute(sa.update(DEBATE).values(needs=LEVEL)).rowcount)
    assert await debates.find_runnable() == ["d1", "d2"]


@ON_SQLITE
async def test_a_command_of_a_newer_release_waits_for_it(db: Database) -> None:
    await Debates(db).create(requested(), "k")
    async with CommandQueue(db) as queue:
        await queue.enqueue("d1", Pause("slack:T1/U1"), "click")
        newer = {"debate_id": "d1", "kind": "serve_tea", "version": 1, "payload": {},
                 "source_key": "click-2", "at": db.now()}  # fmt: skip
        await db.write(lambda conn: conn.execute(sa.insert(COMMAND), newer).rowcount)
        waiting = await queue.load_waiting("d1")
        commands = await queue.find_from("d1", "click")
    assert [one.source_key for one in waiting] == ["click"]
    assert [one.source_key for one in commands] == ["click"]
