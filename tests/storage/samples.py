"""Debates and events to store, and databases of earlier releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from core.debate.events import (
    DebateOpened,
    DebateRequest,
    DebateRequested,
    Terms,
    TurnFinished,
    TurnStarted,
)
from core.debate.material import Material, MaterialKind
from core.debate.replies import Stance, Statement
from core.debate.script import Round, Script, Seat, SeatId, Turn, TurnId
from core.debate.template import Option, Role, Template
from core.debate.usage import Usage
from storage import schema
from storage.database import Database, database_url, sqlite_file
from storage.database.engines import create_engine
from storage.database.files import create_private
from storage.debates import Debates
from storage.events.log import DebateLog
from storage.tables import METADATA
from tests.patience import LONG

Row = Mapping[str, object]
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def requested(
    id: str = "d1", place: str = "slack:T1/C1", template: str = "code_review"
) -> DebateRequested:
    return DebateRequested(
        id, DebateRequest(template, "https://example.org/pull/1", "slack:T1/U1", place), AT
    )


def opened(
    title: str = "Add caching", *, private: bool = False, text: str = "@@ -1 +1 @@"
) -> DebateOpened:
    seat, turn = SeatId("critic"), Turn(TurnId("r1.critic"), SeatId("critic"), "open", closing=True)
    return DebateOpened(
        template=Template(
            id="code_review",
            name="Code review",
            description="",
            domain="software",
            format="phased",
            roles=(Role("critic"),),
            phases=(),
            ballot=(Option("approve"),),
            rubric={"correctness": 1.0},
            output_format="",
            max_rounds=1,
            consensus_threshold=0.5,
            recommended_agents=1,
        ),
        script=Script(
            "phased", (Seat(seat, "critic"),), (Round(0, "Opening"),), (turn,), ((seat, "P1"),)
        ),
        cast={seat: ("scripted",)},
        material=Material(MaterialKind.DIFF, title, text, private=private),
        terms=Terms("majority", 0.5, 1),
        at=AT,
    )


def started(turn: str = "r1.critic") -> TurnStarted:
    return TurnStarted(TurnId(turn))


def finished(turn: str = "r1.critic", text: str = "It leaks.") -> TurnFinished:
    return TurnFinished(
        TurnId(turn), Statement(text, Stance("approve", 0.75)), Usage(100, 0, 20, 0.002), "scripted"
    )


async def new_log(db: Database, id: str = "d1", place: str = "slack:T1/C1") -> DebateLog:
    """Begins a debate and claims it for a writer, whose name is "me"."""
    await Debates(db).create(requested(id, place), id)
    return await Debates(db).claim(id, "me")


def old_database(address: str, migration: str, rows: Mapping[str, Iterable[Row]]) -> None:
    """Puts a database of an earlier migration, with these rows by their table, in the place of
    today's.
    """
    url = database_url(address)
    if file := sqlite_file(url):
        create_private(file)
    engine = create_engine(url, begin="BEGIN IMMEDIATE", size=1, foreign_keys=False, lock_ms=LONG)
    with engine.begin() as conn:
        METADATA.drop_all(conn)
        conn.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
        schema.migrate(conn, migration)
    old = sa.MetaData()
    old.reflect(engine, only=list(rows))
    with engine.begin() as conn:
        for table in old.sorted_tables:
            if table.name == "compatible":
                conn.execute(sa.delete(table))
            for row in rows[table.name]:
                conn.execute(table.insert(), _typed(table, row))
    engine.dispose()


def _typed(table: sa.Table, row: Row) -> dict[str, object]:
    """Returns a row for its table: moments may be texts."""
    return {
        name: datetime.fromisoformat(value).replace(tzinfo=UTC)
        if isinstance(value, str) and isinstance(table.c[name].type, sa.DateTime)
        else value
        for name, value in row.items()
    }
