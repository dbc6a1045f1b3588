"""Ends the process in time after a signal, whatever is going on.

An orderly stop can wait for a thread in the middle of a long query, for a disk or for a platform;
then the process ends without it, which loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from types import FrameType

STOPPING = 9.5
"""Seconds from the signal to the end of the process; supervisors kill it after ten."""
logger = logging.getLogger(__name__)


def stop_signal(seconds: float, first: float) -> tuple[asyncio.Event, asyncio.Event]:
    """Returns the events that the first SIGTERM or SIGINT sets and a second one.

    After the signal the process has a limited number of seconds, and ``first`` seconds more unless
    it is hurried. The signal is received while the event loop is busy, too.
    """
    requested, hurried, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()
    hurry = False

    def hear(_number: int, _frame: FrameType | None) -> None:
        nonlocal hurry
        left = seconds if hurry else seconds + first
        leaving = threading.Timer(left, _leave, (left,))
        leaving.daemon = True
        leaving.start()
        loop.call_soon_threadsafe((hurried if hurry else requested).set)
        hurry = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    return requested, hurried


def _leave(seconds: float) -> None:
    """Ends the process at once, as a crash does; neither loses anything."""
    logger.warning(
        "stopping took longer than %g s; running work continues at the next start",
        seconds,
        extra={"action": "stopping_cut"},
    )
    os._exit(0)
