"""Measures how fast a model on the operator's machine reads and writes, from its first answer: a
graphics card does in a minute what takes a processor an hour, and people want to know that before.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from adapters.models.exchange import ModelRequest, Speaks
from adapters.models.prose import Prose
from adapters.models.tokens import CHARS_PER_TOKEN, TokenCounts
from core.debate.ports import CallOptions, Clock, Message, Price

PATIENCE = 900.0
"""Seconds for one answer of a model that is slow and is known to be."""
_SECONDS = 30.0
"""Seconds in which the measurement must end."""
_LOADING = 5.0
"""Seconds before the first word beyond which a server may have been loading the model."""
_TOGETHER = 5
"""Seats that speak at once."""
_TEXT = (
    "A queue keeps what has to be done in the order in which it came. A process that takes one "
    "thing out of it either does it or puts it back, and what is done is noted before the next is "
    "taken, so that nothing is lost when a process ends in the middle of its work, and nothing is "
    "done twice when two of them look at the same moment."
)
_ASKED = "Count from one to twenty in words, and write nothing else."


@dataclass(frozen=True, slots=True)
class ModelPace:
    """A model's speed: tokens a second, read and written."""

    read: float
    write: float

    @property
    def as_price(self) -> Price:
        """Seconds a token, in the shape in which a debate's calls are summed up."""
        return Price(1 / self.read, 1 / self.write)

    def seconds(self, characters: int, tokens: int) -> float:
        """Returns the seconds for an answer of that number of tokens to a prompt of that number of
        characters.
        """
        return characters / CHARS_PER_TOKEN / self.read + tokens / self.write


@dataclass(slots=True)
class OwnMachine:
    """One server of the operator's with the paces of its models.

    ``turn`` lets slow models answer one at a time, because answers that are made side by side are
    each slower.
    """

    paces: dict[str, ModelPace] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    measuring: asyncio.Lock = field(default_factory=asyncio.Lock)

    def limit(self, model: str, messages: Sequence[Message], asking: CallOptions) -> float:
        """Returns seconds that an answer may take: twice the expected time, if several answers at
        once would exceed the usual limit.
        """
        pace = self.paces.get(model)
        if pace is None:
            return asking.timeout
        needs = pace.seconds(sum(len(m.text) for m in messages), asking.max_tokens)
        if needs < asking.timeout / _TOGETHER:
            return asking.timeout
        return max(asking.timeout + 1, min(2 * needs, PATIENCE))


async def measure(speaks: Speaks, clock: Clock) -> ModelPace:
    """Measures a model's pace by a short answer; one that does not come in time gives the highest
    pace that is possible.

    Raises ``ModelError`` as any call.
    """
    pace, waited = await _measured(speaks, clock)
    if waited > _LOADING:
        again, _ = await _measured(speaks, clock)
        return max(pace, again, key=lambda one: one.read)
    return pace


async def _measured(speaks: Speaks, clock: Clock) -> tuple[ModelPace, float]:
    """Returns a pace, and the seconds until the first word."""
    text = f"{secrets.token_hex(8)}\n{_TEXT}\n{_ASKED}"  # no cache has seen it
    began, words = clock.now(), list[float]()

    def passed() -> float:
        return (clock.now() - began).total_seconds()

    prose = Prose(lambda _piece: words.append(passed()))
    question = ModelRequest([Message("user", text)], CallOptions(max_tokens=24, temperature=0.0))
    tokens: TokenCounts | None = None
    try:
        async with asyncio.timeout(_SECONDS):
            tokens = (await speaks.ask(question, prose)).tokens
    except TimeoutError:
        if not words:  # it writes more slowly than it reads, as they all do
            read = len(text) / CHARS_PER_TOKEN / _SECONDS
            return ModelPace(read, read / 3), _SECONDS
    counted = tokens or TokenCounts()
    reads = counted.prompt or len(text) / CHARS_PER_TOKEN
    writes = counted.completion or len(prose.text) / CHARS_PER_TOKEN
    first = words[0] if words else passed()
    write = max(writes - 1, 0.5) / max(passed() - first, 1e-3)
    return ModelPace(reads / max(first, 1e-3), write), first
