"""The outcomes of debates that are over, and which of them somebody has judged since.

A projection: every row can be made again from the events. What a document looks like is the core's
matter; the columns beside it are taken from the document's own members.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from storage.database import Database, put, upsert
from storage.tables import DEBATE, OUTCOME


@dataclass(frozen=True, slots=True)
class Outcome:
    """One debate's result.

    ``held`` is what a person said later about the verdict, None: nobody has.
    """

    debate: str
    template: str
    decision: str
    place: str
    private: bool
    held: bool | None
    concluded_at: datetime
    document: Mapping[str, Any]


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
        """Adds or replaces the outcome of a debate.

        Raises ``KeyError`` for a debate that the store does not hold.
        """

        judged = {"held": held, "concluded_at": concluded_at}
        await self._db.write_together(_save, _outcome_row(debate, document) | judged)

    async def get(self, debate: str) -> Outcome | None:
        query = sa.select(OUTCOME).where(OUTCOME.c.debate_id == debate)
        row = await self._db.read(lambda conn: conn.execute(query).one_or_none())
        if row is None:
            return None
        return Outcome(
            row.debate_id,
            row.template,
            row.decision,
            row.place,
            row.private,
            row.held,
            row.concluded_at,
            row.document,
        )

    async def resolved(self) -> list[str]:
        """The debates of whose verdict somebody said that it held or did not, the oldest first."""
        query = (
            sa.select(OUTCOME.c.debate_id)
            .where(OUTCOME.c.held.is_not(None))
            .order_by(OUTCOME.c.concluded_at, OUTCOME.c.debate_id)
        )
        return list(await self._db.read(lambda conn: conn.execute(query).scalars().all()))


def _save(conn: sa.Connection, rows: list[dict[str, Any]]) -> None:
    query = sa.select(DEBATE.c.id, DEBATE.c.place, DEBATE.c.private)
    query = query.where(DEBATE.c.id.in_([row["debate_id"] for row in rows]))
    known = {row.id: {"place": row.place, "private": row.private} for row in conn.execute(query)}
    last = {row["debate_id"]: row | known[row["debate_id"]] for row in rows}
    put(conn, upsert(conn, OUTCOME), [*last.values()])


def _outcome_row(debate: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that are taken from the outcome document; a member that it lacks is empty."""
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
