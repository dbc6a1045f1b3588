"""What an installation keeps about its debates: ratings, costs, receipts, log and state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.application.check import PartCheck
from core.application.desk import Caller
from core.debate.budget.pricing import DaySpent
from core.debate.state import Debate
from core.debate.verdict.learned.forecasts import FindingRatings
from core.debate.verdict.learned.ratings import Ratings
from core.debate.verdict.learned.usefulness import GroupStanding
from core.words.receipt.reading import CheckedReceipt


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of the log: time (UTC), level, logger, message and fields."""

    at: str
    level: str
    logger: str
    what: str
    more: tuple[tuple[str, str], ...]


class Records(Protocol):
    """Reads ratings, costs, logs and receipts for one caller."""

    async def panels(self) -> Sequence[GroupStanding]:
        """Returns the results of panels, by their size."""
        ...

    async def kinds(self, caller: Caller) -> Sequence[GroupStanding]:
        """Returns the costs and ratings of each kind of decision in the caller's workspace."""
        ...

    async def findings(self, caller: Caller) -> FindingRatings:
        """Returns how good the forecasts of findings in the caller's workspace were, and what may
        block.
        """
        ...

    async def ratings(self) -> Ratings:
        """Returns the results of models if people reported later whether a verdict held."""
        ...

    async def costs(self, caller: Caller, days: int) -> Sequence[DaySpent]:
        """Returns the costs by day, the newest first."""
        ...

    async def doctor(self) -> Sequence[PartCheck]: ...

    def log(self) -> Sequence[LogEntry]:
        """Returns the last entries of the log of the process that answers, the newest first."""
        ...

    def operates(self, caller: Caller) -> bool:
        """True if the caller operates the installation."""
        ...

    async def receipt(self, debate: Debate, caller: Caller) -> CheckedReceipt:
        """Returns the signed receipt of a debate, checked. Raises ``BadInput`` if nothing can be
        signed.
        """
        ...

    async def checked(self, text: str, key: str) -> CheckedReceipt:
        """Checks a pasted receipt; ``key`` is its issuer's public key, "" for ours. Raises
        ``BadInput``.
        """
        ...
