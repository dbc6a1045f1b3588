"""One rule for the shell, the chats and unattended runs: who agrees to a price before money is
spent.

Up to a limit the price is only shown. Above it, or if the price is unknown, someone has to agree; a
budget does not replace that consent if the price is unknown, because the budget could not be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.settings import Settings
from bot.settings.choices import UnknownPrice
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import amount


@dataclass(frozen=True, slots=True)
class ConsentRule:
    """The operator's rule for consent.

    ``ask_above`` is the price in USD above which someone has to agree. ``unknown`` is the
    operator's choice for unknown prices; with None, consent is required, and the debate is refused
    if there is a budget. ``budgeted`` means that days or people have a budget.
    """

    ask_above: float = 0.5
    unknown: UnknownPrice | None = None
    budgeted: bool = False

    @classmethod
    def of(cls, settings: Settings) -> ConsentRule:
        budgeted = settings.daily_budget is not None or settings.person_budget is not None
        return cls(settings.ask_above, settings.unknown_price, budgeted)

    def asks(self, usd: float | None, *, yes: bool = False, budget: bool = False) -> bool:
        """True if someone has to agree to this price. ``yes`` and ``budget`` come from the
        request.
        """
        if usd is None:
            return self.unknown is not UnknownPrice.ALLOW and not yes
        return usd > self.ask_above and not (yes or budget)

    def require_known(self, models: Sequence[str], budget: float | None) -> None:
        """Raises ``BadInput`` if the price is unknown and such debates are refused. ``models`` are
        those without a price; ``budget`` is the debate's.
        """
        if not models:
            return
        names = " and ".join(models)
        if self.unknown is UnknownPrice.REFUSE:
            raise BadInput(
                "Nobody knows the price of {models}, and DEBATE_UNKNOWN_PRICE refuses that. Write "
                "it in the file that DEBATE_MODELS_FILE names (`debate doctor` shows how).",
                models=names,
            )
        if self.unknown is None and (self.budgeted or budget is not None):
            limit = say("a budget")
            if budget is not None:
                limit = say("a budget of {usd}", usd=amount(budget))
            raise BadInput(
                "Nobody knows the price of {models}, so {limit} cannot be kept. Write it in the "
                "file that DEBATE_MODELS_FILE names (`debate doctor` shows how), or set "
                "DEBATE_UNKNOWN_PRICE=ask to be asked instead.",
                models=names,
                limit=limit,
            )
