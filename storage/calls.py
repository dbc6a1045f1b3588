"""What model calls cost, summed for budgets. The rows are written by ``storage.log``, in the commits of the events they led to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from storage.database import Database
from storage.tables import CallRow, DebateRow, table

_CALL, _DEBATE = table(CallRow), table(DebateRow)


@dataclass(frozen=True, slots=True)
class Spent:
    """``usd`` of the calls with a known price; ``unpriced`` counts the others, ``open`` those that were begun and not settled."""

    usd: float
    calls: int
    unpriced: int
    open: int


class Spending:
    """Sums over every debate of the database. Failed attempts that cost money count."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def since(self, start: datetime, *, asker: str = "", place: str = "") -> Spent:
        """What was spent since ``start`` (the day, the week), by one person or in one place where given."""
        settled = _CALL.c.state != "intent"
        query = sa.select(
            sa.func.coalesce(sa.func.sum(_CALL.c.usd).filter(settled), 0.0),
            sa.func.count().filter(settled),
            sa.func.count().filter(settled, _CALL.c.usd.is_(None)),
            sa.func.count().filter(~settled),
        ).where(_CALL.c.at >= start)
        if asker or place:
            query = query.join_from(_CALL, _DEBATE, _CALL.c.debate_id == _DEBATE.c.id)
        if asker:
            query = query.where(_DEBATE.c.asker == asker)
        if place:
            query = query.where(_DEBATE.c.place == place)
        usd, calls, unpriced, begun = await self._db.read(lambda conn: conn.execute(query).one())
        return Spent(float(usd), calls, unpriced, begun)
