"""Merges findings: the same defect named by several seats becomes one finding with several holders.

A finding leaves the verdict rule in two ways: all its holders take it back (a scanner's finding:
more than half of all entitled seats dispute it), or a strict majority of people says that it is not
real. Whether it must be fixed follows from the positions on it and the votes (``rule``). Findings
of an earlier run on the same change come first: if their lines changed the seats are asked, and
their answers decide whether it is resolved; if they did not, it stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from core.debate.finding import Category, Finding, Severity
from core.debate.ledger import REVIEWS, Bar, Demand, Fate
from core.debate.material import DecisionRecord, Scanned
from core.debate.proof import Standing
from core.debate.replies import Answer, Position, Repair
from core.debate.script import SeatId
from core.debate.state import Debate, once_for
from core.debate.verdict.findings.ledger import (
    contradicted,
    is_fresh,
    is_touched,
    new_quotes,
    settled_before,
)
from core.debate.verdict.findings.merging import components, fingerprint
from core.debate.verdict.findings.outside import source_of, speaks_of_outside
from core.debate.verdict.findings.positions import (
    Positions,
    Raised,
    WordingAnswer,
    answers,
    positions,
)
from core.debate.verdict.findings.proofs import FindingProof, proofs_of
from core.debate.verdict.findings.records import broken_record
from core.debate.verdict.findings.rule import Point, most_block
from core.debate.verdict.votes import (
    AUTHOR,
    FINDING_BALLOT,
    NONE,
    final_votes,
    find_option,
    has_majority,
    independent_votes,
    tally,
)

CODE = SeatId("code")
"""The holder of findings that code itself proved."""

SCANNER = SeatId("scanner")
"""The holder of a scanner's findings, which are claims of code and no proof."""

REMARK = SeatId("remark")
"""The holder of another reviewer's remark, which is a claim like a scanner's."""

EARLIER = SeatId("earlier")
"""The holder of an earlier run's findings, until they are resolved."""

SURE = 0.6
"""The confidence from which the measurements of single openings count a finding."""
_UNSURE = 0.5
"""The confidence of a scanner's finding: it blocks nothing until a seat holds it, too."""

_SECURITY = ("security", "privacy", "threat", "vulnerab", "red_team", "breach")


class FindingState(StrEnum):
    OPEN = "open"
    WITHDRAWN = "withdrawn"  # everybody who held it took it back
    DISPUTED = "disputed"  # people say it is not real
    RESOLVED = "resolved"  # a later revision no longer has it


@dataclass(frozen=True)
class MergedFinding:
    """One defect with all its wordings and positions.

    ``raised`` holds every wording, ``by`` the seats that hold it now, ``fix_by`` those of them that
    want it fixed before the change is accepted, ``silent`` those that opened and took no position.
    ``step`` is how people moved its severity (-1, 0, 1). ``wording`` is the one to print: the most
    severe, surest and best anchored of those still held; its id is the first wording's, so that
    votes and posts keep their subject. ``reasons`` are the seats' last answers about it,
    ``dropped`` the wordings that their own seats took back, ``unshown`` the seats whose last change
    of mind rests on nothing and does not count, ``entitled`` the number of seats that may vote.
    ``maintainer`` is set if only a named maintainer may publish the review, because people disputed
    a severe security finding. ``source`` is the quotation that shows what it says of the outside
    world, if it says anything of that. ``record`` is the decision record that the change breaks,
    by this finding. ``blocking`` is what the rule says: it must be fixed.
    """

    id: str
    raised: tuple[Raised, ...]
    wording: Finding
    entitled: int
    by: tuple[SeatId, ...] = ()
    disputed_by: tuple[SeatId, ...] = ()
    reasons: Mapping[SeatId, Answer] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    people: Mapping[str, int] = field(default_factory=dict)
    author: Mapping[str, int] = field(default_factory=dict)
    state: FindingState = FindingState.OPEN
    confirmed: bool = False
    step: int = 0
    maintainer: bool = False
    demand: Demand | None = None
    repeats: Demand | None = None
    contradicts: Demand | None = None
    successor: str = ""
    evidence: str = ""
    source: str = ""
    record: DecisionRecord | None = None
    bar: Bar | None = None
    fix_by: tuple[SeatId, ...] = ()
    silent: tuple[SeatId, ...] = ()
    unshown: frozenset[SeatId] = frozenset()
    blocking: bool = False
    proof: FindingProof | None = None

    @property
    def tested(self) -> bool:
        """Whether a test proved it, so that no vote and no rewording takes it away."""
        return self.proof is not None and self.proof.result.standing is Standing.PROVEN

    @property
    def mark(self) -> str:
        """The mark of one defect, the same in all runs on one change, by which its comment is found
        again.
        """
        if known := self.demand or self.repeats:
            return known.mark
        return fingerprint(self.raised[0].finding)

    @property
    def holders(self) -> int:
        """The seats that hold it; for an earlier finding also those that held it then."""
        now = len(set(self.by) - {CODE, SCANNER, REMARK, EARLIER})
        if self.demand is None:
            return now
        return max(now, self.demand.holders)

    @property
    def standing(self) -> tuple[Raised, ...]:
        """The wordings that their seats still hold; all wordings where only agreeing seats are
        left.
        """
        kept = (r for r in self.raised if r.seat in self.by and r.finding.id not in self.dropped)
        return tuple(kept) or self.raised

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(r.finding.id for r in self.raised)

    @property
    def proven(self) -> bool:
        """True if code proved it, now or in an earlier run, so that no seat can dispute it."""
        return self.proven_now or (self.demand is not None and self.demand.proven)

    @property
    def proven_now(self) -> bool:
        """Whether code proved it in this review."""
        return any(r.seat == CODE for r in self.raised)

    @property
    def evident(self) -> bool:
        """True if it counts at all: it stands in the material, code proved it, or people confirmed
        it.
        """
        return self.wording.anchored or self.proven or self.tested or self.confirmed

    @property
    def unplaced(self) -> bool:
        """True if it is high or above, stands at no place and is still held by its author: it can't
        block, and nothing is approved over it.
        """
        grave = (r for r in self.standing if r.finding.severity.rank >= Severity.HIGH.rank)
        by_raiser = any(r.seat in self.by for r in grave)
        return self.state is FindingState.OPEN and not self.evident and by_raiser

    @property
    def argued(self) -> bool:
        """Whether a seat that did not raise it took a position on it that counts."""
        return bool({*self.by, *self.disputed_by} - {r.seat for r in self.raised})

    @property
    def grave(self) -> bool:
        """Whether a wording that is still held would block if it is right."""
        return any(r.finding.asks_to_block for r in self.standing)

    @property
    def category(self) -> Category | None:
        """The category of the wording that is shown, else the first that a seat named."""
        named = (self.wording.category, *(r.finding.category for r in self.raised))
        return next(filter(None, named), None)

    @property
    def minor_by(self) -> tuple[SeatId, ...]:
        """The seats that hold it real and would not block for it."""
        return tuple(seat for seat in self.by if seat not in self.fix_by)

    @cached_property
    def point(self) -> Point:
        """The finding as the rule sees it."""
        return Point(
            frozenset(self.fix_by) - {CODE, SCANNER, REMARK},
            frozenset(self.minor_by) - {CODE, SCANNER, REMARK, EARLIER},
            frozenset(self.disputed_by),
            frozenset(self.silent) if self.demand is None else frozenset(),
            self.argued,
            self.evident,
            self._settled,
        )

    @property
    def _settled(self) -> bool | None:
        """What code and people decided: whether it blocks; None leaves it to the seats."""
        severe = self.wording.severity.rank >= Severity.HIGH.rank
        if self.state is not FindingState.OPEN or self.bar is Bar.RECORD:
            return False
        if self.tested:
            return any(r.finding.asks_to_block for r in self.raised)
        if self.proven or self.confirmed:
            return severe or (not self.proven and self.grave)
        if self.bar is not None or (self.step < 0 and not severe):
            return False
        return None

    @property
    def scanned(self) -> bool:
        """True if a scanner reported it."""
        return any(r.seat in (SCANNER, REMARK) for r in self.raised)

    @property
    def refuted(self) -> bool:
        """True if only a scanner holds it, and more than half of all entitled seats dispute it."""
        alone = self.scanned and set(self.by) <= {SCANNER, REMARK}
        return alone and 2 * len(self.disputed_by) > self.entitled

    def sure(self, severity: Severity) -> bool:
        """Return whether an anchored wording of at least this severity is held with enough stated
        confidence. It plays no part in the verdict.
        """
        return any(
            r.finding.anchored
            and r.finding.confidence >= SURE
            and r.finding.severity.rank >= severity.rank
            for r in self.standing
        )

    @property
    def contested(self) -> bool:
        """Whether it is open, and seats that took a position differ on whether it blocks."""
        return self.point.settled is None and bool(self.point.fix and self.point.against)

    @property
    def debated(self) -> bool:
        """Whether any seat has answered it, or seats took different positions on it."""
        return bool(self.reasons) or self.contested

    def because(self, seat: SeatId) -> str:
        """Returns why a seat holds its position; "" if its last answer does not count."""
        if seat in self.unshown or seat not in self.reasons:
            return ""
        return self.reasons[seat].because

    @property
    def counts(self) -> str:
        """Counts the positions in words; code that proved it counts as a holder, a scanner does
        not.
        """
        if self.contested and self.minor_by:
            counted = (
                (len(self.fix_by), "want it fixed", "wants it fixed"),
                (len(self.minor_by), "would not block", "would not block"),
                (len(self.disputed_by), "call it not real", "calls it not real"),
            )
            return ", ".join(f"{n} {one if n == 1 else many}" for n, many, one in counted if n)
        held, against = self.holders + (CODE in self.by), len(self.disputed_by)
        text = f"{held or 'no seat'} hold{'s' if held < 2 else ''}"
        if against:
            return f"{text}, {against} dispute{'s' if against == 1 else ''}"
        return text


def holds_as_remark(finding: MergedFinding) -> bool:
    """Return whether more seats hold another reviewer's remark than dispute it."""
    return finding.holders > len(finding.disputed_by)


def _rated(raised: tuple[Raised, ...], reasons: Mapping[SeatId, Answer]) -> tuple[Raised, ...]:
    given = {seat: answer.severity for seat, answer in reasons.items()}
    rated = []
    for r in raised:
        if severity := given.get(r.seat):
            rated.append(replace(r, finding=replace(r.finding, severity=severity)))
        else:
            rated.append(r)
    return tuple(rated)


@once_for("opened", "plan", "finished", "failed", "proofs", "votes")
def merge_findings(debate: Debate) -> tuple[MergedFinding, ...]:
    """Returns all findings of the debate, the most severe first, with the positions of seats and
    people.
    """
    groups = _grouped(debate)
    given = answers(debate)
    mended = {
        repair.to: repair for _, statement in debate.statements() for repair in statement.repairs
    }
    merged = [_mended(_judged(debate, tuple(group), given), mended) for group in groups]
    merged = [_barred(debate, _succeeded(one, merged)) for one in merged]
    voted = most_block({str(s): v for s, v in blocking_votes(debate, merged).items()})
    ruled = [replace(m, blocking=m.point.blocks(voted=voted)) for m in merged]
    return tuple(
        sorted(ruled, key=lambda m: (-m.wording.severity.rank, -m.wording.confidence))
    )  # stable: script order within


def blocking_votes(debate: Debate, findings: Sequence[MergedFinding]) -> dict[SeatId, bool | None]:
    """Returns, for each entitled seat, whether its last option blocks; an abstention does not, and
    None stands for a seat that could not be heard.

    The vote of a seat that wants nothing fixed but what people call not real does not block. A seat
    that changed its mind and showed nothing for it keeps the vote of its opening.
    """
    blocking = {o.option for o in debate.open.template.ballot if o.blocks}
    refuted = [m for m in findings if m.state is FindingState.DISPUTED or m.bar]
    held = [m for m in findings if m.state is FindingState.OPEN and not m.bar]
    late = debate.open.material.review > REVIEWS
    unshown = {seat for m in findings for seat in m.unshown}
    first, present = independent_votes(debate), set(debate.present)
    votes: dict[SeatId, bool | None] = {}
    for seat, option in final_votes(debate).items():
        counted = option
        if seat in unshown and first[seat] != NONE:
            counted = first[seat]
        votes[seat] = None
        if seat in present:
            blocks = counted in blocking
            votes[seat] = blocks and not _overruled(seat, refuted, held, late=late)
    return votes


def _overruled(
    seat: SeatId,
    refuted: Sequence[MergedFinding],
    held: Sequence[MergedFinding],
    *,
    late: bool,
) -> bool:
    """Return whether everything that the seat wants fixed, or holds at all, is refuted by people or
    barred; ``late`` also if it names no finding, since then only findings can block.
    """
    if any(seat in m.fix_by for m in held):
        return False
    nothing_else = not any(seat in m.by for m in held)
    return late or any(seat in (m.by if nothing_else else m.fix_by) for m in refuted)


def _mended(finding: MergedFinding, mended: Mapping[str, Repair]) -> MergedFinding:
    """Adds the trigger and the fix that older debates asked for after the verdict, where the
    finding lacked them.
    """
    repair = next((mended[id] for id in finding.ids if id in mended), None)
    if repair is None:
        return finding
    f = finding.wording
    complete = replace(f, trigger=f.trigger or repair.trigger, fix=f.fix or repair.fix)
    return replace(finding, wording=complete)


def _raised(debate: Debate) -> Iterable[Raised]:
    for demand in debate.open.material.demands:
        if demand.listed:
            yield Raised(EARLIER, demand.finding)
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
    for report in debate.open.material.scanned:
        yield Raised(REMARK if report.author else SCANNER, _claimed(report))
    place = {turn.id: at for at, turn in enumerate(debate.turns)}
    for turn, statement in debate.statements(debate.voters):
        yield from (Raised(turn.seat, f, place[turn.id]) for f in statement.findings)


def _claimed(report: Scanned) -> Finding:
    return Finding(
        report.id,
        Severity(report.severity),
        _UNSURE,
        report.title,
        report.path,
        report.line,
        report.side,
        report.quote,
        "" if report.author else f"reported by {report.tool}",
        anchored=True,
    )


def _grouped(debate: Debate) -> list[list[Raised]]:
    """Returns the wordings of each finding. A wording that asks for the opposite of a demand is no
    wording of it.
    """
    demands = debate.open.material.demands
    ours: list[tuple[Finding, Raised]] = []
    opposite: list[tuple[Finding, Raised]] = []
    for raised in _raised(debate):
        group = ours
        if raised.seat not in (EARLIER, CODE) and contradicted(raised.finding, demands):
            group = opposite
        group.append((raised.finding, raised))
    return [*components(ours), *components(opposite)]


def _succeeded(finding: MergedFinding, others: Sequence[MergedFinding]) -> MergedFinding:
    """Returns the finding as resolved if its lines changed, nobody answered whether it is still
    there, and a new finding is on them.
    """
    demand = finding.demand
    changed = demand is not None and demand.fate in (Fate.CHANGED, Fate.REPLACED)
    raised_again = any(r.seat != EARLIER for r in finding.raised)
    if demand is None or not changed or raised_again or finding.reasons:
        return finding
    if finding.state is FindingState.DISPUTED or demand.lines is None:
        return finding
    path, (first, last) = demand.finding.path, demand.lines
    for other in others:
        f = other.wording
        fresh = other.demand is None and other.state is FindingState.OPEN and f.anchored
        if fresh and f.path == path and f.line is not None and first <= f.line <= last:
            return replace(finding, state=FindingState.RESOLVED, successor=other.id)
    return finding


def _barred(debate: Debate, finding: MergedFinding) -> MergedFinding:
    if finding.state is not FindingState.OPEN or finding.proven:
        return finding
    material, demand = debate.open.material, finding.demand
    wordings = [r.finding for r in finding.raised if r.seat != EARLIER]
    contradicts = repeats = None
    if demand is None:
        opposite = (contradicted(f, material.demands) for f in wordings)
        contradicts = next(filter(None, opposite), None)
        repeats = None if contradicts else settled_before(wordings, material.demands)
    elif demand.finding.must_fix is False or demand.disputed:
        repeats = demand
    fresh = any(is_fresh(material, f) for f in wordings)
    record = _record(debate, finding)
    outside, source = _outside(debate, finding)
    evidence = ""
    if repeats is not None:
        evidence = _evidence(finding, repeats, fresh=material.fresh is not None and fresh)
        if source and not evidence:
            evidence = f"a source: {source}"
    why = None
    if finding.tested:
        pass
    elif record is not None:
        why = Bar.RECORD
    elif outside and not source and not finding.confirmed:
        why = Bar.MEMORY
    elif contradicts is not None:
        why = Bar.CONTRADICTION
    elif repeats is not None and not evidence:
        why = Bar.REPEATED
    elif demand is None and not any(is_touched(debate, r.finding) for r in finding.raised):
        why = Bar.PRE_EXISTING
    elif demand is None and debate.open.material.review > REVIEWS and not fresh:
        why = Bar.LATE
    return replace(
        finding,
        contradicts=contradicts,
        repeats=repeats,
        evidence=evidence,
        source=source,
        record=record,
        bar=why,
    )


def _record(debate: Debate, finding: MergedFinding) -> DecisionRecord | None:
    """Returns the decision record that the change breaks, if all wordings of a finding say that; a
    wording that does not is a defect of its own, and so is a demand that blocked before.
    """
    records = debate.open.material.records
    if finding.demand is not None and finding.demand.finding.must_fix:
        return None
    wordings = [r for r in finding.standing if r.seat != EARLIER] or finding.standing
    named = [broken_record(r.finding, records) for r in wordings if r.seat not in (CODE, SCANNER)]
    if len(named) < len(wordings):
        return None
    return None if None in named else named[0]


def _outside(debate: Debate, finding: MergedFinding) -> tuple[bool, str]:
    """Returns whether all wordings of a finding are about the outside world, and the quotation that
    shows what they say of it. A demand that blocked before has had its source.
    """
    wordings = [r for r in finding.standing if r.seat != EARLIER]
    if not wordings or (finding.demand is not None and finding.demand.finding.must_fix):
        return False, ""
    if any(r.seat in (CODE, SCANNER) or not speaks_of_outside(r.finding) for r in wordings):
        return False, ""
    holding = (a.quote for seat, a in finding.reasons.items() if seat in finding.by)
    return True, source_of(debate, wordings, holding)


def _evidence(finding: MergedFinding, settled: Demand, *, fresh: bool) -> str:
    """Names what is new about a settled point; empty for nothing."""
    if finding.tested:
        return "a test proves it"
    if finding.confirmed:
        return "people confirm it"
    if fresh:
        return "its lines changed since the last review"
    against = (finding.wording.quote, settled.finding.quote, *settled.quotes)
    holding = (a for seat, a in finding.reasons.items() if seat in finding.by)
    for quote in new_quotes(holding, against):
        return f"a line that nobody quoted before: {quote}"
    return ""


def _judged(
    debate: Debate, raised: tuple[Raised, ...], given: Mapping[str, list[WordingAnswer]]
) -> MergedFinding:
    held = positions(raised, given)
    proof = next((p for r in raised if (p := proofs_of(debate).get(r.finding.id))), None)
    tested = proof is not None and proof.result.standing is Standing.PROVEN
    if not tested:
        raised = _rated(raised, held.reasons)
    demands = debate.open.material.demands
    people = _people(debate, raised, author=False)
    worse, milder = has_majority(people, "worse"), has_majority(people, "milder")
    merged = MergedFinding(
        id=raised[0].finding.id,
        raised=raised,
        wording=raised[0].finding,
        entitled=len(debate.voters),
        by=held.by,
        fix_by=held.fix_by,
        silent=_silent(debate, held),
        unshown=held.unshown,
        disputed_by=held.disputed_by,
        reasons=held.reasons,
        dropped=held.dropped,
        people=people,
        author=_people(debate, raised, author=True),
        confirmed=_confirmed(people),
        step=worse - (milder and not tested),
        demand=next((d for d in demands if d.id == raised[0].finding.id), None),
        proof=proof,
    )
    return _settled(debate, replace(merged, wording=_shown(merged)))


def _silent(debate: Debate, held: Positions) -> tuple[SeatId, ...]:
    opened = {turn.seat for turn, _ in debate.statements(debate.voters) if turn.independent}
    answered = {*held.by, *held.disputed_by}
    return tuple(s for s in debate.voters if s in opened and s not in answered)


def _people(debate: Debate, raised: tuple[Raised, ...], *, author: bool) -> dict[str, int]:
    """Returns people's votes on the finding: a vote on any wording counts, and a person who voted
    on several counts once, with the last vote.
    """
    if not debate.votes:
        return tally((), FINDING_BALLOT, none=False)
    ids = {r.finding.id for r in raised}
    once = {
        voter: find_option(vote.option, FINDING_BALLOT) or ""
        for (subject, voter), vote in debate.votes.items()
        if subject in ids and (vote.role == AUTHOR) is author
    }
    return tally(once.values(), FINDING_BALLOT, none=False)


def _confirmed(counts: Mapping[str, int]) -> bool:
    """True if people find it real; a vote for worse or milder counts as real."""
    real = sum(counts.values()) - counts["not_real"]
    return real >= 2 and real > counts["not_real"]


def _shown(finding: MergedFinding) -> Finding:
    """Returns the wording to print, with its severity moved by people's votes."""
    best = max(
        (r.finding for r in finding.standing),
        key=lambda f: (f.anchored, f.severity.rank, f.confidence),
    )
    scale = list(Severity)
    moved = max(0, min(len(scale) - 1, best.severity.rank + finding.step))
    return replace(best, id=finding.id, severity=scale[moved])


def _settled(debate: Debate, finding: MergedFinding) -> MergedFinding:
    if finding.tested:
        return finding
    disputed_before = (
        finding.demand is not None
        and finding.demand.disputed
        and not _is_raised_on_fresh_lines(debate, finding)
    )
    if has_majority(finding.people, "not_real") or disputed_before:
        severe = finding.wording.severity.rank >= Severity.HIGH.rank and any(
            _secures(role_behind(debate, r, finding.demand)) for r in finding.raised
        )
        return replace(finding, state=FindingState.DISPUTED, maintainer=severe)
    if finding.demand is not None:
        return replace(finding, state=_state_now(debate, finding, finding.demand))
    if (not finding.by or finding.refuted) and not finding.confirmed:
        return replace(finding, state=FindingState.WITHDRAWN)
    return finding


def _state_now(debate: Debate, finding: MergedFinding, demand: Demand) -> FindingState:
    """Returns the state of a demand: fixed if none of its lines is left and most seats that answer
    do not say that it is still there; open if a seat raises it again; else its lines decide and, if
    some of them changed, the seats that were asked.
    """
    again = any(r.seat != EARLIER and r.seat in finding.by for r in finding.raised)
    reasons = finding.reasons.values()
    held = sum(a.position in (Position.AGREE, Position.KEEP) for a in reasons)
    gone = sum(
        a.position in (Position.DISPUTE, Position.WITHDRAW, Position.ANSWERED) for a in reasons
    )
    if demand.fate is Fate.REPLACED:
        fresh = finding.proven_now or _is_raised_on_fresh_lines(debate, finding)
        fixed = held <= gone and not fresh
    elif again:
        fixed = False
    elif demand.fate in (Fate.SAME, Fate.MOVED):
        if gone * 2 > len(debate.voters):
            return FindingState.WITHDRAWN
        fixed = False
    else:
        fixed = demand.fate is Fate.GONE or demand.proven or gone > held
    return FindingState.RESOLVED if fixed else FindingState.OPEN


def _is_raised_on_fresh_lines(debate: Debate, finding: MergedFinding) -> bool:
    """Return whether a seat raises a demand again on lines that changed since the last review."""
    material = debate.open.material
    again = (r.finding for r in finding.raised if r.seat != EARLIER and r.seat in finding.by)
    return material.fresh is not None and any(is_fresh(material, f) for f in again)


def role_behind(debate: Debate, raised: Raised, demand: Demand | None) -> str:
    """Returns the role in which a wording was raised, also in an earlier run."""
    if raised.seat == EARLIER and demand is not None:
        return demand.role
    if raised.seat in (EARLIER, REMARK):
        return ""
    if raised.seat in (CODE, SCANNER):
        return "security"
    return debate.open.script.seat(raised.seat).role


def _secures(role: str) -> bool:
    return any(mark in role.casefold() for mark in _SECURITY)
