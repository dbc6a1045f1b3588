"""``debate serve``: the bot from its start until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import suppress

from adapters.models import Vendors
from adapters.redaction import clean
from bot.serve.journal import open_journal
from bot.settings import Settings
from bot.wire.bot import open_bot

logger = logging.getLogger(__name__)
_GRACE = 9.0
"""Seconds for stopping; whoever runs the bot kills it after ten."""
_TAKE_TURNS = 0.0005
"""Seconds that one thread computes while another waits to. The database's threads let go at every
statement; at Python's five milliseconds a commit of twenty debates waits for ten times its work
while the loop is busy.
"""


async def serve(settings: Settings) -> int:
    """Runs the bot until SIGTERM or SIGINT.

    Raises ``BadInput`` or ``CouldNotFinish`` when it can't start.
    """
    open_journal(settings.log_level, (*settings.secrets, *_provider_keys(settings)), clean)
    sys.setswitchinterval(_TAKE_TURNS)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with open_bot(settings) as (parts, bot):
        try:
            await bot.start(settings.host, settings.port)
            facts = {
                "action": "started",
                "address": bot.address,
                "platforms": sorted(bot.platforms),
                "models": list(parts.models.default()),
            }
            logger.info("the bot runs", extra=facts)
            warming = asyncio.create_task(_warm(parts.models), name="warm")
            await stopped.wait()
            warming.cancel()
        finally:
            logger.info("stopping", extra={"action": "stopping"})
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await bot.stop()
    return 0


async def _warm(models: Vendors) -> None:
    """Loads what the first turn would otherwise wait for. Failing costs only that."""
    try:
        await models.warm(models.default())
    except Exception:  # the first turn says what is wrong, to the people who asked
        logger.exception("warming up failed", extra={"action": "warm"})


def _provider_keys(settings: Settings) -> tuple[str, ...]:
    from adapters.models.catalogue.keys import secrets

    return tuple(secrets(settings.env))
