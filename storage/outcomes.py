"""The outcomes of debates that are over, for lists, search, ratings and calibration.

A projection: every row can be made again from the events, and ``rebuild`` does so. What a document
looks like is the core's matter; the columns beside it are taken from the document's own members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.events import DebateConcluded, Event, OutcomeResolved
from storage.database import Database, upsert
from storage.debates import Debates
from storage.tables import DebateRow, OutcomeRow, table

_OUTCOME, _DEBATE = table(OutcomeRow), table(DebateRow)

DocumentOf = Callable[[Sequence[Event]], Mapping[str, Any] | None]
"""The outcome document of a debate's events; None while it is not over."""


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

        def work(conn: sa.Connection) -> None:
            known = conn.execute(
                sa.select(_DEBATE.c.place, _DEBATE.c.private).where(_DEBATE.c.id == debate)
            ).one_or_none()
            if known is None:
                raise KeyError(debate)
            own = {
                "place": known.place,
                "private": known.private,
                "held": held,
                "concluded_at": concluded_at,
            }
            conn.execute(upsert(conn, _OUTCOME), _outcome_row(debate, document) | own)

        await self._db.write(work)

    async def get(self, debate: str) -> Outcome | None:
        found = await self._outcomes(sa.select(_OUTCOME).where(_OUTCOME.c.debate_id == debate))
        return next(iter(found), None)

    async def search(
        self,
        *,
        template: str = "",
        decision: str = "",
        text: str = "",
        place: str = "",
        private: bool = False,
        since: datetime | None = None,
        limit: int = 50,
    ) -> list[Outcome]:
        """Newest first. ``text`` is looked for in titles and sources; those of private material
        only come with ``private``.
        """
        query = (
            sa.select(_OUTCOME)
            .order_by(_OUTCOME.c.concluded_at.desc(), _OUTCOME.c.debate_id)
            .limit(limit)
        )
        for column, wanted in (
            (_OUTCOME.c.template, template),
            (_OUTCOME.c.decision, decision),
            (_OUTCOME.c.place, place),
        ):
            if wanted:
                query = query.where(column == wanted)
        if text:
            query = query.where(
                _OUTCOME.c.title.icontains(text, autoescape=True)
                | _OUTCOME.c.source.icontains(text, autoescape=True)
            )
        if not private:
            query = query.where(~_OUTCOME.c.private)
        if since is not None:
            query = query.where(_OUTCOME.c.concluded_at >= since)
        return await self._outcomes(query)

    async def documents(self, template: str = "") -> list[Outcome]:
        """All outcomes, oldest first: what ratings and calibration are computed from."""
        query = sa.select(_OUTCOME).order_by(_OUTCOME.c.concluded_at, _OUTCOME.c.debate_id)
        return await self._outcomes(
            query.where(_OUTCOME.c.template == template) if template else query
        )

    async def rebuild(self, document_of: DocumentOf) -> int:
        """Makes every row again from the events, one debate at a time; how many there are now."""
        debates = Debates(self._db)
        query = sa.select(_DEBATE.c.id, _DEBATE.c.updated_at).order_by(_DEBATE.c.created_at)
        made = 0
        for id, updated_at in await self._db.read(lambda conn: conn.execute(query).all()):
            events = await debates.load(id)
            if (document := document_of(events)) is not None:
                concluded = [event.at for event in events if isinstance(event, DebateConcluded)]
                held = [event.held for event in events if isinstance(event, OutcomeResolved)]
                await self.save(
                    id,
                    document,
                    concluded[-1] if concluded else updated_at,
                    held[-1] if held else None,
                )
                made += 1
            else:
                await self._drop(id)
        return made

    async def _drop(self, debate: str) -> None:
        drop = sa.delete(_OUTCOME).where(_OUTCOME.c.debate_id == debate)
        await self._db.write(lambda conn: conn.execute(drop).rowcount)

    async def _outcomes(self, query: sa.Select[Any]) -> list[Outcome]:
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return [
            Outcome(
                row.debate_id,
                row.template,
                row.decision,
                row.place,
                row.private,
                row.held,
                row.concluded_at,
                row.document,
            )
            for row in rows
        ]


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
