"""Heartbeats while a debate is being worked on: a process that was taken for dead and finds another
writer stops at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from core.debate.errors import Fenced, StoreAway
from storage.events.log import DebateLog

logger = logging.getLogger(__name__)


@asynccontextmanager
async def heartbeats(log: DebateLog, every: float) -> AsyncIterator[None]:
    """Writes a heartbeat every ``every`` seconds while the block runs, and releases the debate when
    the block is cancelled. Raises ``Fenced`` inside the block where another writer took over.
    """
    owner = asyncio.current_task()
    fenced = False

    async def beat() -> None:
        nonlocal fenced
        while True:
            await asyncio.sleep(every)
            try:
                await log.heartbeat()
            except Fenced:
                fenced = True
                if owner is not None:
                    owner.cancel()
                return
            except StoreAway:  # the next one tries again
                facts = {"action": "heartbeat", "debate": log.debate}
                logger.warning("a sign of life failed: the database does not answer", extra=facts)
            except Exception:  # the next one tries again
                logger.exception(
                    "a sign of life failed", extra={"action": "heartbeat", "debate": log.debate}
                )

    beating = asyncio.create_task(beat(), name=f"{log.debate}:heartbeat")
    try:
        yield
    except asyncio.CancelledError:
        if fenced and owner is not None and owner.uncancel() == 0:
            raise Fenced(log.debate) from None
        with suppress(Fenced):
            await log.release()
        raise
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
