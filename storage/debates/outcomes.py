"""Stores the outcomes of finished debates, and people's later word on them.

It is a projection: every row can be made again from the events. The core defines the document; its
columns are copied from the document's own members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from core.debate.verdict.condition import WHAT_IF
from storage.database import Database, in_places, upsert, value_of
from storage.tables import DEBATE, OUTCOME

_MECHANISM = sa.func.coalesce(OUTCOME.c.document["verdict"]["mechanism"].as_string(), "")
_AS_THINGS_ARE = _MECHANISM.not_like(f"{WHAT_IF}%")
"""Leaves out what-ifs, which decide nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One debate's result. ``held`` is a person's later word on the verdict, None while there is
    none.
    """

    debate: str
    template: str
    decision: str
    place: str
    private: bool
    held: bool | None
    concluded_at: datetime
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision of a debate: an option, its mechanism, whether it was reached, and whether a
    demonstration model took part.
    """

    decision: str
    mechanism: str
    reached: bool
    demo: bool = False


class Outcomes:
    """The outcomes of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def save(
        self,
        debate: str,
        document: Mapping[str, Any],
        concluded_at: datetime,
        held: bool | None = None,
    ) -> None:
        """Adds or replaces the outcome of a debate. Raises ``KeyError`` for a debate that the store
        does not hold.
        """

        row = _outcome_row(debate, document) | {"held": held, "concluded_at": concluded_at}
        of = sa.select(DEBATE.c.place, DEBATE.c.private).where(DEBATE.c.id == debate)

        def work(conn: sa.Connection) -> None:
            known = conn.execute(of).mappings().one_or_none()
            if known is None:
                raise KeyError(debate)
            conn.execute(upsert(conn, OUTCOME), row | dict(known))

        await self._db.write(work)

    async def get(self, debate: str) -> Outcome | None:
        query = sa.select(OUTCOME).where(OUTCOME.c.debate_id == debate)
        row = await self._db.one(query)
        if row is None:
            return None
        return value_of(Outcome, row, debate=row.debate_id)

    async def panels(self, limit: int) -> list[tuple[Mapping[str, Any], bool | None]]:
        """Returns the measures of the newest finished panels, and whether each verdict held: the
        members ``complexity``, ``metrics``, ``cost``, ``useful``, ``demo`` and ``status`` of their
        documents.
        """
        members = [
            OUTCOME.c.document[name].label(name)
            for name in ("complexity", "metrics", "cost", "useful", "demo", "status")
        ]
        query = (
            sa.select(*members, OUTCOME.c.held)
            .where(OUTCOME.c.format == "panel", _AS_THINGS_ARE)
            .order_by(OUTCOME.c.concluded_at.desc(), OUTCOME.c.debate_id.desc())
            .limit(limit)
        )
        return [(row._asdict(), row.held) for row in await self._db.rows(query)]

    async def kinds(
        self, limit: int, within: Sequence[str] | None = None
    ) -> list[tuple[str, Mapping[str, Any], bool | None]]:
        """Returns, for each of the newest finished debates, its template, cost and usefulness (the
        members ``cost``, ``useful``, ``demo`` and ``status`` of its document), and whether its
        verdict held; only in places that begin with one of ``within``, if given.
        """
        members = [
            OUTCOME.c.document[name].label(name) for name in ("cost", "useful", "demo", "status")
        ]
        query = (
            sa.select(OUTCOME.c.template, *members, OUTCOME.c.held)
            .where(_AS_THINGS_ARE, in_places(OUTCOME.c.place, within))
            .order_by(OUTCOME.c.concluded_at.desc(), OUTCOME.c.debate_id.desc())
            .limit(limit)
        )
        rows = await self._db.rows(query)
        return [(row.template, row._asdict(), row.held) for row in rows]

    async def decided(self, among: Sequence[str]) -> Mapping[str, Decided]:
        """Returns the decisions of the finished ones among these debates, by their ids."""
        mechanism = OUTCOME.c.document["verdict"]["mechanism"].as_string().label("mechanism")
        demo = OUTCOME.c.document["demo"].as_boolean().label("demo")
        query = sa.select(
            OUTCOME.c.debate_id, OUTCOME.c.decision, mechanism, OUTCOME.c.reached, demo
        )
        query = query.where(OUTCOME.c.debate_id.in_(among), OUTCOME.c.decision != "")
        rows = await self._db.rows(query)
        return {
            row.debate_id: Decided(
                row.decision, row.mechanism or "", reached=bool(row.reached), demo=bool(row.demo)
            )
            for row in rows
        }

    async def resolved(self, limit: int) -> list[str]:
        """Returns the debates of which a person said whether the verdict held: the newest ones, the
        oldest of them first.
        """
        newest = (
            sa.select(OUTCOME.c.debate_id, OUTCOME.c.concluded_at)
            .where(OUTCOME.c.held == held)
            .order_by(OUTCOME.c.concluded_at.desc(), OUTCOME.c.debate_id.desc())
            .limit(limit)
            for held in (True, False)
        )
        rows: list[sa.Row[Any]] = []
        for query in newest:
            rows += await self._db.rows(query)
        rows.sort(key=lambda row: (row.concluded_at, row.debate_id))
        return [row.debate_id for row in rows[-limit:]]

    async def find_asked(self, among: Sequence[str], day: date) -> set[str]:
        """Returns those of some debates whose ``day`` for asking has come, although no person has
        said whether the verdict held.
        """
        due = OUTCOME.c.document["follow_up"]["date"].as_string()
        query = sa.select(OUTCOME.c.debate_id, OUTCOME.c.held)
        query = query.where(OUTCOME.c.debate_id.in_(among), due <= day.isoformat())
        # asked for in the query, `held` would have SQLite read every outcome that nobody judged
        rows = await self._db.rows(query)
        return {row.debate_id for row in rows if row.held is None}


def _outcome_row(debate: str, document: Mapping[str, Any]) -> dict[str, Any]:
    verdict, material = document.get("verdict") or {}, document.get("material") or {}
    return {
        "debate_id": debate,
        "template": document.get("template", ""),
        "format": document.get("format", ""),
        "status": document.get("status", ""),
        "because": document.get("ended_because") or "",
        "decision": verdict.get("decision") or "",
        "reached": bool(verdict.get("reached")),
        "title": material.get("title") or "",
        "source": material.get("source") or "",
        "cost": (document.get("cost") or {}).get("usd"),
        "document": dict(document),
    }
