"""Sessions of browsers and links for people outside."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import sqlalchemy as sa

from storage.database import Database
from storage.debates import Debates
from storage.people.sessions import Links, Session, Sessions
from storage.tables import SESSION
from tests.storage.samples import requested

KEY = "k" * 43


def session(db: Database, id: str = "s1", **fields: object) -> Session:
    now = db.now()
    made = Session(
        id, "slack", "U1", "Ann", "slack:T1", {"slack:T1": True}, "Firefox on Linux", now, now, now,
        now + timedelta(days=30),
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]  # a field each


async def test_a_cookie_finds_its_session_and_the_store_holds_no_cookie(db: Database) -> None:
    sessions = Sessions(db)
    await sessions.begin(KEY, session(db))
    assert await sessions.find(KEY) == session(db)
    assert await sessions.find("x" * 43) is None
    rows = await db.read(lambda conn: conn.execute(sa.select(SESSION)).all())
    assert KEY not in str(rows)


async def test_a_session_ends_by_time_by_hand_and_with_all_others(db: Database) -> None:
    sessions = Sessions(db)
    for n in range(3):
        await sessions.begin(f"{n}" * 43, session(db, f"s{n}"))
    await sessions.begin("o" * 43, session(db, "other", account="U2"))
    assert {s.id for s in await sessions.of("slack", "U1")} == {"s0", "s1", "s2"}
    assert await sessions.end("slack", "U1", "s1") == 1
    assert await sessions.end("slack", "U1", "other") == 0
    assert await sessions.find("1" * 43) is None
    assert await sessions.end("slack", "U1") == 2
    assert await sessions.find("o" * 43) is not None
    await sessions.begin("l" * 43, session(db, "late", expires_at=db.now() - timedelta(seconds=1)))
    assert await sessions.find("l" * 43) is None
    await sessions.change("other", workspace="slack:T2")
    place = await sessions.find("o" * 43)
    assert place is not None
    assert place.workspace == "slack:T2"


async def test_a_link_opens_one_debate_until_its_end_or_until_it_is_taken_back(
    db: Database,
) -> None:
    links = Links(db)
    await Debates(db).create(requested("d1"), "k1")
    await Debates(db).create(requested("d2"), "k2")
    link = await links.make("d1", "slack:T1/U1", db.now() + timedelta(days=1))
    old = await links.make("d1", "slack:T1/U1", db.now() - timedelta(seconds=1))
    assert await links.get(link.id) == link
    assert await links.get(old.id) is None
    assert await links.revoke("d2", link.id) is False
    assert await links.revoke("d1", link.id) is True
    assert await links.revoke("d1", link.id) is False
    assert await links.get(link.id) is None
    assert {x.id for x in await links.of("d1")} == {link.id, old.id}
    assert await links.of("d2") == []
