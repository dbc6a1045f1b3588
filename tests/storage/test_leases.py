"""A lease: one holder at a time, whatever order processes sleep, die and wake up in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from storage.leases import Lease
from storage.tables import DEBATE, METADATA, WORK
from tests.drawn import drawn

LENGTH = timedelta(seconds=60)
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Held:
    row: str
    owner: str
    attempt: int
    until: datetime


def table() -> sa.Engine:
    engine = sa.create_engine("sqlite://")
    METADATA.create_all(engine, [DEBATE, WORK])
    row: dict[str, object] = {"key": "a", "kind": "event", "target": "", "by": "", "payload": {}}
    row |= {"state": "pending", "at": START, "next_at": START}
    with engine.begin() as conn:
        conn.execute(sa.insert(WORK).values(**row))
    return engine


steps = st.lists(
    st.tuples(st.sampled_from(("claim", "renew", "settle")), st.integers(0, 2), st.integers(0, 70)),
    max_size=25,
)


@drawn(16)
@given(steps)
def test_only_the_last_holder_changes_a_row(steps: list[tuple[str, int, int]]) -> None:
    lease, now = Lease(WORK, LENGTH), START
    engine = table()
    last: Held | None = None
    hands: dict[int, Held] = {}
    with engine.begin() as conn:
        for step, owner, seconds in steps:
            now += timedelta(seconds=seconds)
            mine = hands.get(owner)
            if step == "claim":
                rows = lease.claim(conn, str(owner), now, 4)
                assert bool(rows) == (last is None or now >= last.until)
                for row in rows:
                    last = Held(row.key, str(owner), row.attempts + 1, now + LENGTH)
                    hands[owner] = last
            elif mine is not None and step == "renew":
                assert lease.renew(conn, mine, now) == (mine == last)
                if mine == last:
                    last = hands[owner] = replace(mine, until=now + LENGTH)
            elif mine is not None:
                assert lease.settle(conn, mine, next_at=now) == (mine == last)
                if mine == last:
                    last = None
                del hands[owner]
    engine.dispose()
