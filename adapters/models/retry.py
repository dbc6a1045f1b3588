"""The one retry layer. The retries of all libraries are switched off, so that only this layer
repeats calls.

A breaker per provider keeps a debate from waiting again and again for a provider that is down:
after three failures in a row no call is made for a minute, then one call tries. A provider that
refuses the key or has no credit left is avoided for the rest of the debate.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from math import inf
from random import Random

from adapters.models.faults import LONGEST_WAIT, Rejected
from adapters.models.limits import Queue
from adapters.models.prefixes import Prefixes
from adapters.models.tokens import CHARS_PER_TOKEN
from adapters.ports.model import WrappedModel
from adapters.tracing import Span, names, span
from core.debate.errors import ModelError, ModelFailure
from core.debate.ports import CallOptions, Clock, Message, Model, OnWords, Reply
from core.debate.stored import stored
from core.debate.usage import Usage

TRIES = {ModelFailure.RATE_LIMITED: 6, ModelFailure.PROVIDER_DOWN: 3, ModelFailure.TIMEOUT: 2}
"""The number of calls in all for each kind of failure; a call that fails in any other way would
only fail again.
"""
_ENDS = (ModelFailure.NO_KEY, ModelFailure.BAD_KEY, ModelFailure.NO_CREDIT)
"""Kinds of errors that the next call of the same provider would meet again."""

_PATIENCE, _SOON = 110.0, 10.0
"""Seconds for which calls to an overloaded provider are repeated, and the same if the seat has
another provider.
"""
_SPARED = 300.0
"""Seconds for which a seat with another provider does not ask one that was given up as overloaded.
"""
_FORGOTTEN = 600.0
"""Seconds after which an overload is a new one."""

FAILURES = 3
_OPEN_SECONDS = 60.0


@dataclass(slots=True)
class Breaker:
    """Counts a provider's failures in a row: closed below ``FAILURES``, then open for
    ``_OPEN_SECONDS``, then half-open (one call tries).
    """

    provider: str
    clock: Clock
    failures: int = 0
    opened: float = 0.0
    probing: bool = False
    why: str = ""
    overloaded: float | None = None
    """The time since which the provider answers only that it is overloaded, or takes no more
    calls.
    """
    limits: bool = False
    """True if it takes no more calls of ours, which passes within a minute as a rule."""
    spared: float = 0.0
    """The time until which seats with another provider avoid an overloaded one."""
    retries: int = 0
    """Calls that were repeated after a failure, since the process began."""

    @property
    def open(self) -> bool:
        """True if the provider is left alone, or tried with a single call."""
        return self.failures >= FAILURES

    def enter(self) -> None:
        """Lets a call pass. Raises ``ModelError`` (provider_down) while the breaker is open or
        another call is already trying.
        """
        if not self.open:
            return
        left = self.opened + _OPEN_SECONDS - self._now()
        if left <= 0 and not self.probing:
            self.probing = True
            return
        wait = max(left, 1.0)
        cause, _, step = _without_name(self.why).partition(" Next: ")
        kind, _, details = cause.removesuffix(").").partition(" (")
        text = stored(
            "{why_kind} ({why_details}). {provider} failed {times} times in a row and is left "
            "alone for {seconds} s more. Next: {why_step}"
        )
        if not details:
            text = stored(
                "{why_kind} {provider} failed {times} times in a row and is left alone for "
                "{seconds} s more. Next: {why_step}"
            )
        raise ModelError(
            ModelFailure.PROVIDER_DOWN,
            stored(
                text,
                why_kind=kind,
                why_details=details,
                provider=self.provider,
                times=self.failures,
                seconds=f"{wait:.0f}",
                why_step=step or stored("wait, or choose another model with --models") + ".",
            ),
            retry_after=wait,
        )

    def succeeded(self) -> None:
        """Notes an answer, or a refusal that shows that the provider works."""
        self.failures, self.probing = 0, False

    def failed(self, why: str) -> None:
        self.failures, self.probing, self.why = self.failures + 1, False, why
        if self.failures >= FAILURES:
            self.opened = self._now()

    def overload(self, *, limits: bool) -> None:
        """Notes that the provider answered that it is overloaded, or ``limits`` its calls."""
        now = self._now()
        if self.overloaded is None or now - self.overloaded > _FORGOTTEN:
            self.overloaded = now
        self.limits = limits

    def patience(self, asking: CallOptions) -> float:
        """Returns the seconds for which calls are repeated from the first refusal on."""
        if asking.alternative and not self.limits:
            return _SOON
        return _PATIENCE

    def left_for(self, asking: CallOptions) -> float:
        """Returns the rest of the patience; without limit if the provider is not overloaded."""
        if self.overloaded is None or self._now() - self.overloaded > _FORGOTTEN:
            return inf
        return self.overloaded + self.patience(asking) - self._now()

    def give_up(self, why: str) -> None:
        """Opens the breaker after an overloaded provider was asked for long enough."""
        self.spared = self._now() + _SPARED
        self.failures = max(self.failures, FAILURES - 1)
        self.failed(why)

    @property
    def spares(self) -> bool:
        """True if a seat with another provider asks that one first."""
        return self._now() < self.spared

    def left(self) -> None:
        """Notes that the call was cancelled, which says nothing about the provider."""
        self.probing = False

    def _now(self) -> float:
        return self.clock.now().timestamp()


class Retrying(WrappedModel):
    """A model whose calls are repeated after a transient failure.

    Same name, family and window as the model inside. ``queue`` is its provider's queue,
    ``prefixes`` the provider's cached prefixes (None if it caches nothing), ``ended`` the providers
    to avoid in this debate, and why.
    """

    def __init__(
        self,
        model: Model,
        breaker: Breaker,
        clock: Clock,
        *,
        queue: Queue | None = None,
        prefixes: Prefixes | None = None,
        ended: MutableMapping[str, ModelError] | None = None,
        first_wait: float = 1.0,
        draw: Random | None = None,
    ) -> None:
        super().__init__(model)
        self._queue = queue
        self._prefixes = prefixes
        self._ended = ended if ended is not None else {}
        self._breaker = breaker
        self._clock = clock
        self._first_wait = first_wait
        self._draw = draw or Random()
        self._noted = {
            names.OPERATION: names.CHAT,
            names.PROVIDER: breaker.provider,
            names.ASKED_MODEL: model.name,
        }

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        if asking.alternative and self._breaker.spares:
            raise self._overloaded(asking)
        tries, paid = 0, list[Usage]()
        tokens = asking.max_tokens + sum(len(m.text) for m in messages) / CHARS_PER_TOKEN
        while True:
            tries += 1
            try:
                async with self._shared(messages), self._place(tokens, asking):
                    self._enter()
                    came = await self._try(messages, asking, on_words)
            except ModelError as error:  # not asked again: what was paid until then counts
                error.usage = _sum(paid)
                raise
            if isinstance(came, Reply):
                return replace(came, usage=sum(paid, came.usage))
            if came.usage is not None:
                paid.append(came.usage)
            overloaded = _is_overloaded(came)
            refused = overloaded or came.kind == ModelFailure.RATE_LIMITED
            wait = self._wait(came, tries)
            if refused and wait is not None:
                self._breaker.overload(limits=not overloaded)
                self._tell(asking)
            over = refused and self._left(asking) <= (wait or 0.0)
            if wait is None or over:
                if over:
                    self._breaker.give_up(str(came))
                came.usage = _sum(paid)
                raise came
            self._breaker.retries += 1
            await self._clock.sleep(wait)

    def _left(self, asking: CallOptions) -> float:
        """Returns the rest of the patience with a provider that refuses calls; there is always some
        while a provider that limits calls answers another one.
        """
        left = self._breaker.left_for(asking)
        if self._breaker.limits and self._queue is not None and self._queue.flying:
            return max(left, 1.0)
        return left

    def _tell(self, asking: CallOptions) -> None:
        """Reports how long calls to a provider that refuses them are repeated; a short wait for a
        limit is not worth a word.
        """
        short = self._breaker.limits and self._breaker.left_for(asking) > _PATIENCE - _SOON
        if asking.on_wait is not None and not short:
            text = stored(
                "{provider} is overloaded: the bot tries again for at most {seconds} s, then "
                "another provider's model"
            )
            if self._breaker.limits:
                text = stored(
                    "{provider} takes no more calls for now: the bot tries again for at most "
                    "{seconds} s"
                )
            elif not asking.alternative:
                text = stored(
                    "{provider} is overloaded: the bot tries again for at most {seconds} s"
                )
            provider, seconds = self._breaker.provider, f"{self._breaker.patience(asking):.0f}"
            asking.on_wait(stored(text, provider=provider, seconds=seconds))

    def _overloaded(self, asking: CallOptions) -> ModelError:
        """Returns the error of a call that another provider takes, and reports it."""
        provider = self._breaker.provider
        if asking.on_wait is not None:
            asking.on_wait(
                stored(
                    "{provider} was overloaded a few minutes ago: another provider's model is "
                    "called first",
                    provider=provider,
                )
            )
        return ModelError(
            ModelFailure.PROVIDER_DOWN,
            stored(
                "{model}: {provider} was overloaded and is left alone for a few minutes. Next: "
                "wait, or choose another model with --models.",
                model=self.name,
                provider=provider,
            ),
        )

    def _shared(self, messages: Sequence[Message]) -> AbstractAsyncContextManager[object]:
        if self._prefixes is None:
            return nullcontext()
        return self._prefixes.shared(self.name, messages)

    def _place(self, tokens: float, asking: CallOptions) -> AbstractAsyncContextManager[object]:
        if self._queue is None:
            return nullcontext()
        return self._queue.place(self.name, tokens, lambda: self._left(asking))

    def _enter(self) -> None:
        """Lets a call pass. Raises ``ModelError`` if the provider must be avoided now."""
        if ended := self._ended.get(self._breaker.provider):
            raise ModelError(ended.kind, f"{self.name}: {_without_name(str(ended))}")
        self._breaker.enter()

    async def _try(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None
    ) -> Reply | ModelError:
        """Makes one call and counts it."""
        try:
            with span(f"{names.CHAT} {self.name}", self._noted, client=True) as made:
                reply = await self.inner.reply(messages, asking, on_words)
                _note(made, reply)
        except ModelError as error:
            self._count(error)
            return error
        except BaseException:
            self._breaker.left()
            raise
        self._breaker.succeeded()
        self._breaker.overloaded, self._breaker.spared = None, 0.0
        if self._queue is not None:
            self._queue.succeeded()
        return reply

    def _count(self, error: ModelError) -> None:
        if error.kind in (ModelFailure.PROVIDER_DOWN, ModelFailure.TIMEOUT):
            self._breaker.failed(str(error))
        else:
            self._breaker.succeeded()
        if error.kind in _ENDS:
            self._ended[self._breaker.provider] = error
        if error.kind == ModelFailure.RATE_LIMITED and self._queue is not None:
            self._queue.limited(error.retry_after)

    def _wait(self, error: ModelError, tries: int) -> float | None:
        """Returns the seconds until the next try: those that the provider named, else the first
        wait doubled each time; None to give up. A call that was refused as one too many waits in
        the queue.
        """
        if tries >= TRIES.get(error.kind, 1):
            return None
        if error.retry_after is not None and error.retry_after > LONGEST_WAIT:
            return None
        if error.kind == ModelFailure.RATE_LIMITED and self._queue is not None:
            return 0.0
        if error.retry_after is not None:
            return error.retry_after
        return self._first_wait * float(2 ** (tries - 1)) * self._draw.uniform(0.5, 1.0)


def _sum(paid: Sequence[Usage]) -> Usage | None:
    if not paid:
        return None
    return sum(paid, Usage())


def _is_overloaded(error: ModelError) -> bool:
    return isinstance(error, Rejected) and (error.status == 529 or "overloaded" in error.body)


def _without_name(error: str) -> str:
    """Returns an error without the model's name before it, because it is another model's too."""
    name, mark, rest = error.partition(": ")
    if mark and " " not in name:
        return rest
    return error


def _note(made: Span, reply: Reply) -> None:
    """Logs the cost and duration of the call, and nothing of its content."""
    usage = reply.usage
    made.set_attribute(names.ANSWERED_MODEL, reply.model)
    made.set_attribute(names.ANSWER_ID, reply.request_id)
    made.set_attribute(names.INPUT_TOKENS, usage.prompt_tokens)
    made.set_attribute(names.CACHED_TOKENS, usage.cached_tokens)
    made.set_attribute(names.OUTPUT_TOKENS, usage.completion_tokens)
    if usage.usd is not None:
        made.set_attribute(names.COST, usage.usd)
