"""The runtimes, which decide when ``advance`` is called.

They are one small port with two engines, and the database chooses: only this process on a SQLite
file, any number of replicas on PostgreSQL.
"""

from __future__ import annotations

from typing import Protocol


class Runtime(Protocol):
    """Calls ``advance``. ``wake`` may be called for any debate at any time, from the event loop;
    waking one that needs nothing is harmless.
    """

    async def start(self) -> None:
        """Begins to advance debates, without waiting for the unfinished ones. Raises ``BadInput``
        if another runner has the database.
        """
        ...

    def missing(self) -> str:
        """Returns "" once all unfinished debates are resumed, else how far that is."""
        ...

    def playing(self) -> int:
        """Returns how many debates it is playing."""
        ...

    def wake(self, debate: str) -> None: ...

    async def drain(self, seconds: float) -> None:
        """Starts nothing new and releases each debate once no seat is speaking in it, for a limited
        number of seconds; ``stop`` releases the rest.
        """
        ...

    async def stop(self) -> None:
        """Releases every debate within seconds; the next start resumes those that were running."""
        ...
