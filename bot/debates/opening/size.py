"""Chooses how large a panel is worth its price: the question's complexity, what is at stake and the
day's remaining budget decide before the debate.

A model estimates the complexity if that call has a known low price and can change the choice; a
person's choice overrules everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from bot.debates.opening.complexity import (
    MOST_USD,
    TURN,
    ComplexityEstimate,
    ask_complexity,
    price_of,
)
from bot.debates.opening.lineup import Lineup
from bot.settings import Settings
from core.debate.budget.pricing import estimate_price
from core.debate.casting import ModelCandidate, cast
from core.debate.errors import BadInput
from core.debate.events import DebateRequest, Sizing
from core.debate.formats import FORMATS, PanelSize, Plan
from core.debate.formats.complexity import THIRD_ROUND_FROM, assess, choose
from core.debate.log import Call
from core.debate.material import Material
from core.debate.ports import Models
from core.debate.prompting.size import material_chars
from core.debate.stored import stored
from core.debate.usage import Usage
from core.languages import ENGLISH, say, speaking
from core.words.views.language.grammar import amount

_GIVEN = stored("the size was given")
_LATER = stored("asked for when the debate starts")
Reserve = Callable[[Call], Awaitable[bool]]
"""Records a call before it is made; returns False if the shared budgets leave too little."""


@dataclass(frozen=True, slots=True)
class Sized:
    """The panel to hold. ``usage`` is that of the call for the estimate, None if none was made."""

    sizing: Sizing
    rounds: int
    usage: Usage | None = None
    warning: str = ""


def large_from(settings: Settings) -> float:
    """Returns the complexity from which a panel is large."""
    return THIRD_ROUND_FROM if settings.extended_above is None else settings.extended_above


async def estimate(
    lineup: Lineup,
    material: Material,
    models: Models,
    left_today: float | None,
    reserve: Reserve | None,
) -> ComplexityEstimate:
    """Returns the cheapest model's estimate of a panel's question, by one short call that
    ``reserve`` records before it is made, or the reason why there is none. Raises ``BadInput`` for
    an unknown form.
    """
    if lineup.template.format != "panel":
        return ComplexityEstimate()
    if _form(lineup.request):
        return ComplexityEstimate(why_not=_GIVEN)
    real = [m.name for m in lineup.voices if not m.demo]
    prices = {name: price_of(material, models.price(name)) for name in real}
    known = {name: usd for name, usd in prices.items() if usd is not None}
    if not prices:
        return ComplexityEstimate(why_not=stored("only a demonstration model is there"))
    if not known:
        return ComplexityEstimate(why_not=stored("no price is known"))
    name = min(known, key=lambda n: known[n])
    with speaking(ENGLISH):  # it is stored
        usd = amount(known[name])
    too_much = ComplexityEstimate(why_not=stored("it would cost {usd}", usd=usd))
    if known[name] > MOST_USD or (left_today is not None and known[name] > left_today):
        return too_much
    if reserve is not None and not await reserve(Call(TURN, 1, name, estimate=known[name])):
        return too_much
    return await ask_complexity(models.get(name), material)


async def choose_size(
    lineup: Lineup,
    material: Material,
    models: Models,
    settings: Settings,
    left_today: float | None,
    guess: ComplexityEstimate | None = None,
) -> Sized | None:
    """Chooses a panel's size; None for another format. Without a ``guess`` no model has given one
    yet, as for a price. Raises ``BadInput`` for an unknown form or importance.
    """
    if lineup.template.format != "panel":
        return None
    extras = lineup.request.extras
    wanted, importance = _form(lineup.request), extras.get("importance", "")
    if guess is None:
        guess = ComplexityEstimate(why_not=_GIVEN if wanted else _LATER)
    prices = {form: _price(lineup, form, material, models) for form in PanelSize}
    standard, extended = prices[PanelSize.STANDARD], prices[PanelSize.EXTENDED]
    # in a thread, since a whole document is searched for a hundred words
    complexity = await asyncio.to_thread(assess, _question(material), extras, guess.estimate)
    form, rounds, why = choose(complexity, importance, left_today, extended, large_from(settings))
    if wanted:
        why = f"{stored('as asked for')}; {complexity.reasoning}"
        if form != wanted:
            form, rounds = PanelSize(wanted), complexity.rounds
    sizing = Sizing(
        form=form.value,
        score=complexity.score,
        factors=complexity.factors,
        why=why,
        standard=standard,
        extended=extended,
        overruled=bool(wanted or importance),
        estimate=guess.estimate,
        estimated_by=guess.by,
        why_not=guess.why_not,
    )
    usage = guess.usage if guess.made_call else None
    return Sized(sizing, rounds, usage, _warning(prices[form], left_today))


def _price(lineup: Lineup, form: PanelSize, material: Material, models: Models) -> float | None:
    script = FORMATS["panel"].compile(lineup.template, Plan(form=form), Random(0))
    seats = cast(script, [ModelCandidate(m.name, m.family) for m in lineup.voices], Random(0))
    return estimate_price(script, seats, material_chars(material), models.price).most


def _form(request: DebateRequest) -> str:
    wanted = request.extras.get("form", "")
    if wanted and wanted not in list(PanelSize):
        sizes = " or ".join(PanelSize)
        raise BadInput("A panel is {sizes}, not {wanted}.", sizes=sizes, wanted=wanted)
    return wanted


def _warning(price: float | None, left_today: float | None) -> str:
    if price is None or left_today is None or price <= left_today:
        return ""
    return say(
        "warning: {left} are left today, which may not pay for all of it", left=amount(left_today)
    )


def _question(material: Material) -> str:
    """Returns the text whose complexity is estimated, with its title first if that adds
    something.
    """
    title, text = material.title.strip(), material.text.strip()
    if title in text:
        return text
    return f"{title}\n{text}"
