"""Who calls ``advance``, and when.

One small port with two engines; the database's URL alone chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.wire import House


class Runtime(Protocol):
    """``wake`` may be called for any debate at any time, from the event loop; waking one that needs
    nothing is harmless.
    """

    async def start(self) -> None:
        """Begins to advance debates. Raises ``BadInput`` where another runner has the database."""
        ...

    def wake(self, debate: str) -> None: ...

    async def stop(self) -> None:
        """Lets go of every debate within seconds; what was running goes on at the next start."""
        ...


def runtime_for(house: House) -> Runtime:
    """The engine that fits the database: this process alone on a SQLite file, any number of
    replicas on PostgreSQL.
    """
    if house.database.sqlite:
        from bot.serve.runtime.local import LocalRuntime

        return LocalRuntime(house)
    from bot.serve.runtime.procrastinate import ReplicaRuntime

    return ReplicaRuntime(house)
