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
from dataclasses import dataclass, field
from types import FrameType

STOPPING = 9.5
"""Seconds from the signal to the end of the process; whoever runs the bot kills it after ten."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stop:
    """``asked`` is set by the first signal, ``hurried`` by a second one."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    hurried: asyncio.Event = field(default_factory=asyncio.Event)


def stop_signal(seconds: float, first: float = 0.0) -> Stop:
    """Set by SIGTERM or SIGINT, after which the process has so many seconds, and ``first`` seconds
    more unless it is hurried. The signal is heard while the event loop is busy, too.
    """
    stop, loop = Stop(), asyncio.get_running_loop()
    told = False

    def hear(_number: int, _frame: FrameType | None) -> None:
        nonlocal told
        left = seconds if told else seconds + first
        leaving = threading.Timer(left, _leave, (left,))
        leaving.daemon = True
        leaving.start()
        loop.call_soon_threadsafe((stop.hurried if told else stop.asked).set)
        told = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    return stop


def _leave(seconds: float) -> None:
    """The end without courtesy, which is what a crash is and loses nothing either."""
    logger.warning(
        "stopping took longer than %g s; what was going on goes on at the next start",
        seconds,
        extra={"action": "stopping_cut"},
    )
    os._exit(0)
