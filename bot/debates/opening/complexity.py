"""A model's own estimate of how complex a question is: one short call before a panel's size is
chosen.

It is one of six factors (``complexity``), so its length, time and cost are bounded, and it is
left out if it would cost more than it is worth. A call that failed gives no estimate; no number is
ever made up for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from core.debate.engine import is_ending
from core.debate.errors import ModelError
from core.debate.log import Call, CallState
from core.debate.material import Material
from core.debate.material.escaping import show_hidden
from core.debate.ports import CallOptions, Message, Model, Price
from core.debate.prompting import QUESTIONS
from core.debate.prompting.frame import fence_for, fill, marked
from core.debate.replies.objects import Unreadable
from core.debate.replies.parsing import parse
from core.debate.replies.tasks import TASKS
from core.debate.script import SeatId, Turn, TurnId
from core.debate.stored import stored
from core.debate.usage import Usage

logger = logging.getLogger(__name__)
_SHOWN = 6000
"""The most characters of the question that the model reads for its estimate."""
_SECONDS = 30.0
MOST_USD = 0.02
"""The most that one estimate may cost, in USD."""
TURN = "assess"
_TASK = TASKS[TURN]
_OPTIONS = CallOptions(
    max_tokens=_TASK.max_tokens,
    light=_TASK.light,
    timeout=_SECONDS,
    schema={
        "type": "object",
        "properties": {"estimate": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["estimate"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class ComplexityEstimate:
    """An estimate in [0, 1] from the model ``by``; if ``estimate`` is None, ``why_not`` is the
    reason.
    """

    estimate: float | None = None
    by: str = ""
    why_not: str = ""
    usage: Usage = Usage()

    @property
    def made_call(self) -> bool:
        """True if the model was called, whether or not it gave an estimate."""
        return bool(self.by)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The call that was paid for the estimate, none if no model was called."""
        if not self.made_call:
            return ()
        state = CallState.DONE if self.usage.prompt_chars else CallState.FAILED
        return (Call(TURN, 1, self.by, state, usage=self.usage),)


def price_of(material: Material, price: Price) -> float | None:
    """Returns the most that an estimate costs in USD, or None if the price is unknown."""
    if price.prompt is None or price.completion is None:
        return None
    chars = sum(len(m.text) for m in messages(material))
    return chars / 3 * price.prompt + (_OPTIONS.max_tokens + price.thinking) * price.completion


def messages(material: Material) -> Sequence[Message]:
    """Returns the model's messages: the question as data, and the instruction to rate it."""
    text = show_hidden(material.text)[:_SHOWN]
    title = show_hidden(material.title)[:300]
    token = fence_for(text, text, title)
    return (
        Message("system", fill("system", fence=token, language=QUESTIONS)),
        Message(
            "user",
            fill(
                "material",
                kind=material.kind.value.replace("_", " "),
                fence=token,
                text=marked(f"{title}\n\n{text}", token),
            ),
        ),
        Message("user", f"{fill('task-assess')}\nJSON fields:\n{fill('field-estimate')}"),
    )


async def ask_complexity(model: Model, material: Material) -> ComplexityEstimate:
    """Calls ``model`` once. It never raises when the call fails: the result then holds the reason
    in place of an estimate.
    """
    turn = Turn(TurnId(TURN), SeatId("assessor"), _TASK.name)
    try:
        reply = await model.reply(messages(material), _OPTIONS)
    except ModelError as error:
        why_not = stored("{model} gave none: {why}", model=model.name, why=error)
        return ComplexityEstimate(by=model.name, why_not=why_not, usage=error.usage or Usage())
    except (Exception, asyncio.CancelledError) as error:  # a defect costs the estimate only
        if is_ending(error):
            raise
        logger.exception("no complexity is estimated", extra={"action": "estimate_failed"})
        why_not = stored("{model} gave none: {why}", model=model.name, why=type(error).__name__)
        return ComplexityEstimate(by=model.name, why_not=why_not)
    usage = reply.usage
    try:
        rating = parse(reply.text, _TASK, turn, ())
    except Unreadable as problem:
        return ComplexityEstimate(
            by=model.name,
            why_not=stored("{model} gave none: {why}", model=model.name, why=problem),
            usage=usage,
        )
    return ComplexityEstimate(rating.estimate, model.name, "", usage)
