"""The states of a debate, and which of them belong together."""

from __future__ import annotations

from enum import StrEnum


class DebateStatus(StrEnum):
    """The state of a debate, as the outcome document names it."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"  # the verdict stands, and votes still count
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


PLAYED = (DebateStatus.QUEUED, DebateStatus.RUNNING)
"""The states in which a process plays the debate, or should."""
UNDECIDED = (*PLAYED, DebateStatus.PAUSED)
"""The states before a verdict."""
LIVE = (*UNDECIDED, DebateStatus.WAITING)
"""The states in which something can still happen."""
ENDED = (DebateStatus.FINISHED, DebateStatus.STOPPED, DebateStatus.FAILED)
