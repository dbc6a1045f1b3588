"""Chooses how large a panel is worth its price: the question's complexity, what is at stake and the
day's remaining budget decide before the debate.

A model estimates the complexity if that call has a known low price and can change the choice; a
person's choice overrules everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random

from bot.debates.opening.complexity import MOST_USD, ComplexityEstimate, ask_complexity, price_of
from core.debate.budget.pricing import estimate_price
from core.debate.casting import ModelCandidate, cast
from core.debate.errors import BadInput
from core.debate.events import DebateRequest, Sizing
from core.debate.formats import FORMATS, PanelSize, Plan
from core.debate.formats.complexity import THIRD_ROUND_FROM, assess, choose
from core.debate.log import Call, CallState
from core.debate.material import Material
from core.debate.ports import Model, Models
from core.debate.prompting.size import material_chars
from core.debate.template import Template
from core.debate.usage import Usage
from core.words.views.money import dollars, left_words

_LONG = 2_000
"""Characters of a question above which its complexity is computed in a thread."""
_TURN = "assess"
Reserve = Callable[[Call], Awaitable[bool]]
"""Records a call before it is made; returns False if the shared budgets leave too little."""


@dataclass(frozen=True, slots=True)
class Sized:
    """The panel to hold. ``call`` is the paid call for the estimate, None if none was made.
    ``postponed`` means that a model may still be called for it later, so that the size can still
    change.
    """

    form: PanelSize
    rounds: int
    sizing: Sizing
    usage: Usage | None = None
    call: Call | None = None
    warning: str = ""
    postponed: bool = False


@dataclass(frozen=True, slots=True)
class Sizer:
    """``above`` is the complexity from which a panel is large."""

    models: Models
    above: float = THIRD_ROUND_FROM

    async def size(
        self,
        request: DebateRequest,
        template: Template,
        material: Material,
        cast_from: Sequence[Model],
        *,
        left_today: float | None,
        ask: bool,
        reserve: Reserve | None = None,
    ) -> Sized:
        """Chooses a panel's size. Raises ``BadInput`` for an unknown form or importance. ``ask``
        allows one short model call, which ``reserve`` records before it is made.
        """
        wanted, importance = request.extras.get("form", ""), request.extras.get("importance", "")
        if wanted and wanted not in list(PanelSize):
            sizes = " or ".join(PanelSize)
            raise BadInput("A panel is {sizes}, not {wanted}.", sizes=sizes, wanted=wanted)
        prices = {form: self._price(template, form, material, cast_from) for form in PanelSize}
        guess = ComplexityEstimate(why_not="the size was given")
        if not wanted:
            guess = await self._estimate(material, cast_from, left_today, ask, reserve)
        question = _question(material)
        if len(question) > _LONG:  # a whole document is searched for a hundred words
            complexity = await asyncio.to_thread(assess, question, request.extras, guess.estimate)
        else:
            complexity = assess(question, request.extras, guess.estimate)
        choice = choose(
            complexity,
            importance,
            left_today,
            prices[PanelSize.EXTENDED],
            prices[PanelSize.STANDARD],
            self.above,
        )
        form, why, rounds = choice.form, choice.why, choice.rounds
        if wanted:
            form, why = PanelSize(wanted), f"as asked for; {complexity.reasoning}"
            rounds = choice.rounds if form is choice.form else complexity.rounds
        sizing = Sizing(
            form=form.value,
            score=complexity.score,
            factors=complexity.factors,
            why=why,
            standard=prices[PanelSize.STANDARD],
            extended=prices[PanelSize.EXTENDED],
            overruled=bool(wanted or importance),
            estimate=guess.estimate,
            estimated_by=guess.by,
            why_not=guess.why_not,
        )
        return Sized(
            form,
            rounds,
            sizing,
            guess.usage if guess.made_call else None,
            _call(guess),
            _warning(prices[form], left_today),
            guess.postponed,
        )

    async def _estimate(
        self,
        material: Material,
        cast_from: Sequence[Model],
        left_today: float | None,
        ask: bool,
        reserve: Reserve | None,
    ) -> ComplexityEstimate:
        """Returns the cheapest model's estimate, or the reason why there is none."""
        prices = {
            m.name: price_of(material, self.models.price(m.name)) for m in cast_from if not m.demo
        }
        known = {name: usd for name, usd in prices.items() if usd is not None}
        if not prices:
            return ComplexityEstimate(why_not="only a demonstration model is there")
        if not known:
            return ComplexityEstimate(why_not="no price is known")
        name = min(known, key=lambda n: known[n])
        if known[name] > MOST_USD or (left_today is not None and known[name] > left_today):
            return ComplexityEstimate(why_not=f"it would cost {dollars(known[name])}")
        if not ask:
            return ComplexityEstimate(why_not="asked for when the debate starts", postponed=True)
        if reserve is not None and not await reserve(_intent(name, known[name])):
            return ComplexityEstimate(why_not=f"it would cost {dollars(known[name])}")
        return await ask_complexity(self.models.get(name), material)

    def _price(
        self, template: Template, form: PanelSize, material: Material, cast_from: Sequence[Model]
    ) -> float | None:
        script = FORMATS["panel"].compile(template, Plan(form=form), Random(0))
        seats = cast(script, [ModelCandidate(m.name, m.family) for m in cast_from], Random(0))
        return estimate_price(script, seats, material_chars(material), self.models.price).most


def _intent(model: str, usd: float) -> Call:
    """Returns the record of the call that is stored before it is made."""
    return Call(_TURN, 1, model, estimate=usd)


def _call(guess: ComplexityEstimate) -> Call | None:
    """Returns the record of the call that was paid for the estimate."""
    if not guess.made_call:
        return None
    state = CallState.DONE if guess.usage.prompt_chars else CallState.FAILED
    return Call(_TURN, 1, guess.by, state, usage=guess.usage)


def _warning(price: float | None, left_today: float | None) -> str:
    if price is None or left_today is None or price <= left_today:
        return ""
    return f"warning: {left_words(left_today)} are left today, which may not pay for all of it"


def _question(material: Material) -> str:
    """Returns the text whose complexity is estimated, with its title first if that adds
    something.
    """
    title, text = material.title.strip(), material.text.strip()
    if title in text:
        return text
    return f"{title}\n{text}"
