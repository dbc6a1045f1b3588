"""``advance(debate)`` folds a debate's log, applies waiting commands, runs the turns that are due,
and lets go.

Both runtimes call this one function. It claims the debate (so that an older writer is fenced off),
opens it if it has only been requested, plays it until it is over or paused, and releases it. A
paused or waiting debate holds no task and no memory: a command or a date makes the runtime call
this again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from adapters.processes import threads
from adapters.redaction import clean
from adapters.tracing import names, span
from bot.debates.advance.parts import (
    DebateModels,
    DebateThreads,
    TracedSpeaker,
    heartbeats,
    traced_lookups,
)
from bot.debates.budgets import turn_cost
from bot.debates.judged import FindingHistory, held_of
from bot.debates.opening.prepare import OpeningRefused
from bot.debates.service import DebateService
from bot.posting.record import Announce, PostingLog
from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import Budget
from core.debate.commands.decisions import decide
from core.debate.due import wake_time
from core.debate.engine import (
    HANDLED_AT_ONCE,
    Arrival,
    AtRest,
    EngineContext,
    EventListener,
    InboxCommand,
    Leave,
    Measure,
    TokenListener,
    ignore_event,
    play,
)
from core.debate.errors import DebateError, StoreAway
from core.debate.log import Append, Call
from core.debate.lookups import Repository
from core.debate.material import Material
from core.debate.ports import Clock, Models, Proves, Source
from core.debate.state import Debate, evolve, replay
from core.debate.stored import stored
from core.debate.verdict.convergence import should_stop
from core.languages import ENGLISH
from core.words.outcome import outcome
from storage.commands import CommandQueue
from storage.debates import Debates
from storage.debates.outcomes import Outcomes
from storage.events.log import DebateLog

logger = logging.getLogger(__name__)
HEARTBEAT = 10.0
"""Seconds between two heartbeats of a writer."""
_LAST_RECOUNT = 20.0
"""Seconds allowed for reading all votes of a debate again."""
TIME_IS_UP = stored("the debate's time is used up")

Inbox = asyncio.Queue[Arrival]
Kept = Callable[[Debate], Awaitable[None]]
"""Called for each finished debate before it is released (``bot.forges.review.amend_reviews``)."""
Prover = Callable[[Material, str, bool], Proves]
"""Returns the runner of tests for a material (``bot.wire.proofs.make_prover``). Arguments: the
place; True with the shell in which the debate was requested.
"""
LookUp = Callable[[Material, str, bool, str, str], Awaitable[Source | str]]
"""Looks something up in the repository of a material (``MaterialLibrary.look_up``). Arguments: the
place; True with the shell in which the debate was requested; the tool's name and its arguments.
"""


@dataclass(frozen=True, slots=True)
class Advancer:
    """Plays debates for the process that ``owner`` names.

    ``refusal`` returns why a stored command is not applied to a debate after all (``refusal_now``).
    ``time_limit`` is the longest a debate may be played without a pause, in seconds; then it is
    brought to its end. ``wrap_models`` wraps the models of each debate. ``look_up`` answers the
    seats' look-ups in a repository. ``prover`` is None if no tests may be run. ``threads`` is None
    if the debate has no messages to wait for. ``event_listeners`` are called with every event that
    is played, ``token_listener`` returns the listener for a turn's words. ``at_rest`` is as in
    ``EngineContext``. Once ``leaving`` is set, each debate is released as soon as no seat is
    speaking.
    """

    debates: Debates
    queue: CommandQueue
    outcomes: Outcomes
    findings: FindingHistory
    service: DebateService
    models: DebateModels
    clock: Clock
    owner: str
    refusal: Callable[[str, c.Command], Awaitable[str]]
    measure: Measure
    wrap_models: Callable[[Models], Models]
    threads: DebateThreads | None
    kept: Kept
    event_listeners: Sequence[EventListener]
    token_listener: TokenListener
    time_limit: float | None
    heartbeat: float
    look_up: LookUp
    prover: Prover | None
    announce: Announce
    at_rest: AtRest
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(HANDLED_AT_ONCE))
    leaving: asyncio.Event = field(default_factory=asyncio.Event)

    async def advance(
        self,
        id: str,
        *,
        event_listener: EventListener = ignore_event,
        token_listener: TokenListener | None = None,
        inbox: Inbox | None = None,
    ) -> Debate:
        """Plays the debate until it can go no further now, and returns its state. Raises ``Fenced``
        when another writer took over.
        """
        if inbox is None:
            inbox = asyncio.Queue()
        noted = {names.OPERATION: names.WORKFLOW, names.CONVERSATION: id}
        with span(names.WORKFLOW, noted, debate=id) as made:
            log = await self.debates.claim(id, self.owner)
            async with heartbeats(log, self.heartbeat):
                debate = await self._play(
                    log,
                    event_listener,
                    token_listener or self.token_listener,
                    inbox,
                )
                if debate.concluded is not None:
                    document = await threads.make_in_thread(outcome, debate)
                    await self.outcomes.save(id, document, debate.concluded.at, held_of(debate))
                    await self.findings.keep(debate)
                    await self.kept(debate)
            await log.release()
            self.queue.forget(id)
            made.set_attribute(names.TEMPLATE, debate.request.template)
            made.set_attribute(names.STATUS, debate.status)
            made.set_attribute(names.COST, debate.spent)
        return debate

    async def _play(
        self,
        log: DebateLog,
        event_listener: EventListener,
        token_listener: TokenListener,
        inbox: Inbox,
    ) -> Debate:
        id, posting = log.debate, PostingLog(log, self.announce, self._asker_language)
        async with self.at_once:  # a crowd that is taken up leaves the loop to others in between
            debate = replay(await log.load())
        if debate.opened is None and not debate.failure:
            debate = await self._open(posting, debate)
        if debate.opened is not None and (not debate.over or await self._is_objected(id)):
            cast = debate.opened.cast.values()
            await self.models.meet(sorted({name for models in cast for name in models}))
        if debate.opened is not None and not debate.started and self.threads is not None:
            await self.threads.wait_for_first(id)
        delivered: set[int] = set()
        self.queue.wake_event(id).clear()  # what comes from here on sets it again
        wake, now = wake_time(debate), self.clock.now()
        waited = wake is not None and wake <= now
        if waited and debate.concluded is not None and debate.closed is None:
            await self._recount_last(id)
        await self._deliver_pending(id, inbox, delivered)
        if waited:
            inbox.put_nowait(InboxCommand(c.Wake(now)))
        beside = [
            asyncio.create_task(self._keep_delivering(id, inbox, delivered), name=f"{id}:listen")
        ]
        if self.time_limit is not None:
            stop = self._stop_after(self.time_limit, inbox)
            beside.append(asyncio.create_task(stop, name=f"{id}:time"))
        if self.leaving.is_set():
            inbox.put_nowait(Leave())
        else:
            beside.append(asyncio.create_task(self._leave(inbox), name=f"{id}:leave"))
        try:
            return await play(
                debate,
                await self._context(posting, debate, event_listener, token_listener, inbox),
            )
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)

    async def _is_objected(self, id: str) -> bool:
        """Return whether an objection waits that may reopen the finished debate."""
        waiting = await self.queue.load_waiting(id)
        return any(isinstance(queued.command, c.RaiseChallenge) for queued in waiting)

    async def _context(
        self,
        posting: PostingLog,
        debate: Debate,
        event_listener: EventListener,
        token_listener: TokenListener,
        inbox: Inbox,
    ) -> EngineContext:
        models, log = self.wrap_models(self.models.scoped()), posting.log

        def tell_all(event: e.Event, state: Debate) -> None:
            for listener in (*self.event_listeners, event_listener):
                listener(event, state)

        async def reserve(calls: Sequence[Call], needs: float, keep: float) -> bool:
            return await self.service.budgets.reserve(log, debate.request, calls, needs, keep)

        return EngineContext(
            log=posting,
            clock=self.clock,
            inbox=inbox,
            speaking=TracedSpeaker(
                models,
                clean,
                repository=self._repository(debate),
                # a call is stored with its turn
                paid=[*await log.calls()] if debate.started else [],
            ),
            decide=decide,
            should_stop=should_stop,
            budget=Budget(partial(turn_cost, models), reserve),
            event_listener=tell_all,
            token_listener=token_listener,
            measure=self.measure,
            redact=clean,
            proves=self._proves(debate),
            at_rest=self.at_rest,
            at_once=self.at_once,
        )

    def _repository(self, debate: Debate) -> Repository | None:
        opened, request = debate.opened, debate.request
        if opened is None or not opened.terms.lookups:
            return None
        look = partial(self.look_up, opened.material, request.place, request.files)
        return traced_lookups(look)

    def _proves(self, debate: Debate) -> Proves | None:
        opened, request = debate.opened, debate.request
        if self.prover is None or opened is None:
            return None
        return self.prover(opened.material, request.place, request.files)

    async def _leave(self, inbox: Inbox) -> None:
        await self.leaving.wait()
        inbox.put_nowait(Leave())

    async def _stop_after(self, seconds: float, inbox: Inbox) -> None:
        await self.clock.sleep(seconds)
        inbox.put_nowait(InboxCommand(c.Stop("", e.EndReason.BUDGET.value, TIME_IS_UP)))

    async def _open(self, posting: PostingLog, debate: Debate) -> Debate:
        """Opens a debate that was only requested. One that cannot be opened ends here: the reason
        is stored and posted.
        """
        event: e.Event
        calls: tuple[Call, ...] = ()
        left = await self.service.budgets.left(debate.request, debate.id)

        async def reserve(call: Call) -> bool:
            needs = call.estimate or 0.0
            return await self.service.budgets.reserve(
                posting.log, debate.request, (call,), needs, 0.0
            )

        try:
            prepared = await self.service.prepare_within(debate.request, left, reserve=reserve)
            event, calls = prepared.opened, prepared.calls
        except StoreAway:  # it is opened when the database is back
            raise
        except DebateError as error:
            event = e.OpeningFailed(clean(str(error)), self.clock.now())
            calls = error.calls if isinstance(error, OpeningRefused) else ()
        except Exception as error:  # what fails once would fail for ever: each try reads and asks
            logger.exception("no opening", extra={"action": "opening_failed", "debate": debate.id})
            why = stored(
                "It could not be opened: an unexpected {error}. Nothing was debated; the bot's log "
                "says more.",
                error=type(error).__name__,
            )
            event = e.OpeningFailed(why, self.clock.now())
        opened = evolve(debate, event)
        await posting.append(
            Append(
                debate.id,
                debate.count,
                (event,),
                calls=calls,
                states=(debate, opened),
                status=opened.status,
            )
        )
        for listener in self.event_listeners:
            listener(event, opened)
        return opened

    async def _asker_language(self, request: e.DebateRequest) -> str:
        """Returns the language of a message to the person who asked for a debate."""
        if self.threads is None:
            return ENGLISH
        return await self.threads.asker_language(request)

    async def _recount_last(self, id: str) -> None:
        """Reads the votes in the chats once more, because their events may have been lost. If a
        chat does not answer in time, the votes counted so far are kept.
        """
        if self.threads is None:
            return
        try:
            async with asyncio.timeout(_LAST_RECOUNT):
                await self.threads.recount(id)
        # the vote is closed all the same: a platform that is away must not keep a debate open
        except Exception:
            logger.exception(
                "the votes can't be read once more", extra={"action": "recount", "debate": id}
            )

    async def _keep_delivering(self, id: str, inbox: Inbox, delivered: set[int]) -> None:
        """Delivers stored commands to the running debate as they arrive. A database that is away
        for a moment does not end this.
        """
        wake_event = self.queue.wake_event(id)
        while True:
            await wake_event.wait()
            wake_event.clear()
            try:
                await self._deliver_pending(id, inbox, delivered)
            except StoreAway:  # what waits is looked for again within seconds
                facts = {"action": "listen", "debate": id}
                logger.warning("commands can't be read: the database does not answer", extra=facts)
            except Exception:  # what waits is looked for again within seconds
                logger.exception("commands can't be read", extra={"action": "listen", "debate": id})

    async def _deliver_pending(self, id: str, inbox: Inbox, delivered: set[int]) -> None:
        """Puts every waiting command into the inbox that is not among the ``delivered`` ones."""
        for queued in await self.queue.load_waiting(id):
            if queued.id not in delivered:
                refusal = await self.refusal(id, queued.command)
                delivered.add(queued.id)
                inbox.put_nowait(InboxCommand(queued.command, queued.id, refusal=refusal))
