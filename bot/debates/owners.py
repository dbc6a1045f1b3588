"""The process that plays a debate, as the store names it: ``host:process id``.

Only processes of this machine can be looked up; of others the store has nothing but their
heartbeats.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from core.application.listing import DebateLine
from core.debate.status import PLAYED, DebateStatus


def this_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def abandoned(owner: str, mine: str) -> bool:
    """True if certainly no process plays a debate: it has no owner, or one of this machine that has
    ended.
    """
    if not owner:
        return True
    return _on_machine_of(owner, mine) and owner != mine and not played_elsewhere(owner, mine)


def needs_resuming(line: DebateLine, mine: str) -> bool:
    """True if a debate continues only after ``resume``: it is paused, or certainly no process plays
    it to its end or stores the outcome that it has come to.
    """
    if line.status == DebateStatus.PAUSED:
        return True
    return (line.status in PLAYED or line.owner != "") and abandoned(line.owner, mine)


def played_elsewhere(owner: str, mine: str) -> bool:
    """True if another living process of this machine holds a debate (for example a shell that was
    there before the bot).
    """
    pid = owner.rpartition(":")[2]
    if not owner or owner == mine or not _on_machine_of(owner, mine) or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(int(pid))


def _on_machine_of(owner: str, mine: str) -> bool:
    return owner.rpartition(":")[0] == mine.rpartition(":")[0]


def _is_zombie(pid: int) -> bool:
    """True if a process has ended and its parent has not collected it yet; None if the system does
    not say.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        return stat.rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return False
