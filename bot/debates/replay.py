"""Plays a stored debate once more through the real engine on its stored answers: either the same
events result, or the first that differs, with its cause.

Inputs from outside (answers, people's commands, time, prices) are taken from the record. Everything
between them is computed again: which turns are due, how an answer is read, when a debate stops,
what is decided. Commits are not recorded; adjacent inputs are given together, because a consequence
of the first would be between them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from bot.debates.advance import TIME_IS_UP
from bot.debates.fork import LEFT_OUT
from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import DAY_USED_UP, DEBATE_USED_UP, PROOF_USED_UP, Budget
from core.debate.commands.decisions import decide
from core.debate.engine import Arrival, AtRest, EngineContext, InboxCommand, play
from core.debate.errors import ModelError, ModelFailure
from core.debate.log import Append, Call, CallState
from core.debate.ports import CallOptions, Message, Model, OnWords, Price, Reply
from core.debate.replies import Statement
from core.debate.script import Turn
from core.debate.speaking import Speaker
from core.debate.spoken import OUT_OF_MONEY, TurnResult, request_hash
from core.debate.state import Debate, evolve
from core.debate.state import replay as fold
from core.debate.usage import Usage
from core.debate.verdict.convergence import should_stop
from core.debate.verdict.follow_up import pending_follow_up
from core.words.views.course.replayed import Cause, FirstDifference, Replayed

_ASKING = (e.ChallengeRaised, e.DebateReopened, e.ProofAsked, e.SeatAsked, e.TurnsAdded)
"""What people ask of seats, and the turns that this adds."""
_ANSWERS = (e.TurnFinished, e.TurnFailed)
_MOST_CUTS = 12
"""The most times that a debate is played anew to find which inputs came together."""


async def replay_debate(
    events: Sequence[e.Event], calls: Sequence[Call], document: Mapping[str, Any] | None = None
) -> Replayed:
    """Plays the record once more. ``calls`` are its stored answers; ``document`` is the outcome
    that was stored at the end, None to compare none.
    """
    debate = fold(events)
    why_not = _why_not(debate, events)
    if why_not:
        return Replayed(debate.id, 0, why_not=why_not)
    record, difference = await _played(tuple(events), calls)
    if difference is None and document is not None:
        difference = _other_member(record.state, document)
    return Replayed(
        debate.id,
        len(record.log),
        difference=difference,
        reworded=tuple(sorted(record.reworded)),
        as_recorded=tuple(sorted(record.as_recorded)),
        compared=document is not None,
    )


def _why_not(debate: Debate, events: Sequence[e.Event]) -> str:
    if debate.deleted is not None or any(isinstance(x, e.EventRemoved) for x in events):
        return "deleted"
    if any(isinstance(x, e.UnknownEvent) for x in events):
        return "newer"
    return "" if debate.opened is not None else "unopened"


async def _played(
    events: tuple[e.Event, ...], calls: Sequence[Call]
) -> tuple[_Record, FirstDifference | None]:
    """Plays the record and returns it with the first difference.

    A debate decides once in each round whether to stop: if that decision differs, the inputs before
    it are tried one by one as well.
    """
    record = first = _Record(events, calls)
    difference = later = await _difference(record)
    while later is not None and len(record.apart) < _MOST_CUTS:
        together = [at for at, size in record.batches if size > 1 and at not in record.apart]
        if not together:
            break
        record = _Record(events, calls, apart=record.apart | {together[-1]})
        later = await _difference(record)
        if later is None:
            return record, None
    return first, difference


async def _difference(record: _Record) -> FirstDifference | None:
    while len(record.log) < len(record.events):
        before = len(record.log)
        try:
            await play(record.state, record.context())
        except ExceptionGroup as group:
            if differs := group.subgroup(_Differs):
                return _innermost(differs).difference
            if group.subgroup(_EndOfRecord):
                return None
            raise
        if len(record.log) == before:
            return record.differs(None, Cause.FLOW).difference
    return None


def _innermost(group: ExceptionGroup[_Differs]) -> _Differs:
    inner = group.exceptions[0]
    return _innermost(inner) if isinstance(inner, ExceptionGroup) else inner


class _Differs(Exception):
    def __init__(self, difference: FirstDifference) -> None:
        super().__init__(difference)
        self.difference = difference


class _EndOfRecord(Exception):
    """Every recorded event came out, but the debate itself was not over."""


@dataclass
class _Record:
    """The recorded events and how far they have come out again. It is the log, the clock and the
    models of the debate that is played once more.

    ``log`` holds the events so far; ``reworded`` are turns whose prompt is different today,
    ``as_recorded`` those whose answer is no longer stored, so that their event is taken from the
    record. ``batches`` maps the positions at which inputs are given to how many come together;
    ``apart`` are positions at which they are given one by one.
    """

    events: tuple[e.Event, ...]
    answers: Sequence[Call]
    log: list[e.Event] = field(default_factory=list)
    reworded: set[str] = field(default_factory=set)
    as_recorded: set[str] = field(default_factory=set)
    apart: frozenset[int] = frozenset()
    batches: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = list(self.events[: self._begun()])
        self.state = fold(self.log)
        self.inbox = _RecordedInbox(self)
        self.finished: dict[str, e.TurnFinished | e.TurnFailed] = {
            x.turn: x for x in self.events if isinstance(x, e.TurnFinished | e.TurnFailed)
        }

    def _begun(self) -> int:
        """Counts the events that the debate began with: its request, its opening, and those that a
        fork inherited without paying for them. It may have been cut between a person's challenge
        and the turns that this added.
        """
        first = self.events[0]
        if not (isinstance(first, e.DebateRequested) and first.fork is not None):
            return _first_of(self.events, e.DebateOpened) + 1
        paid = {call.turn for call in self.answers}
        inherited = [
            n
            for n, event in enumerate(self.events)
            if (isinstance(event, e.TurnFinished | e.TurnFailed) and event.turn not in paid)
            or (isinstance(event, e.TurnSkipped) and event.reason == LEFT_OUT)
        ]
        begun = max([1, *inherited]) + 1
        questions = takewhile(lambda event: isinstance(event, _ASKING), self.events[begun:])
        return begun + len([*questions])

    def context(self) -> EngineContext:
        return EngineContext(
            log=self,
            clock=self,
            inbox=self.inbox,
            speaking=_RecordedSpeaker(self),
            decide=decide,
            should_stop=should_stop,
            budget=_RecordedBudget(record=self),
            measure=self.measure,
            at_rest=AtRest.RECORDED,
        )

    @property
    def next(self) -> e.Event | None:
        return self.events[len(self.log)] if len(self.log) < len(self.events) else None

    def differs(self, got: e.Event | None, cause: Cause, turn: str = "") -> _Differs:
        was = self.next
        return _Differs(FirstDifference(len(self.log), was, got, cause, turn))

    async def append(self, append: Append) -> None:
        """Compares new events with the record."""
        for event, after in zip(append.events, append.states[1:], strict=True):
            if self.next is None:
                raise _EndOfRecord
            if event != self.next:
                raise self.differs(event, _cause(event, self.next), getattr(event, "turn", ""))
            self.log.append(event)
            self.state = after

    def now(self) -> datetime:
        """Returns the recorded time of the next event that has one."""
        later = self.events[len(self.log) :]
        waits = (x.until for x in later if isinstance(x, e.TurnStarted) and x.until is not None)
        if (until := next(waits, None)) is not None:
            return until - timedelta(seconds=self.state.open.terms.patience)
        ended = (x.at for x in later if isinstance(x, e.DebateConcluded))
        return next(ended, self.state.requested.at)

    async def sleep(self, seconds: float) -> None:
        """Returns at once, because a replay never waits."""

    def get(self, name: str) -> Model:
        return _StoredModel(name, self)

    def price(self, _name: str) -> Price:
        return Price(0.0, 0.0)

    def default(self) -> Sequence[str]:
        return ()

    async def measure(self, _debate: Debate, round: int) -> e.RoundMeasured | None:
        """Returns the recorded similarity of claims: it comes from a measure, and no rule decides
        it.
        """
        later = self.events[len(self.log) :]
        return next((x for x in later if isinstance(x, e.RoundMeasured) and x.round == round), None)


def _cause(got: e.Event, was: e.Event | None) -> Cause:
    """Names the rule that gives a different result today."""
    match got, was:
        case (e.TurnFinished(), e.TurnFinished() | e.TurnFailed()) | (
            e.TurnFailed(),
            e.TurnFinished(),
        ):
            return Cause.READING
        case (e.DebateConcluded(), _) | (e.VotesClosed(), _):
            return Cause.VERDICT
        case (e.StopOrdered(), _) | (_, e.StopOrdered()):
            return Cause.STOPPING
        case (e.ChallengeRaised() | e.SeatAsked() | e.VoteCast(), _):
            return Cause.COMMANDS
        case _:
            return Cause.FLOW


def _first_of(events: Sequence[e.Event], kind: type[object]) -> int:
    return next(n for n, event in enumerate(events) if isinstance(event, kind))


class _RecordedInbox(asyncio.Queue[Arrival]):
    """Gives the recorded inputs in their order, each at its place and no sooner."""

    def __init__(self, record: _Record) -> None:
        super().__init__()
        self._record = record
        self._spoken: dict[str, TurnResult] = {}
        self._came = asyncio.Event()
        self._batch: deque[Arrival] = deque()
        self._given = -1  # the position of the record from which the last batch was taken

    def put_nowait(self, item: Arrival) -> None:
        if isinstance(item, TurnResult):
            self._spoken.setdefault(item.event.turn, item)
            self._came.set()

    async def get(self) -> Arrival:
        if not self._batch:
            self._given = len(self._record.log)
            due = self._due()
            if self._given in self._record.apart:
                due = due[:1]
            self._record.batches.append((self._given, len(due)))
            self._batch = deque([await self._input(event) for event in due])
        if not self._batch:
            if self._record.next is None:
                raise _EndOfRecord
            raise self._record.differs(None, Cause.FLOW)
        return self._batch.popleft()

    def empty(self) -> bool:
        """True if nothing waits; before the first read only commands wait, since an answer is
        awaited.
        """
        if not self._batch and self._given != len(self._record.log):
            self._given = len(self._record.log)
            inputs = takewhile(lambda event: not isinstance(event, _ANSWERS), self._due())
            self._batch = deque(_command(event, self._record.state) for event in inputs)
        return not self._batch

    def get_nowait(self) -> Arrival:
        return self._batch.popleft()

    def _due(self) -> list[e.Event]:
        record, due = self._record, list[e.Event]()
        state = record.state
        for event in record.events[len(record.log) :]:
            if _is_input(event, state):
                due.append(event)
            elif not (due and _belongs(event, due[-1])):
                break
            state = evolve(state, event)
        return due

    async def _input(self, event: e.Event) -> Arrival:
        if not isinstance(event, e.TurnFinished | e.TurnFailed):
            return _command(event, self._record.state)
        if not _is_stored(event, self._record.answers):
            self._record.as_recorded.add(event.turn)
            return TurnResult(event)
        while event.turn not in self._spoken:
            self._came.clear()
            await self._came.wait()
        spoken = self._spoken[event.turn]
        return replace(spoken, event=replace(spoken.event, usage=event.usage))


class _RecordedSpeaker(Speaker):
    def cut_off(self, turn: Turn, reason: str) -> TurnResult:
        """Returns the end with the recorded cost, which no rule decides."""
        assert isinstance(self.models, _Record)  # noqa: S101 (it is made for a record only)
        recorded = self.models.finished.get(turn.id)
        usage = recorded.usage if recorded is not None else Usage()
        return TurnResult(e.TurnFailed(turn.id, reason, usage))


def _is_stored(event: e.TurnFinished | e.TurnFailed | None, calls: Sequence[Call]) -> bool:
    """True if the answers are stored from which the turn was settled."""
    if event is None or (isinstance(event, e.TurnFailed) and event.reason == e.STOPPED):
        return False
    states = {call.state for call in calls if call.turn == event.turn}
    return CallState.DONE in states or (
        isinstance(event, e.TurnFailed) and CallState.FAILED in states
    )


def _belongs(event: e.Event, cause: e.Event) -> bool:
    match cause, event:
        case e.ChallengeRaised(id) | e.SeatAsked(id), e.TurnsAdded(_, _, because):
            return because == id
        case e.ChallengeRaised(id), e.DebateReopened(challenge):
            return challenge == id
        case e.ProofAsked(_, finding), e.DebateReopened(challenge):
            return challenge == f"proof:{finding}"
        case e.StopOrdered(), e.TurnFailed(_, reason):
            return reason == e.STOPPED
        case _:
            return False


def _is_input(event: e.Event, state: Debate) -> bool:
    """True if an event came from outside; every other follows from the state."""
    match event:
        case e.TurnFailed(_, reason):
            return reason != e.STOPPED
        case e.StopOrdered(reason, _, detail):
            return reason is e.EndReason.HUMAN or detail == TIME_IS_UP
        case e.VotesClosed():
            return state.open.terms.vote_window > 0
        case (
            e.TurnStarted()
            | e.TurnSkipped()
            | e.TurnsAdded()
            | e.DebateReopened()
            | e.DebateConcluded()
            | e.RoundMeasured()
        ):
            return False
        case _:
            return True


def _command(event: e.Event, state: Debate) -> Arrival:
    """Returns the command that must have led to this event; of tests nothing is run again."""
    if isinstance(event, e.ProofsFramed | e.ProofRun):
        return event
    return InboxCommand(_asked(event, state))


def _asked(event: e.Event, state: Debate) -> c.Command:
    match event:
        case e.ChallengeRaised(_, author, text, to, source):
            return c.RaiseChallenge(author, text, to, source)
        case e.SeatAsked(_, by, subject, _, own, source):
            return c.AskSeat(by, subject, own, source)
        case e.ProofAsked(by, finding, source):
            return c.Prove(by, finding, source)
        case e.VoteCast(voter, option, subject, role):
            return c.CastVote(voter, option, subject, role)
        case e.VoteWithdrawn(voter, option, subject):
            return c.WithdrawVote(voter, option, subject)
        case e.DebatePaused(by, reason):
            return c.Pause(by, reason)
        case e.DebateResumed(by):
            return c.Resume(by)
        case e.StopOrdered(reason, by, detail):
            return c.Stop(by, reason.value, detail)
        case e.PlaceAdded(place, by, language):
            return c.AddPlace(place, by, language)
        case e.WholeShown(by):
            return c.ShowWhole(by)
        case e.VotesClosed():
            return c.Wake(event.at)
        case e.FollowUpDue(question, at):
            pending = pending_follow_up(state)
            if pending is not None and pending.question == question and pending.at <= at:
                return c.Wake(at)
            return event
        case (
            e.OutcomeResolved()
            | e.FindingJudged()
            | e.VerdictRated()
            | e.ForgeNoted()
            | e.WaitNoted()
        ):
            return event
        case _:
            raise AssertionError(f"{type(event).__name__} is no command's")


@dataclass(frozen=True, slots=True)
class _RecordedBudget(Budget):
    """Answers questions of money as the record did, since prices and other debates are not
    recorded.
    """

    record: _Record = field(kw_only=True)

    async def shortage(
        self, debate: Debate, calls: Sequence[Call], held: Mapping[str, float]
    ) -> str:
        at = self.record.events[debate.count : debate.count + 1]
        match at:
            case (e.StopOrdered(e.EndReason.BUDGET, _, detail),):
                return detail
            case (e.TurnSkipped(_, reason),) if reason in (DAY_USED_UP, DEBATE_USED_UP):
                return reason
            case _:
                return ""

    def is_beyond_proof(
        self, debate: Debate, turn: Any, call: Call, held: Mapping[str, float]
    ) -> bool:
        later = self.record.events[debate.count :]
        return e.TurnSkipped(turn.id, PROOF_USED_UP) in later

    async def pays_for(
        self, debate: Debate, turn: Any, call: Call, held: Mapping[str, float]
    ) -> bool:
        """Return whether the record shows that one more try was paid for."""
        settled = self.record.finished.get(turn.id)
        short = isinstance(settled, e.TurnFailed) and settled.reason == OUT_OF_MONEY
        if not short:
            return True
        made = [x for x in self.record.answers if x.turn == turn.id and x.answered]
        return call.attempt <= len(made)


class NoStoredAnswerError(Exception):
    """The engine makes a request that the record does not hold."""


@dataclass(frozen=True, slots=True)
class _StoredModel:
    """Answers each request with its stored answer, or, if the turn's prompt is different today,
    with the turn's stored answer.
    """

    name: str
    record: _Record
    family: str = ""
    demo: bool = False
    window: int = 100_000

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        rows = [
            row
            for row in self.record.answers
            if (row.turn, row.model) == (asking.turn, self.name) and row.answered
        ]
        digest = request_hash(self.name, messages)
        row = _best(row for row in rows if row.request_hash == digest)
        settled = self.record.finished.get(asking.turn)
        if not rows and _is_stored(settled, self.record.answers):
            # another model answered this turn, because this one could not be called at all
            raise ModelError(ModelFailure.NO_KEY, f"no model {self.name}")
        if row is None and not _is_stored(settled, rows):
            await asyncio.Event().wait()  # its answer never came, or is taken as recorded
        if row is None:
            row = self._as_asked_then(rows, messages)
            self.record.reworded.add(asking.turn)
        if row.state == CallState.FAILED:
            kind, _, text = row.error.partition(": ")
            raise ModelError(kind, text, usage=row.usage)
        recorded = self._statement(asking.turn)
        return Reply(
            row.response,
            row.usage,
            self.name,
            sources=recorded.sources,
            cut=row.error,
            failed_searches=recorded.failed_searches,
        )

    def _as_asked_then(self, rows: Sequence[Call], messages: Sequence[Message]) -> Call:
        """Returns the turn's stored answer at the same place: the first one, or the reply to the
        request to repair it.
        """
        mending = any(message.role == "assistant" for message in messages)
        done = [row for row in rows if row.state == CallState.DONE]
        at = int(mending)
        if at < len(done):
            return done[at]
        failed = _best(rows)
        if done or failed is None:
            raise NoStoredAnswerError(f"{self.name} was not asked this")
        return failed

    def _statement(self, turn: str) -> Statement:
        """Returns the recorded statement, whose look-ups are used again: neither the web nor the
        repository is read.
        """
        settled = self.record.finished.get(turn)
        return settled.statement if isinstance(settled, e.TurnFinished) else Statement("")


def _best(rows: Iterable[Call]) -> Call | None:
    """Prefers a finished answer to a failed one; after a crash both may be stored."""
    return min(rows, key=lambda row: row.state, default=None)


def _other_member(debate: Debate, document: Mapping[str, Any]) -> FirstDifference | None:
    """Returns the name of the first member of the outcome document that differs."""
    from core.words.outcome import outcome
    from core.words.receipt.canonical import canonical_json

    made = outcome(debate)
    for name in dict.fromkeys((*document, *made)):
        if canonical_json(document.get(name)) != canonical_json(made.get(name)):
            return FirstDifference(debate.count, None, None, Cause.DOCUMENT, member=name)
    return None
