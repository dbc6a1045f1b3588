"""The one retry layer. Every other library's own retries are switched off, so that a call is tried
as often as is said here and no more.

A breaker per provider keeps a debate from waiting again and again for a provider that is down:
after three failures in a row nobody asks for a minute, then one call tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from core.errors import ModelError
from core.ports import CallOptions, Clock, Message, Model, OnWords, Reply

TRIES = {"rate_limited": 4, "provider_down": 3, "timeout": 2}
"""How often a call is made in all when it fails in this way; every other kind would only fail
again.
"""

LONGEST_WAIT = 60.0
"""Seconds. A provider that wants a longer pause than this is given up for the call."""

FAILURES = 3
OPEN_SECONDS = 60.0


@dataclass(slots=True)
class Breaker:
    """Counts a provider's failures in a row: closed below ``FAILURES``, then open for
    ``OPEN_SECONDS``, then half-open (one call tries).
    """

    provider: str
    clock: Clock
    failures: int = 0
    opened: float = 0.0
    probing: bool = False

    def enter(self) -> None:
        """Raises ``ModelError`` (provider_down) while the breaker is open or another call is
        already trying.
        """
        if self.failures < FAILURES:
            return
        left = self.opened + OPEN_SECONDS - self._now()
        if left <= 0 and not self.probing:
            self.probing = True
            return
        wait = max(left, 1.0)
        raise ModelError(
            "provider_down",
            f"{self.provider} failed {self.failures} times in a row and is left alone for "
            f"{wait:.0f} s more. "
            "Next: wait, or choose another model with --models.",
            retry_after=wait,
        )

    def succeeded(self) -> None:
        """An answer came, or a refusal that shows the provider alive."""
        self.failures, self.probing = 0, False

    def failed(self) -> None:
        self.failures, self.probing = self.failures + 1, False
        if self.failures >= FAILURES:
            self.opened = self._now()

    def left(self) -> None:
        """The call was cancelled: nothing is known about the provider."""
        self.probing = False

    def _now(self) -> float:
        return self.clock.now().timestamp()


class Retrying:
    """A model that is asked again after a failure that can pass.

    Same name, family and window as the model inside.
    """

    def __init__(
        self,
        model: Model,
        breaker: Breaker,
        clock: Clock,
        *,
        first_wait: float = 1.0,
        draw: Random | None = None,
    ) -> None:
        self.inner = model
        self._breaker = breaker
        self._clock = clock
        self._first_wait = first_wait
        self._draw = draw or Random()

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def family(self) -> str:
        return self.inner.family

    @property
    def demo(self) -> bool:
        return self.inner.demo

    @property
    def window(self) -> int:
        return self.inner.window

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        tries = 0
        while True:
            self._breaker.enter()
            tries += 1
            try:
                reply = await self.inner.reply(messages, asking, on_words)
            except ModelError as error:
                self._count(error)
                wait = self._wait(error, tries)
                if wait is None:
                    raise
            except BaseException:
                self._breaker.left()
                raise
            else:
                self._breaker.succeeded()
                return reply
            await self._clock.sleep(wait)

    def _count(self, error: ModelError) -> None:
        if error.kind in ("provider_down", "timeout"):
            self._breaker.failed()
        else:
            self._breaker.succeeded()

    def _wait(self, error: ModelError, tries: int) -> float | None:
        """Seconds until the next try: what the provider named, else the first wait doubled each
        time; None to give up.
        """
        if tries >= TRIES.get(error.kind, 1):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_WAIT else None
        return self._first_wait * float(2 ** (tries - 1)) * self._draw.uniform(0.5, 1.0)
