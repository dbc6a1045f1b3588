"""The terms of a token by which a program authenticates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.debate.errors import BadInput

SCOPES = ("read", "start", "act")
MOST_DAYS = 366
MOST_PURSE = 10_000.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """A token's rights and lifetime; ``purse`` is USD for all debates that it starts."""

    name: str
    scopes: tuple[str, ...] = ("read",)
    purse: float = 0.0
    days: int = 30

    def __post_init__(self) -> None:
        """Raises ``BadInput`` for invalid terms."""
        if not _NAME.fullmatch(self.name):
            raise BadInput("A token's name has letters, digits and .-_, 40 at most.")
        if not self.scopes or not set(self.scopes) <= set(SCOPES):
            raise BadInput(f"A token may {', '.join(SCOPES)}: name one of them at least.")
        if not 0 <= self.purse <= MOST_PURSE or not 1 <= self.days <= MOST_DAYS:
            raise BadInput(
                f"A budget is 0 to {MOST_PURSE:,.0f} USD, a token lives 1 to {MOST_DAYS} days."
            )
        if "start" in self.scopes and not self.purse:
            raise BadInput("What may its debates cost together? Give the budget in USD.")

    def until(self, now: datetime) -> datetime:
        return now + timedelta(days=self.days)
