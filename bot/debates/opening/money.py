"""The price of a debate before it opens: who agrees to it, and if the budgets hold it. One rule for
the shell, the chats and unattended runs.

Up to a limit the price is only shown. Above it, or if the price is unknown, someone has to agree; a
budget does not replace that consent if the price is unknown, because the budget could not be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import ceil

from bot.settings import Settings
from bot.settings.choices import UnknownPrice
from core.debate.budget import DUST
from core.debate.budget.pricing import least_price
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.events import DebateOpened
from core.debate.ports import Price
from core.debate.prompting.size import material_chars
from core.debate.script import TurnId
from core.languages import say
from core.words.views.language.grammar import amount, dollars


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


def require_money(
    opened: DebateOpened,
    price: Callable[[str], Price],
    left_today: float | None,
    *,
    settled: Collection[TurnId] = (),
    around: int = 0,
) -> None:
    """Checks that the budgets hold the first round that is not ``settled`` and the verdict, each
    call at the most it may cost. ``left_today`` is the USD that the shared budgets leave, None
    without any; ``around`` counts the characters of code around a change that are still to be read.

    Raises ``BadInput`` for the debate's own budget, ``CouldNotFinish`` for the day's.
    """
    least = least_price(
        opened.script,
        opened.cast,
        material_chars(opened.material, around),
        price,
        search=opened.terms.search,
        lookups=opened.terms.lookups,
        settled=settled,
    )
    needs = dollars(least)
    budget, likely = opened.terms.budget, opened.terms.estimate
    if budget is not None and least > budget + DUST:
        about = ""
        if likely:
            about = f" ({say('about {usd}', usd=dollars(likely))})"
        raise BadInput(
            "A budget of {budget} cannot hold this debate{about}: its first round and its verdict "
            "may cost up to {needs}. Raise it to {raised} (--budget, or DEBATE_BUDGET), or choose "
            "cheaper models (--models).",
            budget=amount(budget),
            about=about,
            needs=needs,
            raised=_raised(least),
        )
    if left_today is not None and least > left_today + DUST:
        raise CouldNotFinish(
            "The day's budget has {left} left and cannot hold this debate: its first round and its "
            "verdict may cost up to {needs}. A new day begins at 00:00 UTC; the operator raises "
            "the limit with DEBATE_DAILY_BUDGET or DEBATE_PERSON_BUDGET.",
            left=amount(left_today),
            needs=needs,
        )


def _raised(usd: float) -> str:
    """Returns the amount rounded up, as an option takes it."""
    digits = 2 if usd >= 0.1 else 4
    return f"{ceil(usd * 10**digits - DUST) / 10**digits:.12g}"
