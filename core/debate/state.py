"""The state of a debate as a fold of its events, and every question about it, answered once.

command -> decide -> events -> append -> evolve -> due -> speak -> events ... Nothing here waits,
reads a clock or draws a number. The same events give the same debate.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce, wraps
from math import fsum
from typing import Any, Concatenate, ParamSpec, TypeVar, assert_never, cast

from core.debate import events as e
from core.debate.errors import Refused
from core.debate.proof import Framing
from core.debate.replies import Metrics, Stance, Statement
from core.debate.script import AGAIN, Script, SeatId, Topic, Turn, TurnId
from core.debate.status import DebateStatus
from core.debate.stored import stored
from core.debate.usage import Usage

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ending:
    """An end that an objection reopened: ``challenge`` is its id, ``stop`` what had stopped the
    debate early.
    """

    challenge: str
    by: str
    concluded: e.DebateConcluded
    closed: e.VotesClosed | None
    stop: e.StopOrdered | None

    @property
    def verdict(self) -> e.DebateConcluded | e.VotesClosed:
        """The verdict at the time of the objection."""
        return self.closed or self.concluded

    @property
    def for_proof(self) -> bool:
        """True if a proof reopened it, and no objection."""
        return self.challenge.startswith("proof:")


@dataclass(frozen=True)
class Debate:
    """The folded state.

    A turn is ``started``, then ``settled``: finished (with its statement), failed or skipped (with
    the reason). ``until`` is when the waiting for a held seat's turn ends. ``usage`` and ``models``
    (which one answered) are per turn; ``votes`` is keyed by (subject, voter) and holds the last
    choice; ``rated`` holds each person's rating of the verdict. ``whole`` means that a person
    wanted to read all of a quiet debate. ``endings`` are the ends that objections reopened, oldest
    first. ``answers`` is where ``once`` caches answers about this very state. The verdict is
    computed from it (``core.debate.verdict.verdict``).
    """

    id: str
    request: e.DebateRequest
    requested: e.DebateRequested
    fork: e.Fork | None = None
    opened: e.DebateOpened | None = None
    failure: str = ""
    plan: Script | None = None
    finished: Mapping[TurnId, Statement] = field(default_factory=dict)
    failed: Mapping[TurnId, str] = field(default_factory=dict)
    skipped: Mapping[TurnId, str] = field(default_factory=dict)
    started: frozenset[TurnId] = frozenset()
    settled: frozenset[TurnId] = frozenset()
    until: Mapping[TurnId, datetime] = field(default_factory=dict)
    usage: Mapping[TurnId, Usage] = field(default_factory=dict)
    models: Mapping[TurnId, str] = field(default_factory=dict)
    challenges: tuple[e.ChallengeRaised, ...] = ()
    seat_requests: tuple[e.SeatAsked, ...] = ()
    votes: Mapping[tuple[str, str], e.VoteCast] = field(default_factory=dict)
    measured: Mapping[int, e.RoundMeasured] = field(default_factory=dict)
    paused: e.DebatePaused | None = None
    stop: e.StopOrdered | None = None
    concluded: e.DebateConcluded | None = None
    closed: e.VotesClosed | None = None
    endings: tuple[Ending, ...] = ()
    places: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    proof_requests: tuple[e.ProofAsked, ...] = ()
    framing: Framing | None = None
    proofs: Mapping[TurnId, e.ProofRun] = field(default_factory=dict)
    whole: bool = False
    resolved: e.OutcomeResolved | None = None
    judged: Mapping[str, e.FindingJudged] = field(default_factory=dict)
    rated: Mapping[str, e.VerdictRated] = field(default_factory=dict)
    follow_up: e.FollowUpDue | None = None
    noted: tuple[e.ForgeNoted, ...] = ()
    waits: tuple[str, ...] = ()
    deleted: e.TextsDeleted | None = None
    count: int = 0
    answers: dict[tuple[object, ...], object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def open(self) -> e.DebateOpened:
        """The opening; raises ``Refused`` before there is one."""
        if self.opened is None:
            raise Refused(f"debate {self.id} has not opened yet")
        return self.opened

    @property
    def script(self) -> Script:
        """The compiled script with the turns that were added since."""
        return self.plan or self.open.script

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The script's turns; none before the opening."""
        if self.plan is None:
            return ()
        return self.plan.turns

    @property
    def language(self) -> str:
        """The code of the language of the debate's fixed words; "" is English."""
        if self.opened is not None:
            return self.opened.terms.language
        return self.request.extras.get("language", "")

    def language_in(self, place: str) -> str:
        """Returns the language of the fixed words in a place: a mirror has the place's own."""
        return self.languages.get(place) or self.language

    @property
    def over(self) -> bool:
        """True if no seat will speak any more; votes may still come in."""
        return self.nothing_because != "" or self.concluded is not None

    @property
    def nothing_because(self) -> str:
        """Explains why the finished debate holds nothing to read; "" if it holds something."""
        if self.deleted is None:
            return self.failure
        decision = str(self.deleted.outcome["verdict"]["decision"]).replace("_", " ")
        text = stored("Its texts were deleted on {day} ({because}). It was {why}: {why_decision}.")
        day, why = f"{self.deleted.at:%d %B %Y}", self.deleted.status
        because = self.deleted.because
        return stored(text, day=day, because=because, why=why, why_decision=decision)

    @property
    def reopened(self) -> Ending | None:
        """The end whose verdict counts until the seats have answered what reopened it."""
        if self.endings and self.concluded is None:
            return self.endings[-1]
        return None

    @property
    def final(self) -> bool:
        """True if nothing at all can change any more; votes never lead to a verdict."""
        return self.nothing_because != "" or self.closed is not None or self.lost

    @property
    def ended_early(self) -> e.StopOrdered | None:
        """What stopped the debate before its end; a stop while seats answer an objection to the
        verdict ends only their answers.
        """
        if self.endings:
            return self.endings[0].stop
        return self.stop

    @property
    def private(self) -> bool:
        """True if it is about material that not everybody may see."""
        if self.deleted is not None:
            return self.deleted.private
        return self.opened is not None and self.opened.material.private

    @property
    def quiet(self) -> bool:
        """True if a thread shows only the debate's own message and its verdict."""
        return self.request.quiet and not self.whole

    @property
    def status(self) -> DebateStatus:
        """Returns the state, as the outcome document names it."""
        if self.deleted is not None:
            return DebateStatus(self.deleted.status)
        if self.failure:
            return DebateStatus.FAILED
        if self.concluded is not None:
            if not self.final:
                return DebateStatus.WAITING
            if self.concluded.because is e.EndReason.HUMAN:
                return DebateStatus.STOPPED
            return DebateStatus.FAILED if self.lost else DebateStatus.FINISHED
        if self.paused is not None:
            return DebateStatus.PAUSED
        if self.opened is None:
            return DebateStatus.QUEUED
        return DebateStatus.RUNNING

    @property
    def lost(self) -> bool:
        """True if the debate ended without a verdict because too few seats answered."""
        if self.failure:
            return True
        if self.concluded is None:
            return False
        few = self.concluded.because in (e.EndReason.ERROR, e.EndReason.NO_QUORUM)
        return few or not self.present

    @property
    def voters(self) -> tuple[SeatId, ...]:
        """The seats entitled to vote, whether they answer or not. Raises ``Refused`` before the
        opening.
        """
        return self.open.script.voters

    @property
    def present(self) -> tuple[SeatId, ...]:
        """The entitled seats with at least one readable statement, in which a quorum is counted.
        Without any, nothing was decided, whatever ended the debate.
        """
        spoke = {turn.seat for turn, _ in self.statements()}
        return tuple(s for s in self.voters if s in spoke)

    @property
    def running(self) -> tuple[Turn, ...]:
        """The turns whose call is in flight, or was when the last writer died."""
        return tuple(t for t in self.turns if t.id in self.started and t.id not in self.settled)

    @property
    def awaited(self) -> tuple[Turn, ...]:
        """The running turns whose statement a person or a program owes."""
        return tuple(t for t in self.running if t.id in self.until)

    @property
    def rests(self) -> bool:
        """True if nothing happens until a person or a program speaks, or is no longer waited
        for.
        """
        running = self.running
        return bool(running) and not self.over and all(t.id in self.until for t in running)

    @property
    def waiting(self) -> tuple[Turn, ...]:
        """The turns that have not started and were not skipped."""
        return tuple(t for t in self.turns if t.id not in self.started and t.id not in self.settled)

    @property
    def readers(self) -> tuple[Turn, ...]:
        """The waiting turns that read a statement which is added now. Seats that open independently
        read none, so one that comes first waits for them.
        """
        return tuple(t for t in self.waiting if not t.independent) or self.waiting

    def known_before(self, reader: Turn) -> tuple[TurnId, ...]:
        """Returns what a turn that is added before ``reader`` reads."""
        before = self.turns[: self.turns.index(reader)]
        return tuple(t.id for t in before if t.id in self.settled or t.independent)

    @property
    def spent(self) -> float:
        """The USD of all calls with a known price."""
        return fsum(u.usd or 0.0 for u in self.usages)

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The usage of each turn, after that of the sizing before the opening."""
        usages = [*self.usage.values()]
        if self.opened is not None and self.opened.terms.assessed is not None:
            usages.insert(0, self.opened.terms.assessed)
        return tuple(usages)

    def all_settled(self, turns: Iterable[Turn]) -> bool:
        return all(t.id in self.settled for t in turns)

    def statement(self, turn: str) -> Statement | None:
        """Returns the statement of a turn; None before it is settled, and if it failed or was
        skipped.
        """
        return self.finished.get(TurnId(turn))

    def statements(self, seats: Container[str] | None = None) -> Iterator[tuple[Turn, Statement]]:
        """Returns all statements with their turns, in script order; only of ``seats`` if given."""
        for turn in self.turns:
            if turn.id in self.finished and (seats is None or turn.seat in seats):
                yield turn, self.finished[turn.id]

    def heard(self, turns: Container[TurnId]) -> Debate:
        """Returns the debate with the statements of these turns only, and without people's votes,
        so that what follows from it stays the same while votes come in.
        """
        finished = {id: statement for id, statement in self.finished.items() if id in turns}
        return replace(self, finished=finished, votes={})

    def read_by(self, turn: Turn) -> Iterator[tuple[Turn, Statement]]:
        """Returns the statements that ``turn`` reads, in the order it reads them."""
        known = {t.id: t for t in self.turns}
        return ((known[id], self.finished[id]) for id in turn.reads if id in self.finished)

    def stances(self) -> dict[SeatId, tuple[Turn, Stance]]:
        """Returns the last stance of each entitled seat, with its turn, in script order. Seats
        without a stance are absent.
        """
        last: dict[SeatId, tuple[Turn, Stance]] = {}
        for turn, statement in self.statements(self.voters):
            if statement.stance is not None:
                last[turn.seat] = turn, statement.stance
        return last

    def metrics(self) -> list[Metrics]:
        """Returns a judge's measurements of an adversarial debate, oldest first."""
        return [s.metrics for _, s in self.statements() if s.metrics is not None]

    def model_of(self, seat: SeatId) -> str:
        """Returns the model that really spoke last for a seat, otherwise the first cast model, if
        any.
        """
        spoke = [self.models[t.id] for t in self.turns if t.seat == seat and self.models.get(t.id)]
        return next(iter((*reversed(spoke), *self.open.cast.get(seat, ()))), "")

    def count_ratings(self, *, useful: bool) -> int:
        """Counts the people who found the verdict useful, or not."""
        return sum(each.useful is useful for each in self.rated.values())

    def answers_to(self, challenge: str) -> list[TurnId]:
        """Returns the turns that answered a person's challenge."""
        return _answering(self).get(challenge, [])


def once(question: Callable[Concatenate[Debate, P], T]) -> Callable[Concatenate[Debate, P], T]:
    """Caches the answer to a pure question about a debate with its state: the engine, the report,
    the document and the post of one event all need the verdict.
    """

    @wraps(question)
    def answered(debate: Debate, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (question, args, *kwargs.items())
        if key not in debate.answers:
            debate.answers[key] = question(debate, *args, **kwargs)
        return cast("T", debate.answers[key])

    return answered


def once_for(
    *fields: str,
) -> Callable[[Callable[Concatenate[Debate, P], T]], Callable[Concatenate[Debate, P], T]]:
    """Caches like ``once`` for a question that reads only these fields: the answer stays valid
    until an event changes one of them.
    """

    def kept(question: Callable[Concatenate[Debate, P], T]) -> Callable[Concatenate[Debate, P], T]:
        _LOOKS_AT[question] = frozenset(fields)
        return once(question)

    return kept


_LOOKS_AT: dict[object, frozenset[str]] = {}


def _still_true(
    answers: Mapping[tuple[object, ...], object], changed: Set[str]
) -> dict[tuple[object, ...], object]:
    """Returns the cached answers whose fields did not change.

    Another thread may be using the same state, so no collection is iterated that it adds to.
    """
    kept = ((key, _LOOKS_AT.get(key[0])) for key in tuple(answers))
    return {key: answers[key] for key, fields in kept if fields and not fields & changed}


@once
def _answering(debate: Debate) -> dict[str, list[TurnId]]:
    """Returns the turns that answered each challenge, all at once: with hundreds of challenges one
    search each is slow.
    """
    by_challenge: dict[str, list[TurnId]] = {}
    for turn, _ in debate.statements():
        challenge = turn.about_the(Topic.CHALLENGE)
        if challenge and turn.task not in AGAIN:
            by_challenge.setdefault(challenge, []).append(turn.id)
    return by_challenge


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
    """Returns the state after ``event``; an event is a fact and is never refused.

    It avoids ``dataclasses.replace``, which would take most of the time of reading a long debate.
    """
    after = object.__new__(Debate)
    changes = _changes(debate, event)
    answers = _still_true(debate.answers, changes.keys())
    vars(after).update(vars(debate), count=debate.count + 1, answers=answers, **changes)
    return after


_STORED_AS: Mapping[type[e.Event], str] = {
    e.DebatePaused: "paused",
    e.VotesClosed: "closed",
    e.OutcomeResolved: "resolved",
    e.FollowUpDue: "follow_up",
    e.TextsDeleted: "deleted",
}


def _changes(d: Debate, event: e.Event) -> dict[str, Any]:  # noqa: C901  one arm per event, exhaustive
    match event:
        case e.DebateRequested() | e.UnknownEvent() | e.EventRemoved():
            return {}
        case e.DebateOpened():
            return {"opened": event, "plan": event.script}
        case e.OpeningFailed(reason):
            return {"failure": reason}
        case e.TurnStarted():
            return _begun(d, event)
        case e.TurnFinished(turn, statement, usage, model):
            return _settled(d, turn, usage, model) | {"finished": {**d.finished, turn: statement}}
        case e.TurnFailed(turn, reason, usage, model):
            return _settled(d, turn, usage, model) | {"failed": {**d.failed, turn: reason}}
        case e.TurnSkipped(turn):
            return {"skipped": {**d.skipped, turn: event.why}, "settled": d.settled | {turn}}
        case e.TurnsAdded():
            return {"plan": _insert(d, event)}
        case e.ChallengeRaised():
            return {"challenges": (*d.challenges, event)}
        case e.DebateReopened(challenge, by):
            return _reopened(d, challenge, by)
        case e.SeatAsked():
            return {"seat_requests": (*d.seat_requests, event)}
        case e.ProofAsked() | e.ProofsFramed() | e.ProofRun():
            return _proof_step(d, event)
        case e.VoteCast():
            return {"votes": _voted(d, event)}
        case e.VoteWithdrawn():
            return _withdrawn(d, event)
        case e.RoundMeasured(round):
            return {"measured": {**d.measured, round: event}}
        case e.DebateResumed():
            return {"paused": None}
        case e.StopOrdered():
            return {"stop": d.stop or event, "paused": None}
        case e.PlaceAdded(place, language=language):
            return _placed(d, place, language)
        case e.WholeShown():
            return {"whole": True}
        case e.DebateConcluded():
            return _concluded(d, event)
        case e.FindingJudged(mark):
            return {"judged": {**d.judged, mark: event}}
        case e.VerdictRated(_, by):
            return {"rated": {**d.rated, by: event}}
        case e.ForgeNoted():
            return {"noted": (*d.noted, event)}
        case e.WaitNoted(text):
            return {"waits": (*d.waits, text)}
        case (
            e.DebatePaused()
            | e.VotesClosed()
            | e.OutcomeResolved()
            | e.FollowUpDue()
            | e.TextsDeleted()
        ):
            return {_STORED_AS[type(event)]: event}
        case _:
            assert_never(event)


def _reopened(d: Debate, challenge: str, by: str) -> dict[str, Any]:
    if d.concluded is None:
        return {}
    ending = Ending(challenge, by, d.concluded, d.closed, d.stop)
    again = {"concluded": None, "closed": None, "stop": None, "paused": None}
    return {"endings": (*d.endings, ending), **again}


def _concluded(d: Debate, event: e.DebateConcluded) -> dict[str, Any]:
    """Ends the debate; if an objection changed the verdict, ratings of the one before are gone."""
    if not d.endings or d.endings[-1].verdict.decision == event.decision:
        return {"concluded": event}
    return {"concluded": event, "resolved": None, "rated": {}}


def _begun(d: Debate, event: e.TurnStarted) -> dict[str, Any]:
    begun: dict[str, Any] = {"started": d.started | {event.turn}}
    if event.until is not None:
        begun["until"] = {**d.until, event.turn: event.until}
    return begun


def _settled(d: Debate, turn: TurnId, usage: Usage, model: str) -> dict[str, Any]:
    changes: dict[str, Any] = {"settled": d.settled | {turn}, "usage": {**d.usage, turn: usage}}
    if model:
        changes["models"] = {**d.models, turn: model}
    return changes


def _placed(d: Debate, place: str, language: str) -> dict[str, Any]:
    places = tuple(dict.fromkeys((*d.places, place)))
    return {"places": places, "languages": {**d.languages, place: language}}


def _proof_step(d: Debate, event: e.ProofAsked | e.ProofsFramed | e.ProofRun) -> dict[str, Any]:
    if isinstance(event, e.ProofsFramed):
        return {"framing": event.framing}
    if isinstance(event, e.ProofRun):
        return {"proofs": {**d.proofs, event.turn: event}}
    requests = (*d.proof_requests, event)
    if d.framing is not None and d.framing.problem:  # what hindered it may be gone
        return {"proof_requests": requests, "framing": None}
    return {"proof_requests": requests}


def _voted(d: Debate, event: e.VoteCast) -> dict[tuple[str, str], e.VoteCast]:
    """Returns the standing votes in the order in which they were cast."""
    key = (event.subject, event.voter)
    return {**{k: v for k, v in d.votes.items() if k != key}, key: event}


def _withdrawn(d: Debate, event: e.VoteWithdrawn) -> dict[str, Any]:
    """Removes a withdrawn vote; withdrawing a vote that was replaced since changes nothing."""
    key = (event.subject, event.voter)
    kept = d.votes.get(key)
    if kept is None or (event.option and kept.option != event.option):
        return {}
    return {"votes": {k: v for k, v in d.votes.items() if k != key}}


def replay(recorded: Iterable[e.Event]) -> Debate:
    """Returns the debate that these events make. Raises ``ValueError`` when they do not begin with
    a request.
    """
    it = iter(recorded)
    first = next(it, None)
    if not isinstance(first, e.DebateRequested):
        raise ValueError("a debate begins with DebateRequested")
    return reduce(evolve, it, begin(first))


def _insert(d: Debate, added: e.TurnsAdded) -> Script:
    """Inserts added turns before their first reader; a reader that has already started does not
    read them.
    """
    fresh = set(added.read_by) - d.started - d.settled
    ids = tuple(t.id for t in added.turns)
    at = next((i for i, t in enumerate(d.turns) if t.id in fresh), len(d.turns))
    after = tuple(replace(t, reads=(*t.reads, *ids)) if t.id in fresh else t for t in d.turns[at:])
    return replace(d.script, turns=(*d.turns[:at], *added.turns, *after))
