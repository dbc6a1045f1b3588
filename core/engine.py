"""The one loop, and the only place in core that starts tasks.

It walks a debate from any prefix of its events to where it can go no further now: concluded,
paused, or fenced off by another writer. Every change goes through one step: evolve, append, then
tell. Tasks only speak; what they bring back is a message in the inbox like a person's command, and
the loop alone decides what it means. Whatever waits at one moment, and the turns that follow from
it, is one commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core import commands as c
from core import events as e
from core.checks import pending_follow_up
from core.debate import Debate, evolve
from core.decisions import decide
from core.due import complete, due
from core.errors import Fenced, Refused
from core.log import Append, Call, Log
from core.ports import Clock, Message, Models, OnWords
from core.prompting import prompt
from core.script import Turn, TurnId
from core.speaking import Redact, Speaker, TurnResult, intent
from core.verdict import conclude, verdict
from core.verdict.convergence import should_stop

logger = logging.getLogger(__name__)

CENT_DUST = 1e-9
"""Ten dimes make a dollar, whatever binary fractions say."""
EventListener = Callable[[e.Event, Debate], None]
"""Hears each event after it is durable, with the state it led to.

Its failures are logged and never reach the debate.
"""
TokenListener = Callable[[Turn], OnWords | None]
Measure = Callable[[Debate, int], "asyncio.Future[e.RoundMeasured | None]"]
Cost = Callable[[Debate, Turn, str], float | None]
"""USD that one more call of this turn will cost at most, asked of this model ("": the first of its
cast); None is unknown.
"""
Reserve = Callable[[Sequence[Call], float, float], Awaitable[bool]]
"""Notes calls before they are made, if the day and the person pay for what the debate then needs at
most (USD); how much of that stays for its closing turns comes last. False, with nothing noted, if
they do not.
"""


@dataclass(frozen=True, slots=True)
class InboxCommand:
    """A command on its way in.

    ``signal`` is its stored id (None when it was not stored); ``answer`` hears what became of it.
    """

    command: c.Command
    signal: int | None = None
    answer: asyncio.Future[str] | None = None


@dataclass(slots=True)
class EngineContext:
    """What the loop needs around it.

    ``inbox`` receives ``InboxCommand`` from anywhere; ``cost`` prices a call before it is made.
    """

    log: Log
    models: Models
    clock: Clock
    inbox: asyncio.Queue[InboxCommand | TurnResult]
    told: EventListener = lambda _event, _debate: None
    words: TokenListener = lambda _turn: None
    measure: Measure | None = None
    cost: Cost = lambda _debate, _turn, _model: None
    reserve: Reserve | None = None
    redact: Redact = lambda text: text
    timeout: float = 90.0
    paid: Sequence[Call] = field(default_factory=tuple)


async def play(debate: Debate, table: EngineContext) -> Debate:
    """Plays ``debate`` on until it is over or paused and returns its state then.

    Raises ``Fenced`` when another writer took over.
    """
    run = _Run(debate, table)
    try:
        async with asyncio.TaskGroup() as group:
            run.group = group
            await run.walk()
    except* Fenced as fenced:
        raise Fenced(*fenced.exceptions[0].args) from None
    return run.debate


@dataclass(slots=True)
class _Step:
    """What goes into one commit: events with the state after each, the calls they settle or
    announce, commands that were applied.
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


class _Run:
    group: asyncio.TaskGroup

    def __init__(self, debate: Debate, table: EngineContext) -> None:
        self.debate, self.table = debate, table
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.writing = asyncio.Lock()
        self.speaker = Speaker(
            models=table.models,
            note=self._note,
            paid={(call.turn, call.attempt): call for call in table.paid},
            affordable=lambda turn, call: self._affordable(self.debate, turn, call),
            cost=lambda turn, model: table.cost(self.debate, turn, model),
            redact=table.redact,
            timeout=table.timeout,
        )
        self.checked: set[int] = set()

    async def walk(self) -> None:
        await self._take([])
        if self._goes_on:
            for turn in (
                self.debate.running
            ):  # in flight when the last writer died or the debate was paused
                if turn.id not in self.tasks:
                    self._start(turn, prompt(self.debate, turn))
        while self._goes_on:
            first = await self.table.inbox.get()
            await asyncio.sleep(0)  # what arrives in this same moment shares the commit
            await self._take([first])
        self.cancel_all()
        if not self.table.inbox.empty():
            await self._take(
                []
            )  # an answer that arrived together with a pause is paid for: keep it

    @property
    def _goes_on(self) -> bool:
        return not self.debate.over and self.debate.paused is None

    async def _take(self, items: list[InboxCommand | TurnResult]) -> None:
        """Takes ``items`` and everything else that waits, adds what follows from the state alone,
        and commits it at once.
        """
        while not self.table.inbox.empty():
            items.append(self.table.inbox.get_nowait())
        step = _Step(self.debate)
        for item in items:
            if isinstance(item, TurnResult):
                if (
                    item.event.turn not in step.state.settled
                ):  # else it was stopped while it was finishing
                    step.add(item.event)
                    step.calls += item.calls
            else:
                self._apply(step, item)
        await self._follow(step)
        await self._commit(step)

    def _apply(self, step: _Step, asked: InboxCommand) -> None:
        try:
            events, said = decide(step.state, asked.command), ""
        except Refused as refusal:
            events, said = (), str(refusal)
        for event in events:
            step.add(event)
            if isinstance(event, e.StopOrdered):
                self._end_calls(step)
        if asked.signal is not None:
            step.applied.append(asked.signal)
            step.answers[asked.signal] = said
        if asked.answer is not None:
            step.replies.append((asked.answer, said))

    async def _follow(self, step: _Step) -> None:
        """Adds what is due now: the next turns, a stop that the rules ask for, the end."""
        while not step.state.over and step.state.paused is None:
            if complete(step.state):
                step.add(*self._conclusion(step.state))
                return
            if step.state.stop is None and (stop := await self._check_rounds(step)):
                step.add(stop)
                self._end_calls(step)
                continue
            if (stop := await self._begin(step)) is not None:
                step.add(stop)
                self._end_calls(step)
            elif not complete(step.state):  # else what was due was only skipped
                return

    async def _begin(self, step: _Step) -> e.StopOrdered | None:
        """Starts or skips the turns that are due, until nothing more is; a budget that does not pay
        for them is a stop instead.
        """
        while events := due(step.state):
            now = step.state
            starting = [
                (turn, prompt(now, turn))
                for turn in (
                    now.script.turn(x.turn) for x in events if isinstance(x, e.TurnStarted)
                )
            ]
            calls = [
                intent(now, turn, messages, self.table.cost(now, turn, ""))
                for turn, messages in starting
            ]
            spending = [
                call for (turn, _), call in zip(starting, calls, strict=True) if not turn.closing
            ]
            if spending and (short := await self._short_of(now, spending)):
                return e.StopOrdered(e.EndReason.BUDGET, detail=short)
            step.calls += calls
            step.starting += starting
            step.add(*events)
        return None

    def _conclusion(self, state: Debate) -> tuple[e.Event, ...]:
        """The verdict, and the end of the vote at once where nobody was given time to vote."""
        result, now = verdict(state), self.table.clock.now()
        concluded = e.DebateConcluded(conclude(state), result.decision, result.reached, now)
        if state.open.terms.vote_window > 0:
            return (concluded,)
        return concluded, e.VotesClosed(result.decision, result.reached, False, now)

    async def _check_rounds(self, step: _Step) -> e.StopOrdered | None:
        """Asks the stop rules once after each completed round."""
        rounds = {t.round for t in step.state.turns}
        state = step.state
        done = {r for r in rounds if state.all_settled(t for t in state.turns if t.round == r)}
        for number in sorted(done - self.checked):
            self.checked.add(number)
            if self.table.measure is not None and number not in step.state.measured:
                measured = await self.table.measure(step.state, number)
                if measured is not None:
                    step.add(measured)
            if (stop := should_stop(step.state)) is not None:
                return stop
        return None

    async def _short_of(self, state: Debate, calls: Sequence[Call]) -> str:
        """Which budget does not pay for these calls, in words; empty when all do, and then they are
        noted where others share the budget.
        """
        costs = [
            *(self.table.cost(state, t, "") for t in state.running),
            *(call.estimate for call in calls),
        ]
        reserve = state.open.terms.reserve
        needs = sum(usd or 0.0 for usd in costs) + reserve
        budget = state.open.terms.budget
        if budget is not None and state.spent + needs > budget + CENT_DUST:
            return "the debate's budget is used up"
        if self.table.reserve is not None and not await self.table.reserve(calls, needs, reserve):
            return "the day's budget is used up"
        return ""

    async def _affordable(self, state: Debate, turn: Turn, call: Call) -> bool:
        """Whether one more try of a running turn can be paid; closing turns may use the reserve."""
        reserve = 0.0 if turn.closing else state.open.terms.reserve
        budget = state.open.terms.budget
        if (
            budget is not None
            and state.spent + (call.estimate or 0.0) + reserve > budget + CENT_DUST
        ):
            return False
        if turn.closing or self.table.reserve is None:
            return True
        others = (self.table.cost(state, t, "") or 0.0 for t in state.running if t.id != turn.id)
        needs = sum(others) + (call.estimate or 0.0) + reserve
        return await self.table.reserve((call,), needs, reserve)

    def _end_calls(self, step: _Step) -> None:
        """Ends the calls in flight, the closing ones excepted; their tasks are cancelled once this
        is durable.
        """
        for turn in step.state.running:
            if not turn.closing:
                step.add(e.TurnFailed(turn.id, "stopped"))
                step.stopped.append(turn.id)

    async def _commit(self, step: _Step) -> None:
        if step.events or step.calls or step.applied:
            async with self.writing:
                await self.table.log.append(
                    Append(
                        debate=step.state.id,
                        position=self.debate.count,
                        events=tuple(step.events),
                        calls=tuple(step.calls),
                        applied=tuple(step.applied),
                        states=(self.debate, *step.states),
                        answers=step.answers,
                        status=step.state.status,
                        wake_at=wakes(step.state),
                    )
                )
                self.debate = step.state
        for id in step.stopped:
            if task := self.tasks.pop(id, None):
                task.cancel()
        for turn, messages in step.starting:
            if turn.id not in step.state.settled:
                self._start(turn, messages)
        self._tell(step)

    def _tell(self, step: _Step) -> None:
        for event, after in zip(step.events, step.states, strict=True):
            try:
                self.table.told(event, after)
            except (
                Exception
            ):  # a listener's defect must never stop a debate; it is logged with its trace
                logger.exception(
                    "listener failed", extra={"action": "listener_failed", "debate": after.id}
                )
        for answer, said in step.replies:
            if not answer.done():
                answer.set_result(said)

    def _start(self, turn: Turn, messages: tuple[Message, ...]) -> None:
        speaking = self._speak(turn, messages, self.debate)
        self.tasks[turn.id] = self.group.create_task(speaking, name=f"{self.debate.id}:{turn.id}")

    async def _speak(self, turn: Turn, messages: tuple[Message, ...], seen: Debate) -> None:
        try:
            spoken = await self.speaker.speak(seen, turn, messages, self.table.words(turn))
        except (asyncio.CancelledError, Fenced):
            raise
        # a defect of an adapter must cost one turn, not the debate; it is logged with its trace
        except Exception as error:
            logger.exception(
                "turn failed",
                extra={"action": "turn_failed", "debate": self.debate.id, "turn": turn.id},
            )
            spoken = TurnResult(
                e.TurnFailed(turn.id, self.table.redact(f"{type(error).__name__}: {error}")[:300])
            )
        self.table.inbox.put_nowait(spoken)

    def cancel_all(self) -> None:
        for task in self.tasks.values():
            task.cancel()

    async def _note(self, call: Call) -> None:
        async with self.writing:
            await self.table.log.append(Append(self.debate.id, self.debate.count, calls=(call,)))


def wakes(debate: Debate) -> datetime | None:
    """When a debate is to be looked at again: the end of its vote, then the day its report set;
    None while no time is waited for.
    """
    if debate.concluded is None or debate.opened is None:
        return None
    if debate.closed is None:
        return debate.concluded.at + timedelta(seconds=debate.opened.terms.vote_window)
    made = pending_follow_up(debate)
    return made.at if made is not None else None
