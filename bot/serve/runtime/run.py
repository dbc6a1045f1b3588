"""The runs of ``advance`` as every runtime makes them: one debate's defect must not end the others,
and a database that was away leaves no debate without a writer.
"""

from __future__ import annotations

import logging

from bot.debates.advance import Advancer
from core.debate.errors import Fenced, NeedsNewer, StoreAway

logger = logging.getLogger(__name__)


class Runs:
    """The runs of one process."""

    def __init__(self, advancer: Advancer) -> None:
        self._advancer = advancer
        self._unreleased: set[str] = set()

    async def advance(self, debate: str) -> bool:
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
        except StoreAway:
            self._unreleased.add(debate)
            logger.warning(
                "a debate stands still: the database does not answer",
                extra=about | {"action": "advance_away"},
            )
        except Exception:
            logger.exception("advance failed", extra=about | {"action": "advance_failed"})
        else:
            return True
        return False

    async def release(self) -> list[str]:
        """Releases the debates whose runs ended because the database was away, and returns them.
        Their last heartbeats would keep every writer from them for a while. Raises ``StoreAway``.
        """
        released = sorted(self._unreleased)
        for debate in released:
            await self._advancer.debates.give_up(debate, self._advancer.owner)
            self._unreleased.discard(debate)
        return released
