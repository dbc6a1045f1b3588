"""The pure heart: state is a fold of events, commands become events or are refused, and what is due
follows from the state alone.

    command -> decide -> events -> append -> evolve -> due -> speak -> events ...

Nothing here waits, reads a clock or draws a number. Whoever holds the same events holds the same
debate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, assert_never

from core import events as e
from core.errors import Refused
from core.ports import Usage
from core.replies import Statement
from core.script import Script, SeatId, Turn, TurnId


@dataclass(frozen=True, slots=True)
class Debate:
    """The folded state.

    ``usage`` and ``spoke`` are per turn; ``votes`` is keyed by (subject, voter) and holds the last
    choice.
    """

    id: str
    request: e.DebateRequest
    requested: e.DebateRequested
    fork: e.Fork | None = None
    opened: e.DebateOpened | None = None
    failure: str = ""
    plan: Script | None = None
    said: Mapping[TurnId, Statement] = field(default_factory=dict)
    failed: Mapping[TurnId, str] = field(default_factory=dict)
    skipped: Mapping[TurnId, str] = field(default_factory=dict)
    begun: frozenset[TurnId] = frozenset()
    settled: frozenset[TurnId] = frozenset()
    usage: Mapping[TurnId, Usage] = field(default_factory=dict)
    spoke: Mapping[TurnId, str] = field(default_factory=dict)
    challenges: tuple[e.ChallengeRaised, ...] = ()
    votes: Mapping[tuple[str, str], e.VoteCast] = field(default_factory=dict)
    measured: Mapping[int, e.RoundMeasured] = field(default_factory=dict)
    paused: e.DebatePaused | None = None
    stop: e.StopOrdered | None = None
    concluded: e.DebateConcluded | None = None
    closed: e.VotesClosed | None = None
    places: tuple[str, ...] = ()
    resolved: e.OutcomeResolved | None = None
    follow_up: e.FollowUpDue | None = None
    count: int = 0

    @property
    def open(self) -> e.DebateOpened:
        """The opening, for everything that only makes sense after it."""
        if self.opened is None:
            raise Refused(f"debate {self.id} has not opened yet")
        return self.opened

    @property
    def script(self) -> Script:
        """The compiled script with the turns that were added since."""
        return self.open.script if self.plan is None else self.plan

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The script's turns; none before the opening."""
        return () if self.plan is None else self.plan.turns

    @property
    def over(self) -> bool:
        """Nothing will be said any more; votes may still come in."""
        return bool(self.failure) or self.concluded is not None

    @property
    def final(self) -> bool:
        """Nothing at all can change any more."""
        return bool(self.failure) or self.closed is not None

    @property
    def status(self) -> str:
        """queued | running | waiting | paused | finished | stopped | failed, as the outcome
        document says it.
        """
        if self.failure:
            return "failed"
        if self.concluded is not None:
            if self.closed is None:
                return "waiting"
            if self.concluded.because is e.EndReason.HUMAN:
                return "stopped"
            lost = (
                self.concluded.because in (e.EndReason.ERROR, e.EndReason.NO_QUORUM)
                or not self.heard
            )
            return "failed" if lost else "finished"
        if self.paused is not None:
            return "paused"
        return "queued" if self.opened is None else "running"

    @property
    def heard(self) -> frozenset[SeatId]:
        """Entitled seats with at least one readable statement.

        Where there is none, nothing was decided, whatever ended it.
        """
        voters = frozenset(self.open.script.voters)
        return frozenset(t.seat for t in self.turns if t.id in self.said and t.seat in voters)

    @property
    def running(self) -> tuple[Turn, ...]:
        """Turns whose call is in flight, or was when the last writer died."""
        return tuple(t for t in self.turns if t.id in self.begun and t.id not in self.settled)

    @property
    def spent(self) -> float:
        """USD of everything with a known price: finished and failed attempts, and what was spent on
        sizing before the opening.
        """
        before = self.opened.terms.assessed if self.opened is not None else None
        return sum(u.usd or 0.0 for u in self.usage.values()) + (
            (before.usd or 0.0) if before is not None else 0.0
        )

    def unsettled_readers(self) -> tuple[Turn, ...]:
        return tuple(t for t in self.turns if t.id not in self.begun and t.id not in self.settled)


def begin(first: e.DebateRequested) -> Debate:
    return Debate(
        id=first.id,
        request=first.request,
        requested=first,
        fork=first.fork,
        places=(first.request.place,),
        count=1,
    )


def evolve(debate: Debate, event: e.Event) -> Debate:
    """The state after ``event``. Total: a fact is never refused."""
    return replace(debate, count=debate.count + 1, **_changes(debate, event))


def _changes(d: Debate, event: e.Event) -> dict[str, Any]:  # noqa: C901  one arm per event, exhaustive
    match event:
        case e.DebateRequested():
            return {}
        case e.DebateOpened():
            return {"opened": event, "plan": event.script}
        case e.OpeningFailed(reason):
            return {"failure": reason}
        case e.TurnStarted(turn):
            return {"begun": d.begun | {turn}}
        case e.TurnFinished(turn, statement, usage, model):
            return _settled(d, turn, usage, model) | {"said": {**d.said, turn: statement}}
        case e.TurnFailed(turn, reason, usage, model):
            return _settled(d, turn, usage, model) | {"failed": {**d.failed, turn: reason}}
        case e.TurnSkipped(turn, reason):
            return {"skipped": {**d.skipped, turn: reason}, "settled": d.settled | {turn}}
        case e.TurnsAdded():
            return {"plan": _insert(d, event)}
        case e.ChallengeRaised():
            return {"challenges": (*d.challenges, event)}
        case e.VoteCast():
            return {"votes": {**d.votes, (event.subject, event.voter): event}}
        case e.VoteWithdrawn():
            return _withdrawn(d, event)
        case e.RoundMeasured(round):
            return {"measured": {**d.measured, round: event}}
        case e.DebatePaused():
            return {"paused": event}
        case e.DebateResumed():
            return {"paused": None}
        case e.StopOrdered():
            return {"stop": d.stop or event, "paused": None}
        case e.PlaceAdded(place):
            return {} if place in d.places else {"places": (*d.places, place)}
        case e.DebateConcluded():
            return {"concluded": event}
        case e.VotesClosed():
            return {"closed": event}
        case e.OutcomeResolved():
            return {"resolved": event}
        case e.FollowUpDue():
            return {"follow_up": event}
        case _:
            assert_never(event)


def _settled(d: Debate, turn: TurnId, usage: Usage, model: str) -> dict[str, Any]:
    spoke = {**d.spoke, turn: model} if model else d.spoke
    return {"settled": d.settled | {turn}, "usage": {**d.usage, turn: usage}, "spoke": spoke}


def _withdrawn(d: Debate, event: e.VoteWithdrawn) -> dict[str, Any]:
    """A vote that was replaced since stays: taking back what no longer counts changes nothing."""
    key = (event.subject, event.voter)
    kept = d.votes.get(key)
    if kept is None or (event.option and kept.option != event.option):
        return {}
    return {"votes": {k: v for k, v in d.votes.items() if k != key}}


def replay(recorded: Iterable[e.Event]) -> Debate:
    """The debate that these events make.

    Raises ``ValueError`` when they do not begin with a request.
    """
    it = iter(recorded)
    first = next(it, None)
    if not isinstance(first, e.DebateRequested):
        raise ValueError("a debate begins with DebateRequested")
    return reduce(evolve, it, begin(first))


def _insert(d: Debate, added: e.TurnsAdded) -> Script:
    """Added turns go before their first reader; a reader that has started by now keeps what it
    read.
    """
    fresh = set(added.read_by) - d.begun - d.settled
    ids = tuple(t.id for t in added.turns)
    at = next((i for i, t in enumerate(d.turns) if t.id in fresh), len(d.turns))
    after = tuple(replace(t, reads=(*t.reads, *ids)) if t.id in fresh else t for t in d.turns[at:])
    return replace(d.script, turns=(*d.turns[:at], *added.turns, *after))


Guard = Callable[[Turn, Debate], bool]


def due(debate: Debate, guards: Mapping[str, Guard]) -> tuple[e.TurnStarted | e.TurnSkipped, ...]:
    """What must happen now, given only what has happened so far.

    Empty while paused, before the opening and after the end.
    """
    if debate.opened is None or debate.over or debate.paused is not None:
        return ()
    out: list[e.TurnStarted | e.TurnSkipped] = []
    for turn in debate.unsettled_readers():
        if debate.stop is not None and (not turn.closing or _nothing_to_pay_for(debate)):
            out.append(e.TurnSkipped(turn.id, debate.stop.detail or debate.stop.reason.value))
        elif debate.settled.issuperset(turn.reads):
            wanted = not turn.when or guards[turn.when](turn, debate)
            out.append(e.TurnStarted(turn.id) if wanted else e.TurnSkipped(turn.id, turn.when))
    return tuple(out)


def _nothing_to_pay_for(debate: Debate) -> bool:
    """A budget that did not pay for a single word pays for no closing over nothing either."""
    return debate.stop is not None and debate.stop.reason is e.EndReason.BUDGET and not debate.said


def complete(debate: Debate) -> bool:
    """Every turn is settled: the debate can be concluded."""
    return (
        debate.opened is not None
        and not debate.over
        and all(t.id in debate.settled for t in debate.turns)
    )


def stances(debate: Debate, turns: Iterable[Turn]) -> dict[SeatId, str]:
    """The last stance of each entitled seat among ``turns``, in script order; seats that said none
    are absent.
    """
    voters = set(debate.open.script.voters)
    held: dict[SeatId, str] = {}
    for turn in turns:
        statement = debate.said.get(turn.id)
        if turn.seat in voters and statement is not None and statement.stance is not None:
            held[turn.seat] = statement.stance.option
    return held
