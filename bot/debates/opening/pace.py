"""An estimate, before a debate begins, of how long it takes if models run on the operator's own
machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adapters.models.pace import PATIENCE, ModelPace
from core.debate.budget.pricing import TYPICAL_OUTPUT, call_cost, estimate_price
from core.debate.errors import BadInput
from core.debate.events import DebateOpened
from core.debate.ports import Price
from core.debate.prompting.size import material_chars
from core.debate.script import Turn
from core.words.views.language.grammar import plural

_AT_ONCE = Price(0.0, 0.0)
"""The seconds that a provider's tokens count for: none, since a debate does not wait for its speed.
"""
WORTH_TELLING = 120.0
"""Seconds below which the duration is not mentioned."""


def pace_line(opened: DebateOpened, paces: Mapping[str, ModelPace], ahead: Sequence[Turn]) -> str:
    """Describes how long the debate takes with one answer after the other, or "" if that is soon.
    Raises ``BadInput`` if a model is so slow that its answers would time out.
    """

    def seconds_for(model: str) -> Price:
        return paces[model].as_price if model in paces else _AT_ONCE

    size = material_chars(opened.material)
    for turn in opened.script.turns:
        model = next(iter(opened.cast.get(turn.seat, ())), "")
        longest = call_cost(turn, model, size, seconds_for, TYPICAL_OUTPUT) or 0.0
        if model in paces and longest > PATIENCE:
            raise BadInput(
                "{model} is too slow for this: it reads {read} and writes {write} tokens a second "
                "here, so one answer would take {time}, and it is given up after {patience}. "
                "Choose a smaller model or a shorter text, or another model with --models.",
                model=model,
                read=_number(paces[model].read),
                write=_number(paces[model].write),
                time=_long(longest),
                patience=_long(PATIENCE),
            )
    whole = estimate_price(opened.script, opened.cast, size, seconds_for, ahead=ahead).likely or 0.0
    if whole < WORTH_TELLING:
        return ""
    name, pace = min(paces.items(), key=lambda item: item[1].write)
    speed = f"reads {_number(pace.read)} and writes {_number(pace.write)} tokens a second here"
    return f"{name} {speed}: this debate takes about {_long(whole)}"


def _long(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    if minutes >= 120:
        return plural(round(minutes / 60), "hour")
    return plural(minutes, "minute")


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 3 else f"{value:.1g}"
