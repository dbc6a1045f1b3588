"""Being told to stop, and being gone in time whatever goes on: an orderly stop can wait for a
thread in the middle of a long question, for a disk or for a platform, and then nothing is lost by
going without it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from types import FrameType

STOPPING = 9.5
"""Seconds from the signal to the end of the process; whoever runs the bot kills it after ten."""
logger = logging.getLogger(__name__)


def stop_signal(seconds: float) -> asyncio.Event:
    """Set by SIGTERM or SIGINT, after which the process has so many seconds. The signal is heard
    while the event loop is busy, too.
    """
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()

    def hear(_number: int, _frame: FrameType | None) -> None:
        leaving = threading.Timer(seconds, _leave, (seconds,))
        leaving.daemon = True
        leaving.start()
        loop.call_soon_threadsafe(stopped.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    return stopped


def _leave(seconds: float) -> None:
    """The end without courtesy, which is what a crash is and loses nothing either."""
    logger.warning(
        "stopping took longer than %g s; what was going on goes on at the next start",
        seconds,
        extra={"action": "stopping_cut"},
    )
    os._exit(0)
