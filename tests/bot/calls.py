"""Reads the calls and their costs from a database."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bot.wire.parts import Parts
from storage.tables import CALL


async def spent(parts: Parts, since: datetime) -> float:
    """Returns the USD of the calls with a known price since then."""
    query = sa.select(sa.func.sum(CALL.c.usd)).where(CALL.c.at >= since)
    usd: float | None = await parts.stores.database.read(lambda conn: conn.execute(query).scalar())
    return usd or 0.0


async def states(parts: Parts) -> list[str]:
    """Returns the state of each call."""
    query = sa.select(CALL.c.state)
    return list(await parts.stores.database.read(lambda conn: conn.execute(query).scalars().all()))
