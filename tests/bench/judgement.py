"""``python -m tests.bench.judgement``: how well the rule of a code review decides, in a world of
seats with known skill (``tests.bench.world``), through the project's own merging and verdict.

No model takes part: the figures are about rules. Everything is drawn from fixed seeds, so two runs
print the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from random import Random

from adapters.templates.catalogue import find, in_format
from core import events as e
from core.debate import Debate, replay
from core.events import EndReason
from core.formats import FORMATS, Plan
from core.material import Material, MaterialKind
from core.replies import Answer, Finding, Severity, Stance, Statement
from core.script import TurnId
from core.verdict import verdict
from core.verdict.findings import FindingState, MergedFinding, merge_findings
from core.verdict.findings.outvoted import SURE
from core.verdict.worth import needless
from tests.bench import fitted
from tests.bench.world import AUTHOR, CRITICS, Change, Rounds, Setting, reviewed, settings
from tests.core.table import START

DEBATES = 2000
BLOCKS = "request_changes"
TITLE = "rule (false blocks/missed/missed by a true finding)"


@dataclass(frozen=True, slots=True)
class Table:
    """The opened review in one order of seats: its debate before the first word, and its turns by
    round after the openings.
    """

    opened: Debate
    turns: Mapping[tuple[int, str], TurnId]
    rounds: Rounds


@cache
def laid(critics: tuple[str, ...]) -> Table:
    """Returns the project's code review with its critics in this order, the author in the same
    place.
    """
    template = in_format(find("code_review"), "phased")
    order = (AUTHOR, *critics)
    roles = tuple(sorted(template.roles, key=lambda r: (*order, r.name).index(r.name)))
    phases = tuple(
        replace(p, roles_active=tuple(sorted(p.roles_active, key=(*order, *p.roles_active).index)))
        for p in template.phases
    )
    template = replace(template, roles=roles, phases=phases)
    script = FORMATS[template.format].compile(template, Plan(), Random(0))
    terms = e.Terms(template.consensus.value, template.consensus_threshold, 1)
    request = e.DebateRequest("code_review", "", "bench", "bench")
    material = Material(MaterialKind.DIFF, "a change", "…")
    opened = e.DebateOpened(template, script, {}, material, terms, START)
    debate = replay([e.DebateRequested("bench", request, START), opened])
    spoken = [t for t in script.turns if t.seat in order and not t.closing]
    rounds = dict.fromkeys(t.round for t in spoken)
    return Table(
        debate,
        {(t.round, t.seat): t.id for t in spoken},
        tuple(tuple(t.seat for t in spoken if t.round == n) for n in rounds),
    )


def played(change: Change, critics: Sequence[str] = CRITICS, *, backwards: bool = False) -> Debate:
    """Plays the debate over a change, with the critics seated in this order; ``backwards`` reverses
    the order within each reply.
    """
    table = laid(tuple(critics))
    turns = {t.id: t for t in table.opened.turns}
    ids: dict[tuple[int, str], str] = {}
    statements: dict[TurnId, Statement] = {}
    issues = change.issues[::-1] if backwards else change.issues
    for (number, seat), id in table.turns.items():
        findings: list[Finding] = []
        for issue in issues if turns[id].independent else ():
            if seat in issue.raised:
                ids[issue.number, seat] = f"{id}.f{len(findings) + 1}"
                findings.append(replace(issue.raised[seat], id=ids[issue.number, seat]))
        answers = [
            Answer(ids[issue.number, seat if seat in issue.raised else _first(issue.raised)], call)
            for issue in (() if turns[id].independent else issues)
            if (call := issue.calls[number - 1].get(seat)) is not None
        ]
        # a vote for the mildest option makes no verdict stricter: the rule alone is measured
        stance = Stance("approve", 0.7)
        statements[id] = Statement(
            "…", stance=stance, findings=tuple(findings), answers=tuple(answers)
        )
    return replace(table.opened, finished=statements, settled=frozenset(statements))


def _first(raised: Iterable[str]) -> str:
    return next(iter(raised))


def openings(debate: Debate, seats: Sequence[str] = CRITICS) -> Debate:
    """Returns the same debate before any seat had read another, for these seats alone."""
    first = [t for t in debate.turns if t.independent and t.seat in seats]
    statements = {t.id: _asking(debate.finished[t.id]) for t in first}
    return replace(debate, finished=statements, settled=frozenset(statements))


def _asking(statement: Statement) -> Statement:
    """Returns the opening with the vote that its findings ask for."""
    sure = any(
        f.confidence >= SURE and f.severity.rank >= Severity.HIGH.rank for f in statement.findings
    )
    return replace(statement, stance=Stance(BLOCKS if sure else "approve", 0.7))


Block = Callable[[MergedFinding], bool]


def undisputable(finding: MergedFinding) -> bool:
    """Decides by the rule of the first release: a dispute softens nothing, and two holders are
    enough.
    """
    if finding.state is not FindingState.OPEN:
        return False
    return finding.sure(Severity.HIGH) or (finding.sure(Severity.MEDIUM) and len(finding.by) >= 2)


def by_two(finding: MergedFinding) -> bool:
    return len(finding.by) >= 2 and undisputable(finding)


@dataclass(slots=True)
class Count:
    """The number of wrong decisions of a rule in one setting."""

    clean: int = 0
    blocked: int = 0
    serious: int = 0
    missed: int = 0
    missed_true: int = 0
    changes: int = 0

    def add(self, change: Change, blocking: Sequence[MergedFinding]) -> None:
        true = {i.number for i in change.issues if i.true}
        right = any(int(m.wording.path[8:-3]) in true for m in blocking)
        self.changes += 1
        self.clean += change.clean
        self.serious += change.serious
        self.blocked += change.clean and bool(blocking)
        self.missed += change.serious and not blocking
        self.missed_true += change.serious and not right

    @property
    def false_blocks(self) -> float:
        return self.blocked / self.clean

    @property
    def miss(self) -> float:
        return self.missed / self.serious

    @property
    def miss_true(self) -> float:
        return self.missed_true / self.serious

    def cost(self, weight: int, *, true: bool) -> float:
        """Returns the cost per change: false blocks, and ``weight`` times the serious defects that
        were missed.
        """
        missed = self.missed_true if true else self.missed
        return (self.blocked + weight * missed) / self.changes


RULES = ("one", "two", "every", "first", "outvoted")
NAMES = {
    "one": "one critic alone",
    "two": "found by two of three independently",
    "every": "everything anybody found, no debate",
    "first": "disputes soften nothing (0.1)",
    "outvoted": "outvoted",
}


@dataclass(slots=True)
class Measured:
    """The result of one setting: the counts of each rule, the debates that another order changed,
    and the debates that the project would not have held, by the reason, with the number of those
    that changed the decision.
    """

    setting: Setting
    counts: dict[str, Count] = field(default_factory=lambda: {r: Count() for r in RULES})
    order: int = 0
    spared: dict[EndReason, int] = field(default_factory=lambda: dict.fromkeys(EndReason, 0))
    undone: dict[EndReason, int] = field(default_factory=lambda: dict.fromkeys(EndReason, 0))


def measure(setting: Setting, debates: int = DEBATES) -> Measured:
    rng = Random(f"{setting}")
    measured = Measured(setting)
    rounds = laid(CRITICS).rounds[1:]
    for _ in range(debates):
        change = reviewed(setting, rounds, rng)
        debate = played(change)
        opened = openings(debate)
        first, last = merge_findings(opened), merge_findings(debate)
        alone = merge_findings(openings(debate, CRITICS[:1]))
        blocking = [m for m in last if m.blocking]
        seats = rng.sample(CRITICS, len(CRITICS))
        again = decision(played(change, seats, backwards=True))
        measured.order += again != decision(debate)
        if (stop := needless(opened)) is not None:
            measured.spared[stop.reason] += 1
            decided = any(m.blocking for m in first)
            measured.undone[stop.reason] += decided is not bool(blocking)
        for rule, kept in (
            ("one", [m for m in alone if undisputable(m)]),
            ("two", [m for m in first if by_two(m)]),
            ("every", [m for m in first if undisputable(m)]),
            ("first", [m for m in last if undisputable(m)]),
            ("outvoted", blocking),
        ):
            measured.counts[rule].add(change, kept)
    return measured


def decision(debate: Debate) -> object:
    """Returns the verdict and the findings that must be fixed, each seat in its own words."""
    decided = verdict(debate).decision
    blocking = (m for m in merge_findings(debate) if m.blocking)
    fix = [sorted((r.seat, r.finding.path) for r in m.standing) for m in blocking]
    if (decided == BLOCKS) is not bool(fix):
        raise AssertionError(
            f"the verdict {decided} does not follow from what must be fixed: {fix}"
        )
    return decided, sorted(fix)


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure that the project promises not to exceed."""

    what: str
    figure: float
    most: float

    @property
    def met(self) -> bool:
        return self.figure <= self.most

    def __str__(self) -> str:
        form = "{:.0f}" if self.most == int(self.most) else "{:.3f}"
        figures = f"{form.format(self.figure)} (at most {form.format(self.most)})"
        return f"{'pass' if self.met else 'FAIL'}  {self.what:<58} {figures}"


def bars(measured: Sequence[Measured]) -> tuple[Bar, ...]:
    """Returns the bars that the rule must pass in this world."""

    def ours(count: Callable[[Count], float], skill: str = "") -> float:
        return mean(
            count(m.counts["outvoted"]) for m in measured if skill in ("", m.setting.skill.name)
        )

    def worse(m: Measured, *, true: bool) -> bool:
        return m.counts["outvoted"].cost(5, true=true) > m.counts["two"].cost(5, true=true)

    return (
        Bar(
            "cost 5:1, a block counts by a true finding alone",
            ours(lambda c: c.cost(5, true=True)),
            0.730,
        ),
        Bar("cost 5:1, any block counts", ours(lambda c: c.cost(5, true=False)), 0.483),
        Bar(
            "cost 2:1, a block counts by a true finding alone",
            ours(lambda c: c.cost(2, true=True)),
            0.398,
        ),
        Bar("clean changes blocked", ours(lambda c: c.false_blocks), 0.352),
        Bar("clean changes blocked, strong seats", ours(lambda c: c.false_blocks, "strong"), 0.128),
        Bar(
            "serious defects missed by a true finding, strong seats",
            ours(lambda c: c.miss_true, "strong"),
            0.144,
        ),
        Bar(
            f"of {len(measured)} settings worse than the independent majority",
            sum(worse(m, true=True) or worse(m, true=False) for m in measured),
            0,
        ),
        Bar(
            f"of {_changes(measured):,} debates changed by the order of seats and words",
            sum(m.order for m in measured),
            0,
        ),
    )


def _changes(measured: Sequence[Measured]) -> int:
    return sum(m.counts["outvoted"].changes for m in measured)


def table(measured: Sequence[Measured]) -> list[str]:
    """Returns each rule's errors by skill, and their cost."""
    skills = list(dict.fromkeys(m.setting.skill.name for m in measured))
    costs = ("cost 5:1", "true 5:1", "true 2:1")
    lines = [
        f"{TITLE:<52}" + "".join(f"{s:>16}" for s in skills) + "".join(f"{c:>10}" for c in costs)
    ]
    for rule in RULES:
        cells = []
        for skill in skills:
            counts = [m.counts[rule] for m in measured if m.setting.skill.name == skill]
            rates = (
                mean(c.false_blocks for c in counts),
                mean(c.miss for c in counts),
                mean(c.miss_true for c in counts),
            )
            cells.append(f"{'/'.join(f'{r:.2f}' for r in rates):>16}")
        counts = [m.counts[rule] for m in measured]
        paid = (
            mean(c.cost(5, true=False) for c in counts),
            mean(c.cost(5, true=True) for c in counts),
            mean(c.cost(2, true=True) for c in counts),
        )
        lines.append(f"{NAMES[rule]:<52}" + "".join(cells) + "".join(f"{p:>10.3f}" for p in paid))
    return lines


WHY = {
    EndReason.CONVERGED: "nothing both sure and anchored",
    EndReason.CONSENSUS: "all critics found the same",
}


def spared(measured: Sequence[Measured]) -> list[str]:
    """Says how many findings are not debated, and how often a debate would have changed the
    decision.
    """
    changes = _changes(measured)
    lines = []
    for reason, why in WHY.items():
        held = sum(m.spared[reason] for m in measured)
        undone = sum(m.undone[reason] for m in measured)
        lines.append(
            f"not debated, {why}: {held / changes:.1%} of changes; a debate would have changed "
            f"{undone / max(1, held):.1%} of these decisions"
        )
    return lines


def main() -> int:
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        measured = list(pool.map(measure, settings()))
    print(*table(measured), "", *spared(measured), "", sep="\n")
    promised = bars(measured)
    print(*promised, sep="\n")
    print("", "a world fitted to real reviewers (tests.bench.fitted)", "", sep="\n")
    rows, disorder = fitted.measure()
    print(*fitted.lines(rows), "", f"changed by the order of seats: {disorder}", sep="\n")
    return int(not all(b.met for b in promised))


if __name__ == "__main__":
    sys.exit(main())
