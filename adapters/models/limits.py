"""One queue a provider, shared by all debates of a process, so that a limit is learned once and not
by everybody's failing.

What a provider says in its headers (requests and tokens left for a model, and when they come back)
is counted down as calls leave; a refusal for too many calls stops everybody for as long as it asks,
and after it no more calls are in flight than the provider had taken. If nothing is known yet, calls
leave one after the other, so that a refusal can stop the rest; and as long as nobody knows whether
the key is accepted, one call goes ahead of all others.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf, isfinite

from adapters.models.faults import LONGEST_WAIT, seconds_in
from core.debate.ports import Clock

_AHEAD_SECONDS = 1.0
"""The longest time that a provider's first call keeps the others waiting for its status: connecting
takes some round trips, a key is refused at once, only an answer takes long.
"""
_GROWTH_SECONDS = 0.05
"""Seconds in which the calls in flight grow by the factor e, beyond the number that the provider
has answered. It is short, because providers with limits give them in the headers of the first
answer, which the others wait for.
"""
_TICK_SECONDS = 0.003
"""Calls that are due within that number of seconds leave together, because a timer may wake so
late.
"""
FREE = 8
"""Calls that may leave together from the start: those of one debate."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds of rest after a refusal that names no time, doubled while nothing is answered."""
_REFILL_SECONDS = 60.0
"""Seconds in which an allowance is assumed to refill if the provider gives no time: limits count
minutes.
"""

REQUESTS = (
    "x-ratelimit-{}-requests",
    "anthropic-ratelimit-requests-{}",
    "x-ratelimit-{}-req-minute",
    "x-ratelimit-{}",
)
TOKENS = (
    "x-ratelimit-{}-tokens",
    "anthropic-ratelimit-tokens-{}",
    "x-ratelimit-{}-tokens-minute",
)
"""Headers of OpenAI and most, Anthropic, Mistral; last the bare one of others."""


@dataclass(frozen=True, slots=True)
class RateAllowance:
    """The rest of a limit: ``left`` at the time ``at``; at the time ``full`` it is back at
    ``limit``.
    """

    limit: float
    left: float
    at: float
    full: float

    def wait(self, amount: float, flying: float, now: float) -> float:
        """Returns the seconds until ``amount`` is left in addition to the calls that are
        ``flying``; an amount above the whole limit waits for the whole.
        """
        rate = (self.limit - self.left) / max(self.full - self.at, 1e-3)
        there = min(self.limit, self.left + rate * (now - self.at)) - flying
        short = min(amount, self.limit) - there
        if short <= 0:
            return 0.0
        if rate > 0:
            return short / rate
        return LONGEST_WAIT


@dataclass(slots=True)
class _Line:
    """One model's queue: its allowances, and the calls that have left and are not answered yet."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    requests: RateAllowance | None = None
    tokens: RateAllowance | None = None
    calls: int = 0
    flying: float = 0.0


@dataclass(slots=True)
class SentCall:
    """One call that was sent. ``ahead`` means that the other calls wait for its status, ``heard``
    that the status has come.
    """

    line: _Line
    tokens: float
    ahead: bool = False
    heard: bool = False

    def answered(self) -> None:
        """Stops counting the call here: the provider's own figure includes it from now on."""
        if not self.heard:
            self.line.calls -= 1
            self.line.flying -= self.tokens
        self.heard = True


_CURRENT: ContextVar[tuple[Queue, SentCall] | None] = ContextVar("place", default=None)


def hear(status: int, headers: Mapping[str, str]) -> None:
    """Passes a status to the queue of the present call; a call outside of any queue has none to
    pass it to.
    """
    if (current := _CURRENT.get()) is not None:
        queue, place = current
        queue.hear(place, status, headers)


def awaited() -> bool:
    """True if other calls wait for the status of the present one."""
    current = _CURRENT.get()
    return current is not None and current[1].ahead


class Queue:
    """The queue of calls to one provider."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: defaultdict[str, _Line] = defaultdict(_Line)
        self._changed = asyncio.Event()
        self._accepted = False
        self._ahead: float | None = None
        """The time at which the call left that goes ahead of all others."""
        self._flying = 0
        self._proven = FREE
        """Calls in flight that the provider is known to bear."""
        self._next = 0.0
        """The time at which the next call beyond that number may leave."""
        self._most: int | None = None
        """Most calls in flight; None as long as the provider never refused one as too many."""
        self._paused: float | None = None
        """The time until which no call leaves."""
        self._pause = FIRST_PAUSE
        self._answered = 0
        """Calls answered since the pause began."""

    @asynccontextmanager
    async def place(
        self, model: str, tokens: float, left: Callable[[], float] = lambda: inf
    ) -> AsyncIterator[SentCall]:
        """Waits until a call that takes about that number of tokens may leave, or no seconds are
        ``left`` and it leaves for a last try, and counts it until its end.
        """
        line = self._lines[model]
        async with line.turn:
            while (wait := self._wait(line, tokens)) > 0:
                if left() <= 0:
                    break
                await self._change(min(wait, left()))
            place = self._leave(line, tokens)
        current = _CURRENT.set((self, place))
        try:
            yield place
        finally:
            _CURRENT.reset(current)
            self._return(place)

    def hear(self, place: SentCall, status: int, headers: Mapping[str, str]) -> None:
        """Takes in the status and headers of the answer to a call."""
        place.answered()
        self._accepted = self._accepted or status < 400
        now, line = self._now(), place.line
        low = {key.lower(): value for key, value in headers.items()}
        line.requests = allowance_in(low, REQUESTS, now, line.requests)
        line.tokens = allowance_in(low, TOKENS, now, line.tokens)
        self._tell()

    def succeeded(self) -> None:
        """Notes that a call was answered to its end."""
        self._pause = FIRST_PAUSE
        self._answered += 1
        self._proven = max(self._proven, self._flying)
        if self._most is not None:
            self._most += 1

    def limited(self, wait: float | None) -> None:
        """Notes that the provider refused a call as one too many and asked for a pause of ``wait``
        seconds.
        """
        now = self._now()
        if wait is not None and wait > LONGEST_WAIT:
            return
        if self._paused is None:  # the first of those that fail together
            self._answered = 0
            if wait is None:
                wait, self._pause = self._pause, min(self._pause * 2, LONGEST_PAUSE)
        self._paused = max(self._paused or now, now + (wait or 0.0))

    def _wait(self, line: _Line, tokens: float) -> float:
        """Returns the seconds until a call may leave, unless something changes before."""
        now = self._now()
        if self._paused is not None:
            if self._paused > now:
                return self._paused - now
            self._paused, self._most = None, max(1, self._flying + self._answered)
        waits = [0.0]
        if not self._accepted and self._ahead is not None:
            waits.append(self._ahead + _AHEAD_SECONDS - now)
        if self._flying >= self._proven:
            waits.append(self._next - now)
        if self._most is not None and self._flying >= self._most:
            waits.append(LONGEST_WAIT)
        if line.requests is not None:
            waits.append(line.requests.wait(1, line.calls, now))
        if line.tokens is not None:
            waits.append(line.tokens.wait(tokens, line.flying, now))
        return max(waits)

    def _leave(self, line: _Line, tokens: float) -> SentCall:
        place = SentCall(line, tokens)
        now = self._now()
        if self._flying >= self._proven:
            self._next = max(now - _TICK_SECONDS, self._next) + _GROWTH_SECONDS / (self._flying + 1)
        self._flying += 1
        line.calls += 1
        line.flying += tokens
        if not self._accepted and self._ahead is None:
            self._ahead, place.ahead = now, True
        return place

    def _return(self, place: SentCall) -> None:
        place.answered()
        self._flying -= 1
        if place.ahead:
            self._ahead = None
        self._tell()

    def _tell(self) -> None:
        """Lets all that wait look again: each waits for the event of its own time, since a common
        one would be cleared by the next to wait.
        """
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def flying(self) -> int:
        """The calls in flight."""
        return self._flying

    async def _change(self, seconds: float) -> None:
        """Waits for the given seconds, or until a call returns or is answered."""
        waiting = [
            asyncio.ensure_future(self._clock.sleep(seconds)),
            asyncio.ensure_future(self._changed.wait()),
        ]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def allowance_in(
    headers: Mapping[str, str], names: tuple[str, ...], now: float, before: RateAllowance | None
) -> RateAllowance | None:
    """Returns the limit in the headers, whose names are in small letters; the limit known
    ``before`` if they give none.
    """
    for name in names:
        left = _number(headers.get(name.format("remaining"), ""))
        if left is None:
            continue
        limit = _number(headers.get(name.format("limit"), "")) or (before.limit if before else left)
        reset = _seconds(headers.get(name.format("reset"), ""), now)
        return RateAllowance(max(limit, left, 1.0), left, now, now + reset)
    return before


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _seconds(text: str, now: float) -> float:
    """Returns the seconds until a time that is given as ``6m0s``, in seconds, as seconds or
    milliseconds since 1970, or as a date.
    """
    number = _number(text)
    if number is not None:
        for moment in (number, number / 1000):
            if 0 <= moment - now < 86_400:
                return moment - now
        if 0 <= number < 86_400:
            return number
        return _REFILL_SECONDS
    if (named := seconds_in(text)) is not None and "T" not in text:
        return named
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return _REFILL_SECONDS
    return max(0.0, date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now)
