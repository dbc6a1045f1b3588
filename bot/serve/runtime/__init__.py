"""Who calls ``advance``, and when.

One small port with two engines; the database alone chooses: this process alone on a SQLite file,
any number of replicas on PostgreSQL.
"""

from __future__ import annotations

from typing import Protocol


class Runtime(Protocol):
    """``wake`` may be called for any debate at any time, from the event loop; waking one that needs
    nothing is harmless.
    """

    async def start(self) -> None:
        """Begins to advance debates, without waiting for those that were left unfinished. Raises
        ``BadInput`` where another runner has the database.
        """
        ...

    def missing(self) -> str:
        """ "" once what was left unfinished is taken up, else how far that is."""
        ...

    def playing(self) -> int:
        """How many debates it has in hand."""
        ...

    def wake(self, debate: str) -> None: ...

    async def drain(self, seconds: float) -> None:
        """Takes up nothing more and lets go of each debate once nobody speaks in it: for so many
        seconds at most, the rest is for ``stop``.
        """
        ...

    async def stop(self) -> None:
        """Lets go of every debate within seconds; what was running goes on at the next start."""
        ...
