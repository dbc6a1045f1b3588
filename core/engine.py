"""The one loop, and the only place in core that starts tasks.

It walks a debate from any prefix of its events to where it can go no further now: concluded, paused, or fenced off by another writer.
Every change goes through ``_record``: evolve, append, then tell. Tasks only speak; what they bring back is a message in the inbox like a
person's command, and the loop alone decides what it means. Whatever waits in the inbox at one moment is put into one commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core import commands as c
from core import events as e
from core.convergence import should_stop
from core.debate import Debate, complete, due, evolve
from core.decisions import decide
from core.errors import Fenced, Refused
from core.guards import GUARDS
from core.ports import Append, Call, Clock, Log, Models, OnWords
from core.script import Turn
from core.speaking import Redact, Speaker, Spoken, intent
from core.verdict import conclude, verdict

logger = logging.getLogger(__name__)

CENT_DUST = 1e-9
"""Ten dimes make a dollar, whatever binary fractions say."""
Told = Callable[[e.Event, Debate], None]
"""Hears each event after it is durable, with the state it led to. Its failures are logged and never reach the debate."""
Words = Callable[[Turn], OnWords | None]
Measure = Callable[[Debate, int], "asyncio.Future[e.RoundMeasured | None]"]
Cost = Callable[[Debate, Turn], float | None]
"""USD that one more call of this turn will cost at most; None is unknown."""
Left = Callable[[], Awaitable[float | None]]
"""USD that the day and the person have left; None is without limit."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command on its way in. ``signal`` is its stored id (None when it was not stored); ``answer`` hears what became of it."""

    command: c.Command
    signal: int | None = None
    answer: asyncio.Future[str] | None = None


@dataclass(slots=True)
class Table:
    """What the loop needs around it. ``inbox`` receives ``Asked`` from anywhere; ``cost`` prices a call before it is made."""

    log: Log
    models: Models
    clock: Clock
    inbox: asyncio.Queue[Asked | Spoken]
    told: Told = lambda _event, _debate: None
    words: Words = lambda _turn: None
    measure: Measure | None = None
    cost: Cost = lambda _debate, _turn: None
    left: Left | None = None
    redact: Redact = lambda text: text
    timeout: float = 90.0
    paid: Sequence[Call] = field(default_factory=tuple)


async def play(debate: Debate, table: Table) -> Debate:
    """Plays ``debate`` on until it is over or paused and returns its state then. Raises ``Fenced`` when another writer took over."""
    run = _Run(debate, table)
    try:
        async with asyncio.TaskGroup() as group:
            run.group = group
            await run.walk()
    except* Fenced as fenced:
        raise Fenced(*fenced.exceptions[0].args) from None
    return run.debate


class _Run:
    group: asyncio.TaskGroup

    def __init__(self, debate: Debate, table: Table) -> None:
        self.debate, self.table = debate, table
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.writing = asyncio.Lock()
        self.speaker = Speaker(
            models=table.models,
            note=self._note,
            paid={(call.turn, call.attempt): call for call in table.paid},
            affordable=self._affordable,
            redact=table.redact,
            timeout=table.timeout,
        )
        self.checked: set[int] = set()

    async def walk(self) -> None:
        await self._drain()
        if not self.debate.over and self.debate.paused is None:
            for turn in self.debate.running:  # in flight when the last writer died or the debate was paused
                self._start(turn)
        while not self.debate.over and self.debate.paused is None:
            if await self._advance():
                continue
            await self._take(await self.table.inbox.get())
        self.cancel_all()
        await self._drain()  # an answer that arrived together with a pause is paid for: keep it

    async def _drain(self) -> None:
        while not self.table.inbox.empty():
            await self._take(self.table.inbox.get_nowait())

    async def _advance(self) -> bool:
        """Does what follows from the state alone. False when only an answer or a command can move the debate on."""
        if complete(self.debate):
            await self._record(*self._conclusion())
            return True
        if self.debate.stop is None and (stop := await self._check_rounds()):
            await self._stop(stop)
            return True
        events = due(self.debate, GUARDS)
        if not events:
            return False
        starting: list[Turn] = []
        kept: list[e.Event] = []
        left = await self.table.left() if self.table.left is not None else None
        for event in events:
            if isinstance(event, e.TurnStarted):
                turn = self.debate.script.turn(event.turn)
                if not turn.closing and (short := self._short_of(turn, len(starting) + 1, left)):
                    await self._stop(e.StopOrdered(e.Because.BUDGET, detail=short))
                    return True
                starting.append(turn)
            kept.append(event)
        before = self.debate
        await self._record(*kept, calls=tuple(intent(before, turn) for turn in starting))
        for turn in starting:
            self._start(turn)
        return True

    def _conclusion(self) -> tuple[e.Event, ...]:
        """The verdict, and the end of the vote at once where nobody was given time to vote."""
        result, now = verdict(self.debate), self.table.clock.now()
        concluded = e.DebateConcluded(conclude(self.debate), result.decision, result.reached, now)
        if self.debate.open.terms.vote_window > 0:
            return (concluded,)
        return concluded, e.VotesClosed(result.decision, result.reached, False, now)

    async def _check_rounds(self) -> e.StopOrdered | None:
        """Asks the stop rules once after each completed round."""
        rounds = {t.round for t in self.debate.turns}
        done = {r for r in rounds if all(t.id in self.debate.settled for t in self.debate.turns if t.round == r)}
        for number in sorted(done - self.checked):
            self.checked.add(number)
            if self.table.measure is not None and number not in self.debate.measured:
                measured = await self.table.measure(self.debate, number)
                if measured is not None:
                    await self._record(measured)
            if (stop := should_stop(self.debate)) is not None:
                return stop
        return None

    def _short_of(self, turn: Turn, calls: int, left: float | None) -> str:
        """Which budget does not pay for ``calls`` calls like this one, in words; empty when all do."""
        if not self._affordable(turn, calls):
            return "the debate's budget is used up"
        flying = [*self.debate.running, *([turn] * calls)]
        needs = sum(self.table.cost(self.debate, t) or 0.0 for t in flying) + self.debate.open.terms.reserve
        if left is not None and needs > left:
            return "the day's budget is used up"
        return ""

    def _affordable(self, turn: Turn, calls: int = 1) -> bool:
        terms = self.debate.open.terms
        if terms.budget is None:
            return True
        cost = self.table.cost(self.debate, turn)
        flying = sum(self.table.cost(self.debate, t) or 0.0 for t in self.debate.running)
        reserve = 0.0 if turn.closing else terms.reserve
        return self.debate.spent + flying + (cost or 0.0) * calls + reserve <= terms.budget + CENT_DUST

    def _start(self, turn: Turn) -> None:
        self.tasks[turn.id] = self.group.create_task(self._speak(turn, self.debate), name=f"{self.debate.id}:{turn.id}")

    async def _speak(self, turn: Turn, seen: Debate) -> None:
        try:
            spoken = await self.speaker.speak(seen, turn, self.table.words(turn))
        except (asyncio.CancelledError, Fenced):
            raise
        except Exception as error:  # a defect of an adapter must cost one turn, not the debate; it is logged with its trace
            logger.exception("turn failed", extra={"action": "turn_failed", "debate": self.debate.id, "turn": turn.id})
            spoken = Spoken(e.TurnFailed(turn.id, self.table.redact(f"{type(error).__name__}: {error}")[:300]))
        await self.table.inbox.put(spoken)

    async def _take(self, first: Asked | Spoken) -> None:
        """Takes everything that waits now and commits it at once, in the order of arrival."""
        items = [first]
        while not self.table.inbox.empty():
            items.append(self.table.inbox.get_nowait())
        events: list[e.Event] = []
        calls: list[Call] = []
        applied: list[int] = []
        answers: dict[int, str] = {}
        replies: list[tuple[asyncio.Future[str], str]] = []
        state = self.debate
        for item in items:
            if isinstance(item, Spoken):
                if item.event.turn in state.settled:
                    continue  # stopped while it was finishing
                made: Sequence[e.Event] = (item.event,)
                calls += item.calls
            else:
                made, said = _decided(state, item.command)
                if item.signal is not None:
                    applied.append(item.signal)
                    answers[item.signal] = said
                if item.answer is not None:
                    replies.append((item.answer, said))
            for event in made:
                state = evolve(state, event)
                events.append(event)
                if isinstance(event, e.StopOrdered):
                    for stopped in self._stopped(state):
                        state = evolve(state, stopped)
                        events.append(stopped)
        await self._record(*events, calls=tuple(calls), applied=tuple(applied), answers=answers)
        for answer, said in replies:
            if not answer.done():
                answer.set_result(said)

    async def _stop(self, stop: e.StopOrdered) -> None:
        state = evolve(self.debate, stop)
        await self._record(stop, *self._stopped(state))

    def _stopped(self, state: Debate) -> list[e.Event]:
        """Ends the calls in flight, the closing ones excepted."""
        events: list[e.Event] = []
        for turn in state.running:
            if not turn.closing:
                if task := self.tasks.pop(turn.id, None):
                    task.cancel()
                events.append(e.TurnFailed(turn.id, "stopped"))
        return events

    def cancel_all(self) -> None:
        for task in self.tasks.values():
            task.cancel()

    async def _note(self, call: Call) -> None:
        async with self.writing:
            await self.table.log.append(Append(self.debate.id, self.debate.count, calls=(call,)))

    async def _record(
        self,
        *events: e.Event,
        calls: tuple[Call, ...] = (),
        applied: tuple[int, ...] = (),
        answers: Mapping[int, str] | None = None,
    ) -> None:
        if not events and not calls and not applied:
            return
        async with self.writing:
            position, state = self.debate.count, self.debate
            states = []
            for event in events:
                state = evolve(state, event)
                states.append(state)
            await self.table.log.append(
                Append(
                    debate=state.id,
                    position=position,
                    events=events,
                    calls=calls,
                    applied=applied,
                    answers=answers or {},
                    status=state.status,
                    wake_at=wakes(state),
                )
            )
            self.debate = state
        for event, after in zip(events, states, strict=True):
            try:
                self.table.told(event, after)
            except Exception:  # a listener's defect must never stop a debate; it is logged with its trace
                logger.exception("listener failed", extra={"action": "listener_failed", "debate": state.id})


def wakes(debate: Debate) -> datetime | None:
    """When a debate that waits for votes is to be looked at again; None while nothing is waited for."""
    if debate.concluded is None or debate.closed is not None or debate.opened is None:
        return None
    return debate.concluded.at + timedelta(seconds=debate.opened.terms.vote_window)


def _decided(debate: Debate, command: c.Command) -> tuple[Sequence[e.Event], str]:
    try:
        return decide(debate, command), ""
    except Refused as refusal:
        return (), str(refusal)
