"""One rule for the shell, the chats and unattended runs: who agrees to a price before money is
spent.

Up to a limit the price is only shown. Above it, or if the price is unknown, someone has to agree; a
budget does not replace that consent if the price is unknown, because the budget could not be kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.settings import Settings
from bot.settings.choices import UnknownPrice
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import amount


def needs_consent(
    settings: Settings, usd: float | None, *, yes: bool = False, budget: bool = False
) -> bool:
    """True if someone has to agree to this price. ``yes`` and ``budget`` come from the request."""
    if usd is None:
        return settings.unknown_price is not UnknownPrice.ALLOW and not yes
    return usd > settings.ask_above and not (yes or budget)


def require_known(settings: Settings, models: Sequence[str], budget: float | None) -> None:
    """Raises ``BadInput`` if the price is unknown and such debates are refused. ``models`` are
    those without a price; ``budget`` is the debate's. If the operator chose nothing, a debate is
    refused if it, a day or people have a budget.
    """
    if not models:
        return
    names = " and ".join(models)
    if settings.unknown_price is UnknownPrice.REFUSE:
        raise BadInput(
            "The price of {models} is unknown, and DEBATE_UNKNOWN_PRICE refuses that. Write "
            "it in the file that DEBATE_MODELS_FILE names (`debate doctor` shows how).",
            models=names,
        )
    budgets = (budget, settings.daily_budget, settings.person_budget)
    if settings.unknown_price is None and any(one is not None for one in budgets):
        limit = say("a budget")
        if budget is not None:
            limit = say("a budget of {usd}", usd=amount(budget))
        raise BadInput(
            "The price of {models} is unknown, so {limit} cannot be kept. Write the price in the "
            "file that DEBATE_MODELS_FILE names (`debate doctor` shows how), or set "
            "DEBATE_UNKNOWN_PRICE=ask to confirm such debates yourself.",
            models=names,
            limit=limit,
        )
