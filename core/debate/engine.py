"""The one loop, and the only place in core that starts tasks.

It takes a debate from any prefix of its events to the point at which it can't continue now:
concluded, paused, or fenced off by another writer. Every change goes through one step: evolve,
append, then call the listeners. Tasks only speak; their result is a message in the inbox like a
person's command, and only the loop decides what it means. The messages waiting at one moment, and
the turns that follow from them, are one commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from enum import Enum
from functools import partial
from itertools import islice
from typing import TypeVar

from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import PROOF_USED_UP, Budget
from core.debate.due import due, is_complete, proving, wake_time
from core.debate.due.argument import owed
from core.debate.errors import DebateError, Fenced, Refused, StoreAway
from core.debate.log import Append, Call, Log
from core.debate.ports import Clock, Message, OnWords, Proves
from core.debate.proof import Framing, ProofRuns
from core.debate.script import Turn, TurnId
from core.debate.spoken import Redact, Speaking, TurnResult, request_hash
from core.debate.state import Debate, evolve
from core.debate.stored import stored
from core.debate.verdict import end_reason, verdict

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

EventListener = Callable[[e.Event, Debate], None]
"""Called for each event after it is durable, with the state it led to.

Its failures are logged and never reach the debate.
"""
TokenListener = Callable[[str, Turn], OnWords | None]
"""Returns the listener to the streamed answer of a debate's turn, None if nobody watches."""
Decide = Callable[[Debate, c.Command], tuple[e.Event, ...]]
"""Returns the events that a command leads to; raises ``Refused``."""
ShouldStop = Callable[[Debate], e.StopOrdered | None]
"""Returns why a debate should stop after a round."""
Measure = Callable[[Debate, int], Awaitable[e.RoundMeasured | None]]
"""Measures how much of a round repeats earlier ones; None if that does not matter."""
LARGE = 100_000
"""A change with more characters is searched in a thread: that takes about ten milliseconds."""
_LINE = 10
"""The characters added for each line: ten thousand short lines take as long to search."""
HANDLED_AT_ONCE = 16
"""The most debates of a process that are handled at the same moment.

If a hundred wake together, the first wait for their models again while the others are handled.
Without this limit each would wait for the last; with a lower one fewer would share a commit.
"""


OFF = stored("tests are not run here: the operator allows it with DEBATE_PROVE")


def proof_key(event: e.ProofsFramed | e.ProofRun) -> str:
    """Returns the key of the work that an event ends."""
    return proving.key_of(event.turn if isinstance(event, e.ProofRun) else proving.NO_TURN)


def ignore_event(_event: e.Event, _debate: Debate) -> None:
    """Does nothing with an event, as the default listener."""


def ignore_tokens(_debate: str, _turn: Turn) -> None:
    """Returns no listener, as the default if nothing shows words."""


@dataclass(frozen=True, slots=True)
class InboxCommand:
    """A command on its way in.

    ``queued`` is its stored id (None when it was not stored); ``answer`` receives the result.
    ``refusal`` is a reason to refuse it whatever the state, "" if there is none.
    """

    command: c.Command
    queued: int | None = None
    answer: asyncio.Future[str] | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """The process is about to end: running turns go to their end, and no new one begins."""


Arrival = InboxCommand | TurnResult | e.ProofsFramed | e.ProofRun | Leave


class AtRest(Enum):
    """What happens to a debate in which only the holders of seats are waited for."""

    LEAVE = "leave"  # it is let go until one speaks or the time is over
    STAY = "stay"  # this process waits for them
    RECORDED = "recorded"  # as it was recorded: no time ends by itself


@dataclass(slots=True)
class EngineContext:
    """The ports and limits that the loop needs.

    ``inbox`` receives commands and results. ``at_rest`` is what happens while the debate waits only
    for the holders of seats. ``at_once`` is shared by the debates of a process and bounds how many
    handle arrivals, until these are durable, at the same moment.
    """

    log: Log
    clock: Clock
    inbox: asyncio.Queue[Arrival]
    speaking: Speaking
    decide: Decide
    should_stop: ShouldStop
    budget: Budget = field(default_factory=Budget)
    event_listener: EventListener = ignore_event
    token_listener: TokenListener = ignore_tokens
    measure: Measure | None = None
    redact: Redact = lambda text: text
    proves: Proves | None = None
    at_rest: AtRest = AtRest.LEAVE
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(HANDLED_AT_ONCE))


async def play(debate: Debate, context: EngineContext) -> Debate:
    """Plays ``debate`` on until it is over, paused or told to ``Leave``, and returns its state
    then.

    Raises ``Fenced`` when another writer took over.
    """
    run = _Loop(debate, context)
    try:
        async with asyncio.TaskGroup() as group:
            run.group = group
            await run.walk()
    except BaseExceptionGroup as failed:  # Python 3.11.2 puts what `except*` raises into a group
        if fenced := _only(failed, Fenced):
            raise Fenced(*fenced.args) from None
        if away := _only(failed, StoreAway):
            raise StoreAway(*away.args) from failed
        raise
    finally:
        run.let_go()
    return run.debate


def is_ending(error: BaseException) -> bool:
    """Return whether an error is the end of the present task: code may also raise a cancellation by
    itself, which is a fault.
    """
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _only(failed: BaseExceptionGroup[BaseException], kind: type[Exception]) -> BaseException | None:
    """Returns the first exception of a group in which all are of this kind; None for any other
    group.
    """
    if failed.split(kind)[1] is not None:
        return None
    first: BaseException = failed
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


@dataclass(slots=True)
class _Step:
    """The content of one commit: events with the state after each, the calls they settle or
    announce, and applied commands.
    """

    state: Debate
    events: list[e.Event] = field(default_factory=list)
    states: list[Debate] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    applied: list[int] = field(default_factory=list)
    answers: dict[int, str] = field(default_factory=dict)
    replies: list[tuple[asyncio.Future[str], str]] = field(default_factory=list)
    starting: list[tuple[Turn, tuple[Message, ...]]] = field(default_factory=list)
    stopped: list[TurnId] = field(default_factory=list)

    def add(self, *events: e.Event) -> None:
        for event in events:
            self.state = evolve(self.state, event)
            self.events.append(event)
            self.states.append(self.state)

    def clear(self) -> None:
        """Begins the next commit from the end of the last one."""
        for part in fields(self):
            if part.name != "state":
                getattr(self, part.name).clear()


def _checked_rounds(debate: Debate) -> set[int]:
    """Returns the rounds that the stop rules judged before a later one began. The others are judged
    again, so that an interrupted debate stops as it would have stopped.
    """
    begun = {t.round for t in debate.turns if t.id in debate.started or t.id in debate.settled}
    unsettled = {t.round for t in debate.turns if t.id not in debate.settled}
    return {number for number in begun - unsettled if number < max(begun)}


class _Loop:
    group: asyncio.TaskGroup

    def __init__(self, debate: Debate, context: EngineContext) -> None:
        self.debate, self.context = debate, context
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.writing = asyncio.Lock()
        self.leaving = False
        self.checked = _checked_rounds(debate)
        self.held: dict[str, float] = {}
        self.paying = asyncio.Lock()
        """Held while a budget is asked: of two that ask, the second one counts the first."""

    def let_go(self) -> None:
        """Breaks the circle of references with the tasks, so that a debate's memory is free at its
        end and not at the next collection of everything.
        """
        self.tasks.clear()
        del self.group

    def cost(self, turn: Turn, model: str) -> float | None:
        return self.context.budget.cost(self.debate, turn, model)

    async def pays(self, turn: Turn, call: Call) -> bool:
        async with self.paying:
            pays = await self.context.budget.pays_for(self.debate, turn, call, self.held)
            if pays:
                self.held[turn.id] = self.held.get(turn.id, 0.0) + (call.estimate or 0.0)
            return pays

    async def _shortage(self, now: Debate, calls: Sequence[Call]) -> str:
        """Names the budget that does not pay for the first calls of turns, "" if all do."""
        async with self.paying:
            short = await self.context.budget.shortage(now, calls, self.held)
            if not short:
                self.held |= {call.turn: call.estimate or 0.0 for call in calls}
            return short

    async def note(self, call: Call) -> None:
        async with self.writing:
            await self.context.log.append(Append(self.debate.id, self.debate.count, calls=(call,)))

    def wait(self, text: str) -> None:
        self.context.inbox.put_nowait(InboxCommand(e.WaitNoted(text, self.context.clock.now())))

    async def in_thread_if_large(self, work: Callable[[], _T]) -> _T:
        """Runs the work in a thread if the change is large; for a small one that takes longer."""
        return await asyncio.to_thread(work) if self._is_large else work()

    async def walk(self) -> None:
        if self._is_large:
            await asyncio.to_thread(self.context.speaking.look_over, self.debate)
        await self._take([])
        while not self.leaving:
            if self._goes_on:
                # in flight when the last writer died or the debate was paused
                for turn in self.debate.running:
                    if turn.id not in self.tasks and turn.id not in self.debate.until:
                        self._start(turn, self.context.speaking.prompt(self.debate, turn))
            while self._goes_on:
                first = await self._arrival()
                await asyncio.sleep(0)  # what arrives in this same moment shares the commit
                await self._take([first])
            for task in self.tasks.values():
                task.cancel()
            self.tasks.clear()
            if self.context.inbox.empty():
                return
            # a paid answer that came together with a pause is kept; a resume makes it go on here
            await self._take([])

    @property
    def _is_large(self) -> bool:
        """True if searching the change would keep other debates waiting."""
        if self.debate.opened is None:
            return False
        material = self.debate.opened.material
        left = LARGE - len(material.text)
        for hunk in material.hunks:  # those that no seat is shown are searched, too
            left -= sum(len(line.text) + _LINE for line in islice(hunk.lines, max(0, left)))
            if left < 0:
                break
        return left < 0

    @property
    def _goes_on(self) -> bool:
        if self.debate.over or self.debate.paused is not None:
            return False
        if self.debate.rests and self.leaving:
            return False
        if self.debate.rests and self.context.at_rest is AtRest.LEAVE:
            return bool(proving.next_step(self.debate).work)
        return not self.leaving or bool(self.debate.running)

    async def _arrival(self) -> Arrival:
        """Returns the next arrival, or the command that ends the waiting for a held seat."""
        ends = [self.debate.until[turn.id] for turn in self.debate.awaited]
        if not ends or self.context.at_rest is AtRest.RECORDED:
            return await self.context.inbox.get()
        left = (min(ends) - self.context.clock.now()).total_seconds()
        try:
            async with asyncio.timeout(max(0.0, left)):
                return await self.context.inbox.get()
        except TimeoutError:
            return InboxCommand(c.Wake(self.context.clock.now()))

    async def _take(self, items: list[Arrival]) -> None:
        """Takes ``items`` and everything else that waits, adds what follows from the state itself,
        and commits it at once.
        """
        async with self.context.at_once:
            while not self.context.inbox.empty():
                items.append(self.context.inbox.get_nowait())
            step = _Step(self.debate)
            for item in items:
                if isinstance(item, Leave):
                    self.leaving = True
                elif isinstance(item, InboxCommand):
                    self._apply(step, item)
                elif isinstance(item, e.ProofsFramed | e.ProofRun):
                    self.tasks.pop(proof_key(item), None)
                    step.add(item)
                elif item.event.turn not in step.state.settled:  # stopped while it finished
                    step.add(item.event)
                    step.calls += item.calls
            await self._follow(step)
            await self._commit(step)
        self._start_proofs()

    def _apply(self, step: _Step, item: InboxCommand) -> None:
        events: tuple[e.Event, ...]
        try:
            if item.refusal:
                raise Refused(item.refusal)
            events, refusal = self.context.decide(step.state, item.command), ""
        except Refused as refused:
            events, refusal = (), str(refused)
        for event in events:
            step.add(event)
            if isinstance(event, e.StopOrdered):
                self._end_calls(step)
            if isinstance(event, e.DebateResumed):  # as if another process went on
                self.checked = _checked_rounds(step.state)
        if item.queued is not None:
            step.applied.append(item.queued)
            step.answers[item.queued] = refusal
        if item.answer is not None:
            step.replies.append((item.answer, refusal))

    async def _follow(self, step: _Step) -> None:
        """Adds what is due now: the next turns, a stop that the rules demand, the end."""
        while not step.state.over and step.state.paused is None:
            if is_complete(step.state):
                step.add(*self._conclusion(step.state))
                return
            if self.leaving:
                return
            stop: e.StopOrdered | None = None
            if step.state.stop is None:
                stop = await self._check_rounds(step)
            stop = stop or await self._begin(step)
            if stop is not None:
                step.add(stop)
                self._end_calls(step)
            elif not is_complete(step.state):  # else what was due was only skipped
                return

    async def _begin(self, step: _Step) -> e.StopOrdered | None:
        """Starts or skips the turns that are due, until none is left; if a budget does not pay for
        them, the debate is stopped instead.
        """
        while True:
            if (added := owed(step.state) or proving.owed(step.state)) is not None:
                step.add(added)
            now = step.state
            if not (events := due(now)):
                return None
            events = tuple(self._with_time(now, event) for event in events)
            turns = [
                now.script.turn(x.turn)
                for x in events
                if isinstance(x, e.TurnStarted) and x.until is None
            ]
            starting, calls = await self.in_thread_if_large(partial(self._requests, now, turns))
            budget, held = self.context.budget, self.held
            both = [*zip(turns, calls, strict=True)]
            if beyond := [t.id for t, call in both if budget.is_beyond_proof(now, t, call, held)]:
                step.add(*(e.TurnSkipped(id, PROOF_USED_UP) for id in beyond))
                continue
            spending = [c for t, c in both if not t.closing]
            if spending and (short := await self._shortage(now, spending)):
                if now.stop is None:
                    return e.StopOrdered(e.EndReason.BUDGET, detail=short)
                step.add(*(e.TurnSkipped(t.id, short) for t in turns if not t.closing))
                continue
            step.calls += calls
            step.starting += starting
            step.add(*events)

    def _with_time(
        self, now: Debate, event: e.TurnStarted | e.TurnSkipped
    ) -> e.TurnStarted | e.TurnSkipped:
        """Returns the start of a held seat's turn with the time that its holder has."""
        if not isinstance(event, e.TurnStarted):
            return event
        if now.script.turn(event.turn).seat not in now.open.terms.held:
            return event
        patience = timedelta(seconds=now.open.terms.patience)
        return replace(event, until=self.context.clock.now() + patience)

    def _requests(
        self, now: Debate, turns: Sequence[Turn]
    ) -> tuple[list[tuple[Turn, tuple[Message, ...]]], list[Call]]:
        """Returns the turns with their prompts, and the row of each one's first call."""
        starting: list[tuple[Turn, tuple[Message, ...]]] = []
        calls: list[Call] = []
        for turn in turns:
            messages = self.context.speaking.prompt(now, turn)
            model = now.open.cast.get(turn.seat, ("",))[0]
            digest, usd = request_hash(model, messages), self.context.budget.cost(now, turn, "")
            starting.append((turn, messages))
            calls.append(Call(turn.id, 1, model, request_hash=digest, estimate=usd))
        return starting, calls

    def _conclusion(self, state: Debate) -> tuple[e.Event, ...]:
        """Returns the verdict, and the end of the vote at once if nobody was given time to vote."""
        result, now = verdict(state), self.context.clock.now()
        concluded = e.DebateConcluded(end_reason(state), result.decision, result.reached, now)
        if state.open.terms.vote_window > 0:
            return (concluded,)
        return concluded, e.VotesClosed(result.decision, result.reached, False, now)

    async def _check_rounds(self, step: _Step) -> e.StopOrdered | None:
        turns, settled = step.state.turns, step.state.settled
        open_rounds = {t.round for t in turns if t.id not in settled}
        for number in sorted({t.round for t in turns} - open_rounds - self.checked):
            self.checked.add(number)
            if self.context.measure is not None and number not in step.state.measured:
                measured = await self._measured(step, self.context.measure(step.state, number))
                if measured is not None:
                    step.add(measured)
            if (stop := self.context.should_stop(step.state)) is not None:
                return stop
        return None

    async def _measured(
        self, step: _Step, measure: Awaitable[e.RoundMeasured | None]
    ) -> e.RoundMeasured | None:
        """Returns the measurement of a round.

        If that takes time, everything that has arrived is committed first: a paid answer must not
        wait.
        """
        measuring = asyncio.ensure_future(measure)
        try:
            await asyncio.sleep(0)  # most rounds leave nothing to measure
            if measuring.done():
                return measuring.result()
            await self._commit(step)
            step.clear()
            self.context.at_once.release()
            try:
                return await measuring
            finally:
                await self.context.at_once.acquire()
        finally:
            measuring.cancel()

    def _end_calls(self, step: _Step) -> None:
        """Ends the calls in flight, except the closing ones; their tasks are cancelled once this is
        durable.
        """
        for turn in step.state.running:
            if not turn.closing:
                ended = self.context.speaking.cut_off(turn, e.STOPPED)
                step.add(ended.event)
                step.calls += ended.calls
                step.stopped.append(turn.id)

    async def _commit(self, step: _Step) -> None:
        if step.events or step.calls or step.applied:
            async with self.writing:
                await self.context.log.append(
                    Append(
                        debate=step.state.id,
                        position=self.debate.count,
                        events=tuple(step.events),
                        calls=tuple(step.calls),
                        applied=tuple(step.applied),
                        states=(self.debate, *step.states),
                        answers=dict(step.answers),
                        status=step.state.status,
                        wake_at=wake_time(step.state),
                    )
                )
                self.debate = step.state
        for id in step.stopped:
            if task := self.tasks.pop(id, None):
                task.cancel()
        for turn, messages in step.starting:
            if turn.id not in step.state.settled:
                self._start(turn, messages)
        for event, after in zip(step.events, step.states, strict=True):
            self._notify(event, after)
        for answer, refusal in step.replies:
            if not answer.done():
                answer.set_result(refusal)

    def _notify(self, event: e.Event, after: Debate) -> None:
        try:
            self.context.event_listener(event, after)
        # a listener's defect must never stop a debate; it is logged with its trace
        except Exception:
            logger.exception(
                "listener failed", extra={"action": "listener_failed", "debate": after.id}
            )

    def _start(self, turn: Turn, messages: tuple[Message, ...]) -> None:
        speaking = self._speak(turn, messages, self.debate)
        self.tasks[turn.id] = self.group.create_task(speaking, name=f"{self.debate.id}:{turn.id}")

    async def _speak(self, turn: Turn, messages: tuple[Message, ...], seen: Debate) -> None:
        try:
            on_words = self.context.token_listener(seen.id, turn)
            result = await self.context.speaking.speak(seen, turn, messages, self, on_words)
        except (Fenced, StoreAway):
            raise
        # a defect of an adapter must cost one turn, not the debate; it is logged with its trace
        except (Exception, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            logger.exception(
                "turn failed",
                extra={"action": "turn_failed", "debate": self.debate.id, "turn": turn.id},
            )
            why = self._why(error)
            if isinstance(error, DebateError):  # it was refused before it was sent
                result = TurnResult(e.TurnFailed(turn.id, why))
            else:
                result = self.context.speaking.cut_off(turn, why)
        self.context.inbox.put_nowait(result)

    def _why(self, error: BaseException) -> str:
        """Returns the reason that people read; a defect's begins with its type."""
        text = str(error)
        if not isinstance(error, DebateError):
            text = ": ".join(filter(None, (type(error).__name__, text)))
        return self.context.redact(text)[:300]

    def _start_proofs(self) -> None:
        if self.leaving:
            return
        for work in proving.next_step(self.debate).work:
            if work.key not in self.tasks:
                task = self.group.create_task(self._prove(work, self.debate), name=work.key)
                self.tasks[work.key] = task

    async def _prove(self, work: proving.Work, seen: Debate) -> None:
        proves, result, framing = self.context.proves, ProofRuns(problem=OFF), Framing(problem=OFF)
        try:
            if proves is not None and work.test is not None:
                result = await proves.run(work.test, work.finding)
            elif proves is not None:
                framing = await proves.prepare(work.finding.path)
        # a defect of an adapter must cost one proof, not the debate; it is logged with its trace
        except (Exception, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            logger.exception("proof failed", extra={"action": "proof_failed", "debate": seen.id})
            problem = self._why(error)
            result, framing = ProofRuns(problem=problem), Framing(problem=problem)
        now = self.context.clock.now()
        if work.test is None:
            self.context.inbox.put_nowait(e.ProofsFramed(framing, now))
        else:
            self.context.inbox.put_nowait(e.ProofRun(work.turn, result, now))
