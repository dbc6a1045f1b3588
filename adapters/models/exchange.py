"""One request to a model and its answer, as all protocols understand them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from adapters.models.prose import Prose
from adapters.models.tokens import TokenCounts
from core.debate.ports import CallOptions, Message
from core.debate.stored import stored

LONGEST_TEXT = 1 << 20
"""Characters of one answer's words."""
_BEYOND = 1e8
"""No request takes so many tokens: the server made a mistake in a larger count."""
_MOST_USD = 1e4
"""No request costs so much."""
TOO_LONG = stored("the answer is longer than any that a model gives")
BROKE_OFF = stored("the answer broke off")
EMPTY = stored("the answer is empty")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to have run. ``arguments`` is JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A finished answer.

    ``ended`` is ``stop``, ``length``, ``paused``, ``content_filter`` or ``tool_calls``; ``tokens``
    is None if the provider did not count. ``thought`` are the blocks of thinking that a provider
    wants back together with the calls of tools that followed from them.
    """

    text: str
    ended: str
    tokens: TokenCounts | None
    calls: tuple[ToolCall, ...] = ()
    id: str = ""
    model: str = ""
    thought: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a model.

    ``tools`` are the tools that it may call, ``last`` means that it must answer now without them;
    ``searched`` are the rounds so far: its calls, and the result of each.
    """

    messages: Sequence[Message]
    asking: CallOptions
    tools: tuple[Mapping[str, Any], ...] = ()
    last: bool = False
    searched: tuple[tuple[ModelAnswer, tuple[str, ...]], ...] = ()


class Speaks(Protocol):
    """One model behind one protocol. ``ask`` raises ``ModelError`` and tries once; ``prose`` holds
    what was spent, whatever comes of it.
    """

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer: ...


def number_at(document: Mapping[str, Any], place: Sequence[str]) -> float | None:
    """Returns the count at nested keys of a provider's answer; None for a value that is no
    plausible count.
    """
    return plausible(_value_at(document, place))


def usage_at(usage: Mapping[str, Any], place: Sequence[str]) -> float:
    """Returns a count of a provider's usage, also one written in digits, because what was paid
    counts; 0 if there is none.
    """
    value = _value_at(usage, place)
    if isinstance(value, str) and value.isdecimal():
        value = float(value)
    return plausible(value) or 0.0


def usd_at(usage: Mapping[str, Any], place: Sequence[str]) -> float | None:
    """Returns a provider's own price of a request, in USD; None if it gives none that can be."""
    usd = number_at(usage, place)
    if usd is None or usd >= _MOST_USD:
        return None
    return usd


def plausible(value: object) -> float | None:
    """Returns a count, None for a value that can be none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if 0 <= value < _BEYOND:
        return float(value)
    return None


def _value_at(document: Mapping[str, Any], place: Sequence[str]) -> Any:
    value: Any = document
    for key in place:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
