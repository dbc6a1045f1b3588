"""Adds the turns in which findings are proven by tests, and lists the runs that they need.

Everything follows from the state: a debate that died in between continues from there. A test is
written by a seat that holds the finding, run by someone else, and read by another seat if its runs
prove anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf

from core.debate.due import argument
from core.debate.events import TurnsAdded
from core.debate.finding import Finding
from core.debate.proof import MOST_PROOFS, MOST_TRIES, USD, ProofTest, Standing, judge
from core.debate.script import DECISION, About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, once
from core.debate.verdict.condition import at_the_table
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.contested import contested
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.proofs import AUDIT, PROVE, audit_of

NO_TURN = TurnId("")
BECAUSE = "proof"
"""The reason that the events adding these turns give."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something to be done outside for a finding: without a ``test``, to describe the form of one;
    with it, to run this test of ``turn``.
    """

    finding: Finding
    turn: TurnId = NO_TURN
    test: ProofTest | None = None

    @property
    def key(self) -> str:
        return key_of(self.turn)


def key_of(turn: TurnId) -> str:
    """Returns the key of the work for the test of a turn, or for the form of tests."""
    return f"proof:{turn}"


@dataclass(frozen=True, slots=True)
class ProofStep:
    """What follows now: turns to add, work to do before the debate continues, and whether the
    closing turns wait for it.
    """

    turns: Sequence[Turn] = ()
    work: Sequence[Work] = ()
    waits: bool = False


_NOTHING = ProofStep()


def owed(debate: Debate) -> TurnsAdded | None:
    """Returns the event that adds the owed turns now and names the turns that read them; None if no
    turn is owed.
    """
    step = next_step(debate)
    if not step.turns:
        return None
    readers = tuple(t.id for t in debate.waiting if t.closing)
    return TurnsAdded(tuple(step.turns), readers, BECAUSE)


@once
def next_step(debate: Debate) -> ProofStep:
    """Returns what the debate's proofs need now."""
    opened = debate.opened
    if opened is None or not opened.template.findings:
        return _NOTHING
    if not opened.terms.prove and not debate.proof_requests:
        return _NOTHING
    if debate.over or debate.paused is not None:
        return _NOTHING
    if debate.stop is not None and debate.stop.reason not in argument.EARLY:
        return _NOTHING
    spoken = [t for t in debate.turns if not t.closing and t.task not in (PROVE, AUDIT)]
    if not debate.all_settled(spoken) or argument.owed(debate) is not None:
        return _NOTHING
    tries = [t for t in debate.turns if t.task == PROVE]
    turns: list[Turn] = []
    work: list[Work] = []
    waits = False
    for step in (_first_tries(debate, tries), *(_after(debate, t, tries) for t in tries)):
        turns += step.turns
        work += step.work
        waits = waits or step.waits
    return ProofStep(turns, work, waits)


def left_for(debate: Debate, turn: Turn) -> float:
    """Returns the USD that a turn may cost at most: for a turn of a proof, the rest that the other
    turns of that proof left.
    """
    if turn.task not in (PROVE, AUDIT):
        return inf
    others = (t.id for t in debate.turns if t.task in (PROVE, AUDIT) and t.about == turn.about)
    usages = (debate.usage[id] for id in others if id != turn.id and id in debate.usage)
    return USD - fsum(usage.usd or 0.0 for usage in usages)


def _first_tries(debate: Debate, tries: Sequence[Turn]) -> ProofStep:
    """Returns the first tries for the findings that need one: those that people asked for, and with
    ``Terms.prove`` the candidates, as long as a closing turn waits for them.
    """
    tried = {t.about_the(Topic.FINDING) for t in tries}
    chosen = [
        m
        for m in merge_findings(debate)
        if any(request.finding in m.ids for request in debate.proof_requests)
    ]
    if debate.open.terms.prove and any(t.closing for t in debate.waiting):
        left = [m for m in candidates(debate) if not tried & set(m.ids)]
        chosen += left[: max(0, MOST_PROOFS - len(tried))]
    by_id = {m.id: m for m in chosen}
    new = [m for m in by_id.values() if not tried & set(m.ids)]
    writers = [(m, seat) for m in new if (seat := writer_of(debate, m)) is not None]
    if not writers:
        return _NOTHING
    if debate.framing is None:
        return ProofStep(work=(Work(writers[0][0].wording),), waits=True)
    if debate.framing.problem:
        return _NOTHING
    turns = [
        _turn(debate, f"prove{n}", PROVE, seat, m.id, ())
        for n, (m, seat) in enumerate(writers, len(tried) + 1)
    ]
    return ProofStep(turns, waits=True)


def candidates(debate: Debate) -> Sequence[MergedFinding]:
    """Returns the findings that would block and were contested, the gravest first."""
    disputed = {id for point in contested(debate) for id in point.ids}
    return [
        m
        for m in merge_findings(debate)
        if m.state is FindingState.OPEN
        and m.evident
        and not m.proven
        and m.fix_by
        and m.wording.path
        and (m.contested or disputed & set(m.ids))
        and writer_of(debate, m) is not None
    ]


def _after(debate: Debate, turn: Turn, tries: Sequence[Turn]) -> ProofStep:
    if turn.id not in debate.settled:
        return ProofStep(waits=True)
    id = turn.about_the(Topic.FINDING)
    finding = next((m for m in merge_findings(debate) if id in m.ids), None)
    statement = debate.statement(turn.id)
    if finding is None or statement is None or statement.test is None:
        return _NOTHING
    run = debate.proofs.get(turn.id)
    if run is None:
        return ProofStep(work=(Work(finding.wording, turn.id, statement.test),), waits=True)
    if judge(run.result).standing is Standing.PROVEN:
        return _audit(debate, turn, finding)
    if sum(t.about == turn.about for t in tries) < MOST_TRIES:
        return _again(debate, turn, finding)
    return _NOTHING


def _audit(debate: Debate, turn: Turn, finding: MergedFinding) -> ProofStep:
    audit = audit_of(debate, turn.id)
    if audit is not None:
        return ProofStep(waits=audit.id not in debate.settled)
    others = [*finding.disputed_by, *finding.minor_by, *finding.silent, *debate.voters]
    able = set(debate.voters) & set(at_the_table(debate))
    reader = next((s for s in others if s != turn.seat and s in able), None)
    if reader is None:
        return _NOTHING
    id = f"audit-{turn.id}"
    return ProofStep((_turn(debate, id, AUDIT, reader, finding.id, (turn.id,)),), waits=True)


def _again(debate: Debate, turn: Turn, finding: MergedFinding) -> ProofStep:
    run = debate.proofs[turn.id]
    if run.result.problem and not run.result.again:
        return _NOTHING
    id = f"{turn.id}-again"
    return ProofStep((_turn(debate, id, PROVE, turn.seat, finding.id, (turn.id,)),), waits=True)


def _turn(
    debate: Debate,
    id: str,
    task: str,
    seat: SeatId,
    finding: str,
    after: tuple[TurnId, ...],
) -> Turn:
    heard = tuple(
        t.id
        for t in debate.turns
        if not t.closing and t.id in debate.finished and t.task not in (PROVE, AUDIT)
    )
    rounds = debate.script.rounds
    at = next((n for n, each in enumerate(rounds) if each.phase == DECISION), None)
    if at is None:
        at = max(t.round for t in debate.turns if not t.closing)
    about = About(Topic.FINDING, finding)
    return Turn(TurnId(id), seat, task, (*heard, *after), at, about=about)


def writer_of(debate: Debate, finding: MergedFinding) -> SeatId | None:
    """Returns the seat that writes the test: of the seats that want it fixed, otherwise of the
    seats that hold it, the seat that raised it, if any, else the first. None if only code, a
    scanner or an earlier review holds it.
    """
    able = set(debate.voters) & set(at_the_table(debate))
    seats = [s for s in finding.fix_by if s in able] or [s for s in finding.by if s in able]
    raising = [r.seat for r in finding.raised if r.seat in seats]
    return next(iter((*raising, *seats)), None)
