"""Begins listening again whenever its connection breaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

_log = logging.getLogger(__name__)
_RECONNECT = 1.0  # seconds


async def keep_listening(listen: Callable[[], Awaitable[None]], action: str, what: str) -> None:
    """Runs ``listen`` until it is cancelled, again whenever it fails; the log tells that listening
    ``what`` broke off.
    """
    while True:
        try:
            await listen()
        except Exception as error:  # noqa: BLE001 (whatever breaks the connection, it is made again)
            facts = {"action": action, "error": repr(error)}
            _log.warning("Listening %s broke off; trying again.", what, extra=facts)
        await asyncio.sleep(_RECONNECT)
