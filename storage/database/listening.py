"""Notifies other processes over PostgreSQL that a debate has news, and listens for that, again
whenever the connection breaks. ``storage.commands`` listens.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import sqlalchemy as sa

CHANNEL = "debates"
_NOTIFY = sa.text("SELECT pg_notify(:channel, :debate)")
_log = logging.getLogger(__name__)
_RECONNECT = 1.0  # seconds


def notify(conn: sa.Connection, debate: str) -> None:
    """Notifies every listening replica of the debate when the transaction commits; SQLite has
    none.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(_NOTIFY, {"channel": CHANNEL, "debate": debate})


async def keep_listening(listen: Callable[[], Awaitable[None]], action: str, what: str) -> None:
    """Runs ``listen`` until it is cancelled, and again whenever it fails; each failure is logged
    with ``what``.
    """
    while True:
        try:
            await listen()
        except Exception:  # noqa: BLE001 (whatever breaks the connection, it is made again)
            facts = {"action": action}
            _log.warning("Listening %s broke off; trying again.", what, extra=facts, exc_info=True)
        await asyncio.sleep(_RECONNECT)


async def end(*tasks: asyncio.Task[None]) -> None:
    """Cancels tasks and waits until they have ended. It cancels again every second, because a wait
    whose result arrives at the same moment swallows a cancellation (``asyncio.wait_for`` before
    Python 3.12, which connection pools use).
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_RECONNECT)
