"""The tools that seats may use in addition to the material, in the process that will play their
debate.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.languages import msgid
from storage.database.lock import RunnerLock

NOT_ALLOWED = msgid(
    "--prove runs tests, and the operator has not said where: set DEBATE_PROVE=sandbox or "
    "DEBATE_PROVE=ci, or leave --prove out."
)
SEARCHES, LOOKS_UP, PROVES = "search", "lookups", "proofs"


@dataclass(frozen=True, slots=True)
class Tools:
    """``searching`` allows web search, ``looking`` the repository of the change, ``proving`` tests
    that are run. If another process holds the ``lock``, that process plays, and its permissions
    count instead.
    """

    searching: bool = True
    looking: bool = False
    lock: RunnerLock | None = None
    proving: bool = False

    @property
    def names(self) -> list[str]:
        """Returns the names of the tools that this process allows."""
        allowed = {SEARCHES: self.searching, LOOKS_UP: self.looking, PROVES: self.proving}
        return [name for name, allows in allowed.items() if allows]

    def allow(self, name: str) -> bool:
        """True if the process that will play the debate allows a tool."""
        there = self.lock.allowed() if self.lock is not None else None
        return name in (self.names if there is None else there)
