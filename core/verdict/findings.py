"""Findings as the table sees them: the same defect named by several seats is one finding with
several holders.

A finding leaves the verdict rule in two ways only: everybody who held it takes it back, or a strict
majority of people says it is not real. Other seats may dispute it; that is shown, and softens
nothing. What an earlier run on the same change found comes first: where its lines changed the seats
are asked, and those who answer decide whether it is resolved; where they did not, it stands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.debate import Debate, once
from core.material import EarlierFinding, Fate
from core.replies import Answer, Finding, Position, Severity
from core.script import SeatId
from core.verdict.likeness import overlap, words
from core.verdict.votes import FINDING_BALLOT, count_people, find_option, has_majority, tally

CODE = SeatId("code")
"""Holds the findings that code itself proved."""

EARLIER = SeatId("earlier")
"""Holds what an earlier run found, until it is resolved."""

SURE = 0.6
"""The confidence from which a finding counts in the verdict rule."""

_NEAR = 3  # lines
_SECURITY = ("security", "privacy", "threat", "vulnerab", "red_team", "breach")


class State(StrEnum):
    OPEN = "open"
    WITHDRAWN = "withdrawn"  # everybody who held it took it back
    DISPUTED = "disputed"  # people say it is not real
    RESOLVED = "resolved"  # a later revision no longer has it


@dataclass(frozen=True, slots=True)
class Raised:
    """One seat's own wording of a finding."""

    seat: SeatId
    finding: Finding


@dataclass(frozen=True, slots=True)
class MergedFinding:
    """One defect. ``raised`` holds every wording, ``by`` those who hold it now, ``step`` how people
    moved its severity (-1, 0, 1).

    ``shown`` is the wording to print: the most severe, surest and best anchored of those still
    held; its id is the first wording's, so that votes and posts keep their subject. ``reasons`` are
    the seats' last answers about it. ``maintainer`` says that only a named maintainer may publish
    the review, because people disputed a severe security finding.
    """

    id: str
    raised: tuple[Raised, ...]
    shown: Finding
    by: tuple[SeatId, ...] = ()
    disputed_by: tuple[SeatId, ...] = ()
    reasons: Mapping[SeatId, Answer] = field(default_factory=dict)
    people: Mapping[str, int] = field(default_factory=dict)
    author: Mapping[str, int] = field(default_factory=dict)
    state: State = State.OPEN
    confirmed: bool = False
    step: int = 0
    maintainer: bool = False
    earlier: EarlierFinding | None = None

    @property
    def mark(self) -> str:
        """The same for one defect in all runs on one change: what its comment is found again by."""
        return self.earlier.mark if self.earlier else fingerprint(self.raised[0].finding)

    @property
    def holders(self) -> int:
        """Seats that hold it; of an earlier finding also those that held it then."""
        return max(len(self.by), self.earlier.holders if self.earlier else 0)

    @property
    def standing(self) -> tuple[Raised, ...]:
        """The wordings whose seats still hold them; all of them where only seats that agreed are
        left.
        """
        return tuple(r for r in self.raised if r.seat in self.by) or self.raised

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(r.finding.id for r in self.raised)

    def sure(self, severity: Severity) -> bool:
        """Whether an anchored wording of at least this severity (after people's step) is held with
        enough confidence.
        """
        return any(
            r.finding.anchored
            and r.finding.confidence >= SURE
            and stepped(r.finding.severity, self.step).rank >= severity.rank
            for r in self.standing
        )

    @property
    def blocking(self) -> bool:
        """Open, anchored and sure: high or above, or medium where two or more hold it."""
        return self.state is State.OPEN and (
            self.sure(Severity.HIGH) or (self.sure(Severity.MEDIUM) and self.holders >= 2)
        )


def stepped(severity: Severity, step: int) -> Severity:
    scale = list(Severity)
    return scale[max(0, min(len(scale) - 1, severity.rank + step))]


@once
def merge_findings(debate: Debate) -> tuple[MergedFinding, ...]:
    """All findings of the debate, the most severe first, with what seats and people say of them."""
    groups: list[list[Raised]] = []
    for raised in _raised(debate):
        home = next((g for g in groups if same(g[0].finding, raised.finding)), None)
        if home is None:
            groups.append([raised])
        else:
            home.append(raised)
    answers = _answers(debate)
    found = [_judged(debate, tuple(group), answers) for group in groups]
    return tuple(
        sorted(found, key=lambda m: (-m.shown.severity.rank, -m.shown.confidence))
    )  # stable: script order within


def _raised(debate: Debate) -> Iterable[Raised]:
    for found in debate.open.material.earlier:
        yield Raised(EARLIER, _reworded(found))
    for n, proven in enumerate(debate.open.material.proven, 1):
        finding = Finding(
            f"{CODE}.f{n}",
            Severity(proven.severity),
            1.0,
            proven.title,
            proven.path,
            proven.line,
            proven.side,
            proven.quote,
            anchored=True,
        )
        yield Raised(CODE, finding)
    for turn, statement in debate.statements(debate.voters):
        yield from (Raised(turn.seat, f) for f in statement.findings)


def _reworded(found: EarlierFinding) -> Finding:
    return Finding(
        found.id,
        Severity(found.severity),
        found.confidence,
        found.title,
        found.path,
        found.line,
        found.side,
        found.quote,
        found.trigger,
        found.fix,
        anchored=found.line is not None,
    )


def same(one: Finding, other: Finding) -> bool:
    """Whether two wordings mean one defect: the same file, near lines of one side, and words in
    common.

    The closer the place, the fewer words are asked for. Without a line (or a path) only the words
    speak, so most must agree.
    """
    if one.path != other.path:
        return False
    alike = max(
        overlap(words(one.title), words(other.title)), overlap(_meaning(one), _meaning(other))
    )
    if not one.path or one.line is None or other.line is None:
        return alike >= (0.6 if one.path else 0.75) and len(_meaning(one) & _meaning(other)) >= 2
    if one.side != other.side or abs(one.line - other.line) > _NEAR:
        return False
    if one.line == other.line:
        return alike >= (
            0.34 if one.quote.strip() and one.quote.strip() == other.quote.strip() else 0.5
        )
    return overlap(_meaning(one), _meaning(other)) >= 0.6


def _meaning(finding: Finding) -> frozenset[str]:
    return words(f"{finding.title} {finding.trigger}")


def _answers(debate: Debate) -> dict[str, dict[SeatId, Answer]]:
    """The last answer of each entitled seat to each id."""
    given: dict[str, dict[SeatId, Answer]] = {}
    for turn, statement in debate.statements(debate.voters):
        for answer in statement.answers:
            seats = given.setdefault(answer.to, {})
            seats.pop(turn.seat, None)  # the order of seats is that of their last answers
            seats[turn.seat] = answer
    return given


def _judged(
    debate: Debate, raised: tuple[Raised, ...], answers: Mapping[str, Mapping[SeatId, Answer]]
) -> MergedFinding:
    reasons: dict[SeatId, Answer] = {}
    for id in (r.finding.id for r in raised):
        reasons |= answers.get(id, {})
    by = dict.fromkeys(r.seat for r in raised)
    for seat, answer in reasons.items():
        if answer.position in (Position.AGREE, Position.CONCEDE):
            by[seat] = None
        elif answer.position in (Position.WITHDRAW, Position.DISPUTE):
            by.pop(seat, None)
    earlier = next((e for e in debate.open.material.earlier if e.id == raised[0].finding.id), None)
    counted, author = _people(debate, raised, author=False), _people(debate, raised, author=True)
    step = int(has_majority(counted, "worse")) - int(has_majority(counted, "milder"))
    found = MergedFinding(
        id=raised[0].finding.id,
        raised=raised,
        shown=raised[0].finding,
        by=tuple(by),
        disputed_by=tuple(
            s for s, a in reasons.items() if a.position is Position.DISPUTE and s not in by
        ),
        reasons=reasons,
        people=counted,
        author=author,
        confirmed=_confirmed(counted),
        step=step,
        earlier=earlier,
    )
    return _settled(debate, replace(found, shown=_shown(found)))


def _people(debate: Debate, raised: tuple[Raised, ...], *, author: bool) -> dict[str, int]:
    """Votes on any wording are votes on the finding; whoever voted on several counts once, with the
    first wording's.
    """
    if len(raised) == 1:
        return count_people(debate, raised[0].finding.id, author=author)
    once: dict[str, str] = {}
    for id in (r.finding.id for r in raised):
        for (subject, voter), vote in debate.votes.items():
            if subject == id and (vote.role == "author") is author:
                once.setdefault(voter, find_option(vote.option, FINDING_BALLOT) or "")
    return tally(once.values(), FINDING_BALLOT, none=False)


def _confirmed(counts: Mapping[str, int]) -> bool:
    """Whoever finds it worse or milder finds it real."""
    real = sum(counts.values()) - counts["not_real"]
    return real >= 2 and real > counts["not_real"]


def _shown(found: MergedFinding) -> Finding:
    best = max(
        found.standing,
        key=lambda r: (r.finding.anchored, r.finding.severity.rank, r.finding.confidence),
    ).finding
    return replace(best, id=found.id, severity=stepped(best.severity, found.step))


def _settled(debate: Debate, found: MergedFinding) -> MergedFinding:
    disputed_before = found.earlier is not None and found.earlier.disputed
    if has_majority(found.people, "not_real") or disputed_before:
        severe = found.shown.severity.rank >= Severity.HIGH.rank and any(
            _secures(role_behind(debate, r, found.earlier)) for r in found.raised
        )
        return replace(found, state=State.DISPUTED, maintainer=severe)
    if found.earlier is not None:
        return replace(found, state=_state_now(debate, found, found.earlier))
    if not found.by and not found.confirmed:
        return replace(found, state=State.WITHDRAWN)
    return found


def _state_now(debate: Debate, found: MergedFinding, earlier: EarlierFinding) -> State:
    """What became of an earlier finding: who raises it again keeps it open; else its lines decide,
    and where they changed the seats that were asked.
    """
    if any(r.seat != EARLIER and r.seat in found.by for r in found.raised):
        return State.OPEN
    if earlier.fate is Fate.GONE or (earlier.fate is Fate.CHANGED and earlier.proven):
        return State.RESOLVED
    held = [a.position in (Position.AGREE, Position.KEEP) for a in found.reasons.values()]
    gone = sum(
        a.position in (Position.DISPUTE, Position.WITHDRAW, Position.ANSWERED)
        for a in found.reasons.values()
    )
    if earlier.fate is Fate.CHANGED:
        return State.RESOLVED if gone > sum(held) else State.OPEN
    voters = len(debate.open.script.voters)
    return State.WITHDRAWN if gone * 2 > voters else State.OPEN


def role_behind(debate: Debate, raised: Raised, earlier: EarlierFinding | None) -> str:
    """The role in which something was raised, also in an earlier run."""
    if raised.seat == EARLIER:
        return earlier.role if earlier is not None else ""
    return "security" if raised.seat == CODE else debate.open.script.seat(raised.seat).role


def _secures(role: str) -> bool:
    return any(mark in role.casefold() for mark in _SECURITY)


def fingerprint(finding: Finding) -> str:
    """The same for one defect in two runs: file, quoted text and words of the title, whatever the
    line is now. 16 hex digits.
    """
    parts = (finding.path, " ".join(finding.quote.split()), " ".join(sorted(words(finding.title))))
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
