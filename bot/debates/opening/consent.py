"""Who agrees before money is spent: one rule for the shell, the chats and what runs unattended.

Up to a limit a price is only told. Above it somebody has to agree, and so where nobody knows the
price; there a budget is no consent, because it could not be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.settings import Settings, UnknownPrice
from core.budget import dollars
from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class ConsentRule:
    """``ask_above`` is the price in USD from which somebody has to agree. ``unknown`` is None where
    nobody chose: then such a price is asked about, and refused where a budget is to be kept.
    ``budgeted`` says that days or people have one.
    """

    ask_above: float = 0.5
    unknown: UnknownPrice | None = None
    budgeted: bool = False

    @classmethod
    def of(cls, settings: Settings) -> ConsentRule:
        budgeted = settings.daily_budget is not None or settings.person_budget is not None
        return cls(settings.ask_above, settings.unknown_price, budgeted)

    def asks(self, usd: float | None, *, yes: bool = False, budget: bool = False) -> bool:
        """Whether somebody has to agree to this price. ``yes`` and ``budget`` came with the
        request.
        """
        if usd is None:
            return self.unknown is not UnknownPrice.ALLOW and not yes
        return usd > self.ask_above and not (yes or budget)

    def require_known(self, models: Sequence[str], budget: float | None) -> None:
        """Raises ``BadInput`` where what nobody knows the price of is refused: ``models``, if any.
        ``budget`` is the debate's.
        """
        if not models:
            return
        text = f"Nobody knows the price of {' and '.join(models)}"
        remedy = "Write it in the file that DEBATE_MODELS_FILE names (`debate doctor` shows how)"
        if self.unknown is UnknownPrice.REFUSE:
            raise BadInput(f"{text}, and DEBATE_UNKNOWN_PRICE refuses that. {remedy}.")
        if self.unknown is None and (self.budgeted or budget is not None):
            limit = "a budget"
            if budget is not None:
                limit = f"a budget of {dollars(budget)}"
            raise BadInput(
                f"{text}, so {limit} cannot be kept. {remedy}, or set DEBATE_UNKNOWN_PRICE=ask to "
                "be asked instead."
            )
