"""Stores what became of each finding, as ``verdict.learned.judged`` reads it from a debate.

Every row can be made again from the events, so saving it twice changes nothing. A finding that
several debates on one change know counts once, by what was learned last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from core.debate.verdict.learned.judged import FindingOutcome
from storage.database import Database, in_places, put, upsert, value_of
from storage.tables import DEBATE, FINDING_OUTCOME

MOST = 5_000
"""The most judged findings that are read, the newest ones."""


class JudgedFindings:
    """The judged findings of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def save(
        self,
        debate: str,
        template: str,
        repository: str,
        change: str,
        outcomes: Sequence[FindingOutcome],
    ) -> None:
        """Replaces what is stored of a debate's findings. ``change`` names the pull request, or the
        debate itself.
        """
        rows = [
            {
                "debate_id": debate,
                "mark": one.mark,
                "repository": repository,
                "change": change,
                "template": template,
                "category": one.category,
                "demanded": one.demanded,
                "stated": one.stated,
                "forecast": one.forecast,
                "became": one.became,
                "at": one.at,
            }
            for one in {one.mark: one for one in outcomes}.values()
        ]

        def work(conn: sa.Connection) -> None:
            marks = [row["mark"] for row in rows]
            conn.execute(
                sa.delete(FINDING_OUTCOME).where(
                    FINDING_OUTCOME.c.debate_id == debate, FINDING_OUTCOME.c.mark.not_in(marks)
                )
            )
            put(conn, upsert(conn, FINDING_OUTCOME), rows)

        await self._db.write(work)

    async def of(
        self, within: Sequence[str] | None = None, *, repository: str = "", template: str = ""
    ) -> list[FindingOutcome]:
        """Returns the judged findings, the oldest first: those of places that begin with one of
        ``within`` and, if given, of the repository or of the template.
        """
        finding = FINDING_OUTCOME.c
        query = (
            sa.select(FINDING_OUTCOME, DEBATE.c.place, DEBATE.c.private)
            .join(DEBATE, DEBATE.c.id == finding.debate_id)
            .where(finding.became != "", in_places(DEBATE.c.place, within))
            .order_by(finding.at.desc(), finding.debate_id.desc(), finding.mark)
            .limit(MOST)
        )
        either = [
            column == value
            for column, value in ((finding.repository, repository), (finding.template, template))
            if value
        ]
        if either:
            query = query.where(sa.or_(*either))
        rows = await self._db.rows(query)
        newest: dict[tuple[str, str], sa.Row[Any]] = {}
        for row in rows:
            newest.setdefault((row.change, row.mark), row)
        return [value_of(FindingOutcome, row) for row in reversed(newest.values())]
