"""``debate serve``: the bot from its start until a signal stops it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from importlib import import_module

from adapters.models import Vendors
from adapters.models.agents import require_none
from adapters.models.catalogue import keys
from adapters.redaction import clean
from adapters.room.outgoing.layout import compile_pages
from adapters.terminal.printing import put
from adapters.tracing.collector import exported_spans
from bot.doctor import read_settings
from bot.jobs import Periodic
from bot.plugins import load_plugins
from bot.room.invitations import make_link
from bot.serve.collecting import LOOK, Sweep, keep, settle
from bot.serve.journal import open_journal
from bot.serve.stopping import STOPPING, stop_signal
from bot.settings import Settings
from bot.shell.links import ONCE
from bot.shell.maintain import require_only
from bot.shell.person import person
from bot.wire.bot import open_bot
from core.application.check import DoctorState
from core.debate.errors import BadInput
from storage.database import Database

logger = logging.getLogger(__name__)
_GRACE = 7.0
"""Seconds in which deliveries under way arrive."""
TAKE_TURNS = 0.0005
"""Seconds that one thread computes while another waits to. The database's threads release the
interpreter at every statement; at Python's five milliseconds a commit of twenty debates waits for
ten times its work while the loop is busy.
"""


async def serve(typed: Sequence[str], settings: Settings) -> int:
    """Runs the bot until SIGTERM or SIGINT. Raises ``BadInput`` or ``CouldNotFinish`` when it can't
    start.
    """
    require_only(typed, (), "serve")
    open_journal(settings.log_level, (*settings.secrets, *keys.secrets(settings.env)), clean)
    sys.setswitchinterval(TAKE_TURNS)
    async with exported_spans(os.environ):
        return await _serve(settings)


async def _serve(settings: Settings) -> int:
    require_none(settings.models)
    requested, hurried = stop_signal(STOPPING, settings.drain)
    async with open_bot(settings) as (parts, bot):
        try:
            settle()
            if not await completed(bot.start(settings.host, settings.port), "start", requested):
                return 0
            facts = {
                "action": "started",
                "address": bot.address,
                "platforms": sorted(bot.platforms),
                "models": list(parts.models.default()),
            }
            logger.info("the bot runs", extra=facts)
            for plugin in load_plugins(settings.plugins).failures:
                logger.warning(plugin.sentence, extra={"action": "plugin_not_loaded"})
            await tell_link(settings, parts.stores.database, bot.address)
            warming = asyncio.create_task(_settle_in(settings, parts.models), name="warm")
            bot.jobs.add("collect", Periodic(Sweep(bot.quiet).look, LOOK))
            await requested.wait()
            warming.cancel()
            if settings.drain:
                logger.info("draining", extra={"action": "draining", "seconds": settings.drain})
                try:
                    await completed(bot.drain(settings.drain), "drain", hurried)
                except Exception:
                    logger.exception("draining failed", extra={"action": "draining"})
        finally:
            logger.info("stopping", extra={"action": "stopping"})
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await bot.stop()
    return 0


async def completed(step: Coroutine[None, None, None], name: str, signalled: asyncio.Event) -> bool:
    """Takes a step; returns False, and cancels it, if a signal came before it was done. Raises the
    step's own errors.
    """
    stepping = asyncio.create_task(step, name=name)
    waiting = asyncio.create_task(signalled.wait(), name="signal")
    try:
        await asyncio.wait({stepping, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if stepping.done():
            await stepping
        return stepping.done()
    finally:
        for task in (stepping, waiting):
            task.cancel()
        await asyncio.gather(stepping, waiting, return_exceptions=True)


async def tell_link(settings: Settings, database: Database, address: str) -> None:
    """Prints the link into the room to the terminal; a log gets it only if that was requested."""
    on_terminal = sys.stdout.isatty()
    if not on_terminal and not settings.print_link:
        logger.info("to get in, type `debate open` here", extra={"action": "link"})
        return
    try:
        link = await make_link(database, settings, address, person())
    except BadInput as error:
        logger.warning(str(error), extra={"action": "link"})
        return
    if on_terminal:
        put(f"\nOpen this link to get in:\n\n    {link}\n\n{ONCE}\n")
        sys.stdout.flush()
    else:
        logger.info("open this link to get in", extra={"action": "link", "link": link})


async def _settle_in(settings: Settings, models: Vendors) -> None:
    await asyncio.to_thread(log_broken, settings, models)
    await warm(models)


def log_broken(settings: Settings, models: Vendors) -> None:
    """Logs the settings that the doctor calls broken."""
    for check in read_settings(settings):
        if check.state is DoctorState.BROKEN:
            facts = {"action": "setting", "part": check.part, "next": check.next}
            logger.warning(check.what, extra=facts)
    for name in models.default():
        try:
            models.get(name)
        except BadInput as error:
            logger.warning(str(error), extra={"action": "setting", "part": "model"})


async def warm(models: Vendors) -> None:
    """Loads modules that the first page and the first turn would otherwise wait for. A failure
    costs only that time.
    """
    await asyncio.to_thread(compile_pages)
    await asyncio.to_thread(import_module, "markdown_it")  # the first post splits Markdown
    try:
        await models.warm(models.default())
    except Exception:  # the first turn says what is wrong, to the people who asked
        logger.exception("warming up failed", extra={"action": "warm"})
    keep()
