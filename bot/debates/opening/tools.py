"""What seats may use beside the material, in the process that will play their debate."""

from __future__ import annotations

from dataclasses import dataclass

from storage.database.lock import RunnerLock

SEARCHES, LOOKS_UP = "search", "lookups"


@dataclass(frozen=True, slots=True)
class Tools:
    """``searching`` allows the web, ``looking`` the repository of the change. Where another process
    holds the ``lock`` it plays, and what that one allows counts instead.
    """

    searching: bool = True
    looking: bool = False
    lock: RunnerLock | None = None

    @property
    def names(self) -> list[str]:
        """Of those that this process allows."""
        allowed = {SEARCHES: self.searching, LOOKS_UP: self.looking}
        return [name for name, allows in allowed.items() if allows]

    def allow(self, name: str) -> bool:
        """Whether the process that will play allows it."""
        there = self.lock.allowed() if self.lock is not None else None
        return name in (self.names if there is None else there)
