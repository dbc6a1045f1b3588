"""Takes, opens, forks and reads debates for every surface and every runner.

``take`` stores a request, for a runner to open; ``open`` stores a debate that is open already.
Nothing here plays a debate.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.processes.threads import make_in_thread
from adapters.processes.workers import Work
from adapters.redaction import clean
from adapters.tracing import names, span
from bot.debates.budgets import SharedBudgets
from bot.debates.fork import fork, settled_in
from bot.debates.opening.money import require_money
from bot.debates.opening.prepare import OpeningRefused, Prepared, Preparer
from bot.debates.opening.request import request_again, without_secrets
from bot.debates.opening.retained import RetainedOpenings
from bot.debates.opening.size import Reserve
from bot.debates.origins import Maker, Origin, opened_here
from bot.posting.record import posts_so_far
from core.application.commands.requests import ForkRequest
from core.application.permissions.audience import Copy
from core.debate.events import (
    DebateOpened,
    DebateReopened,
    DebateRequest,
    DebateRequested,
    Event,
    Fork,
    OpeningFailed,
)
from core.debate.script import SeatId
from core.debate.state import Debate, replay
from core.words.outcome import outcome
from storage.commands import CommandQueue
from storage.debates import Debates


@dataclass(frozen=True, slots=True)
class DebateService:
    """Takes, opens, forks and reads debates; ``work`` reads people's typed, pasted and attached
    texts in its own process.
    """

    debates: Debates
    queue: CommandQueue
    preparer: Preparer
    budgets: SharedBudgets
    retained: RetainedOpenings
    work: Work

    async def prepare(self, request: DebateRequest) -> Prepared:
        """Prepares an opening with its price, and stores nothing. It may ask a model how large a
        panel must be. Raises ``BadInput`` or ``CouldNotFinish``.
        """
        try:
            return await self.prepare_within(request, await self.budgets.left(request))
        except OpeningRefused as refused:
            await self._book(request, refused)
            raise

    async def _book(self, request: DebateRequest, refused: OpeningRefused) -> None:
        """Stores the calls that were paid for a debate that could not be opened."""
        now = self.preparer.clock.now()
        stored = await without_secrets(request, self.work, read=True)
        first = DebateRequested(_new_id(), stored, now)
        failed = OpeningFailed(clean(str(refused)), now)
        origin = Origin(Maker.REFUSED, first.id)
        await self.debates.create(first, str(origin), past=(failed,), calls=refused.calls)

    async def prepare_within(
        self,
        request: DebateRequest,
        left_today: float | None,
        *,
        reserve: Reserve | None = None,
    ) -> Prepared:
        """Prepares as ``prepare`` does, with ``left_today`` USD to spend (None: no limit), from
        which ``reserve`` takes. What was read for a price is used, and drawn in the same way.
        """
        material = seed = None
        if (priced := self.retained.take(request)) is not None:
            material, seed = await priced.material(), priced.opened.seed
        return await self.preparer.prepare(
            request, material=material, seed=seed, left_today=left_today, reserve=reserve
        )

    async def price(self, request: DebateRequest) -> Prepared:
        """Prices a request, and holds what was read for ``prepare``. Raises as ``prepare``, and
        ``ModelError`` for a refused key.
        """
        request = await without_secrets(request, self.work)
        left = await self.budgets.left(request)
        if (priced := self.retained.find(request)) is not None:
            models = self.preparer.models
            require_money(priced.opened, models.price, left, around=priced.read.around)
            return priced
        priced = await self.preparer.price(request, left_today=left)
        await self.preparer.check(request)
        self.retained.keep(priced)
        return priced

    async def take(self, request: DebateRequest, origin: Origin) -> str:
        """Stores a request, to be read and opened by a runner. Returns its id, which is the same
        for the same ``origin``.
        """
        stored = await without_secrets(request, self.work)
        first = DebateRequested(_new_id(), stored, self.preparer.clock.now())
        noted = {names.CONVERSATION: first.id, names.TEMPLATE: request.template}
        with span(names.TAKE, noted, debate=first.id):
            id = await self.debates.create(first, str(origin))  # it has no posts until it is open
            self.queue.notify(id)
            return id

    async def open(self, prepared: Prepared, origin: Origin | None = None) -> str:
        """Stores an opened debate, which a runner plays, and returns its id."""
        id, opened = _new_id(), prepared.opened
        stored = await without_secrets(prepared.request, self.work, read=True)
        first = DebateRequested(id, stored, opened.at)
        return await self.debates.create(
            first, str(origin or opened_here(id)), past=(opened,), calls=prepared.calls
        )

    async def bot_plays(self) -> bool:
        """True if a bot plays the debates of this database, so that a shell must not."""
        if self.preparer.lock is None:
            return await self.debates.replica_plays()
        return self.bot_may_run()

    def bot_may_run(self) -> bool:
        """True if a bot plays the debates of this database, or may: PostgreSQL has many."""
        lock = self.preparer.lock
        return lock is None or lock.allowed() is not None

    async def nobody_plays(self, id: str) -> bool:
        """True if a debate waits for a process that plays it, and no bot will."""
        return not await self.bot_plays() and id in await self.debates.find_runnable(id)

    async def fork(
        self, copy: Copy, request: ForkRequest, *, asker: str, origin: Origin | None = None
    ) -> str:
        """Stores the fork that a ``Copy`` permits and returns its id. Raises ``BadInput``."""
        first, past = await self.prepare_fork(copy, request, asker=asker)
        origin, posts = origin or opened_here(first.id), posts_so_far([first, *past], copy.place)
        id = await self.debates.create(first, str(origin), past=past, posts=posts)
        self.queue.notify(id)
        return id

    async def prepare_fork(
        self, copy: Copy, fork_request: ForkRequest, *, asker: str
    ) -> tuple[DebateRequested, Sequence[Event]]:
        """Returns the events that a fork would begin with, and stores nothing. Raises ``BadInput``,
        or ``CouldNotFinish`` if the day's budget does not hold it.
        """
        parent = copy.debate
        condition = condition_of(parent.id, fork_request)
        condition = replace(condition, assume=await self.work(clean, fork_request.assume))
        request = request_again(copy, asker=asker, files=True)
        if fork_request.models:
            await self.preparer.servers.learn(fork_request.models)
        models = self.preparer.models
        first, past = fork(
            parent,
            await self.debates.load(parent.id),
            _new_id(),
            condition,
            request,
            models,
            self.preparer.clock.now(),
        )
        left = await self.budgets.left(request)
        opened = next(event for event in past if isinstance(event, DebateOpened))
        require_money(opened, models.price, left, settled=settled_in(past))
        return first, past

    async def load(self, id: str) -> Debate:
        """Returns the debate in its present state. A unique beginning of an id is enough. Raises
        ``BadInput`` for an unknown id.
        """
        events = await self.debates.load(id)
        if not events:
            events = await self.debates.load((await self.debates.find(id)).id)
        return replay(events)

    async def load_ended(self, id: str) -> Debate:
        """Returns the debate with the verdict that counts: as it had ended, if it was reopened."""
        events = await self.debates.load(id)
        debate = replay(events)
        if debate.reopened is None:
            return debate
        again = max(n for n, event in enumerate(events) if isinstance(event, DebateReopened))
        return replay(events[:again])


async def parent_outcome(debates: Debates, debate: Debate) -> dict[str, Any] | None:
    """Returns the outcome of the debate that this one was forked from."""
    if debate.fork is None:
        return None
    events = await debates.load(debate.fork.parent)
    if not events:
        return None
    return await make_in_thread(lambda: outcome(replay(events)))


def _new_id() -> str:
    """Returns eight characters that are easy to type and read aloud, with at least one digit, so
    that no id is a word.
    """
    letters, digits = "abcdefghjkmnpqrstuvwxyz", "23456789"
    drawn = [secrets.choice(letters + digits) for _ in range(7)]
    drawn.insert(secrets.randbelow(8), secrets.choice(digits))
    return "".join(drawn)


def condition_of(parent: str, request: ForkRequest) -> Fork:
    """Returns the conditions that a fork's request changes."""
    return Fork(parent, request.at or 0, SeatId(request.without), request.assume, request.models)
