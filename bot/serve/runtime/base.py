"""The runtime, with the part that both have in common: one debate's defect must not end the others,
and a database that was away leaves no debate without a writer.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod

from bot.debates.advance import Advancer
from bot.jobs import Jobs
from core.debate.errors import Fenced, NeedsNewer, StoreAway

logger = logging.getLogger(__name__)


class Runtime(ABC):
    """Calls ``advance``. ``wake`` may be called for any debate at any time, from the event loop;
    waking one that needs nothing is harmless.
    """

    def __init__(self, advancer: Advancer, jobs: Jobs) -> None:
        self._advancer = advancer
        self._debates = advancer.debates
        self._queue = advancer.queue
        self._jobs = jobs
        self._stopping = False
        self._unreleased: set[str] = set()

    @abstractmethod
    async def start(self) -> None:
        """Begins to advance debates, without waiting for the unfinished ones. Raises ``BadInput``
        if another runner has the database.
        """

    @abstractmethod
    def missing(self) -> str:
        """Returns "" once all unfinished debates are resumed, else how far that is."""

    @abstractmethod
    def playing(self) -> int:
        """Returns how many debates it is playing."""

    @abstractmethod
    def wake(self, debate: str) -> None: ...

    @abstractmethod
    async def drain(self, seconds: float) -> None:
        """Starts nothing new and releases each debate once no seat is speaking in it, for a limited
        number of seconds; ``stop`` releases the rest.
        """

    @abstractmethod
    async def stop(self) -> None:
        """Releases every debate within seconds; the next start resumes those that were running."""

    async def run(self, debate: str) -> bool:
        """Advances a debate and returns whether the run came to its end. One that failed is tried
        again when the debate counts as abandoned.
        """
        self._unreleased.discard(debate)
        about = {"debate": debate}
        try:
            await self._advancer.advance(debate)
        except Fenced:
            logger.info("another process took the debate over", extra=about | {"action": "fenced"})
        except NeedsNewer:
            logger.info("a debate is left to a newer release", extra=about | {"action": "newer"})
        except StoreAway as away:
            self._unreleased.add(debate)
            facts = about | {"action": "advance_away", "because": str(away)}
            logger.warning("a debate stands still", extra=facts)
        except Exception:
            logger.exception("advance failed", extra=about | {"action": "advance_failed"})
        else:
            return True
        return False

    async def release(self) -> list[str]:
        """Releases the debates whose runs ended because the database was away, and returns them.
        Their last heartbeats would keep every writer from them for a while. Raises ``StoreAway``.
        """
        released = list[str]()
        for debate in sorted(self._unreleased):
            if debate in self._unreleased:  # a command may have begun another run meanwhile
                await self._debates.give_up(debate, self._advancer.owner)
                self._unreleased.discard(debate)
                released.append(debate)
        return released
