"""Time that nobody sets, by which claims and waits are counted: a wall clock that jumps neither
ends nor prolongs them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

Instant = datetime | sa.ColumnElement[datetime]
"""A time, or an expression that PostgreSQL evaluates to its own time while it runs a statement."""
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""A due time that has passed on every clock, for rows that wait for nothing."""
SERVER_TIME: sa.ColumnElement[datetime] = sa.func.statement_timestamp(
    type_=sa.DateTime(timezone=True)
)


def utc_now() -> datetime:
    return datetime.now(UTC)


def steady_clock() -> Callable[[], datetime]:
    """Returns a clock that begins at the present time and continues evenly, also while the machine
    sleeps.
    """
    start, begun = utc_now(), _since_boot()
    return lambda: start + timedelta(seconds=_since_boot() - begun)


def _since_boot() -> float:
    """Returns the seconds since this machine started, without its sleep if the system does not
    count that.
    """
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):  # of Linux; of macOS, where it counts sleep
        if (clock := getattr(time, name, None)) is not None:
            return time.clock_gettime(clock)
    return time.monotonic()
