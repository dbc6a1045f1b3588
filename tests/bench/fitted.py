"""A world fitted to what real reviewers do, and the ways to decide that are compared in it.

What is fitted (``tests.bench.reviewers`` holds the figures): the severities of a change's defects,
how many of them one reviewer finds and how much less the next one adds (a defect is easy or hard
for everybody), how much each says beside it, how often another says that too, and how alike two
wordings of one thing are. What was read of such comments says that a sixth of them are wrong, most
are true and unimportant, and a few are defects that nobody had listed. What cannot be had is drawn:
the severity that a reviewer states (honest: within a level; inflated: one or two too high), how
sure it is, and what it answers.

Findings go through the project's own merging and rules. Only the words of a debate are simulated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from typing import Any

from core.replies import Finding, Position, Severity
from core.verdict.findings import cross_examined
from core.verdict.findings.cross_examined import Exchange
from core.verdict.findings.merging import components
from core.verdict.findings.outvoted import ContestedFinding, must_be_fixed
from tests.bench import world

FACTS = Path(__file__).with_name("reviewers") / "facts.json"
SCALE = tuple(Severity)
SILENT = ("graphite", "kg")
"""Tools that say next to nothing: they are left out of what is fitted and drawn."""
SPREAD = 2.0
"""How much defects differ in how hard they are: of Beta(share * SPREAD, ...). By the union of one
to seven reviewers.
"""
BESIDE = 1.8
"""Comments of a reviewer on a change that are about none of its known defects (the median)."""
BESIDE_SHARE, BESIDE_SPREAD = 0.05, 12.0
"""So that another reviewer says such a thing, too, in one case of eight."""
WRONG, MINOR, MEDIUM = 0.16, 0.55, 0.22
"""What 44 such comments were when they were read; the rest are serious defects."""
CLEAN, SERIOUS = 0.5, 0.3
"""Shares of changes without, and with a serious defect, in the cost of a change."""
GUARD_RIGHT, GUARD_WRONG = 0.9, 0.6
"""How often a refuter that is right, or wrong, quotes what code finds."""
TOGETHER = 0.25
"""How often two refuters judge by the same thought."""


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats as they state and answer: with ``inflated`` severities, and with a skill of judging."""

    inflated: bool
    skill: world.Skill

    @property
    def name(self) -> str:
        return "inflated" if self.inflated else "honest"


@dataclass(slots=True)
class Issue:
    """Something that reviewers raise. ``severity`` is what it really is, None where it is wrong;
    ``known`` says that it is one of the change's known defects.
    """

    severity: Severity | None
    known: bool
    by: tuple[str, ...]
    raised: dict[str, Finding] = field(default_factory=dict)

    @property
    def serious(self) -> bool:
        return self.severity is not None and self.severity.rank >= Severity.HIGH.rank


@cache
def facts() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(FACTS.read_text("utf-8"))
    return read


@cache
def recalls() -> Mapping[Severity, float]:
    """Returns the share of the known defects of a severity that a reviewer finds."""
    given = facts()
    rows = next(iter(given["raised"].values()))
    speaking = [n for n, tool in enumerate(given["tools"]) if tool not in SILENT]
    hits = dict.fromkeys(SCALE, 0)
    there = dict.fromkeys(SCALE, 0)
    for row, severities in zip(rows, given["severities"], strict=True):
        for number, severity in enumerate(severities):
            there[Severity(severity)] += len(speaking)
            hits[Severity(severity)] += sum(number in row[n] for n in speaking)
    return {s: hits[s] / there[s] for s in SCALE}


def drawn(seats: Sequence[str], rng: Random) -> list[Issue]:
    """Draws the findings of these reviewers on one change, with the severities of a real one."""
    issues = []
    for severity in map(Severity, rng.choice(facts()["severities"])):
        share = recalls()[severity]
        seen = rng.betavariate(share * SPREAD, (1 - share) * SPREAD)
        issues.append(Issue(severity, True, tuple(s for s in seats if rng.random() < seen)))
    for _ in range(_poisson(BESIDE / BESIDE_SHARE, rng)):
        a = BESIDE_SHARE * BESIDE_SPREAD
        seen = rng.betavariate(a, BESIDE_SPREAD - a)
        issues.append(Issue(beside(rng), False, tuple(s for s in seats if rng.random() < seen)))
    return issues


def beside(rng: Random) -> Severity | None:
    """Draws the severity of a comment about no known defect, or None where there is none."""
    at = rng.random()
    if at < WRONG:
        return None
    if at < WRONG + MINOR:
        return Severity.LOW
    return Severity.MEDIUM if at < WRONG + MINOR + MEDIUM else Severity.HIGH


def worded(issues: Sequence[Issue], seats: Seats, rng: Random) -> list[Issue]:
    """Returns the same issues in each reviewer's own wording: severity, confidence, line and
    words.
    """
    kept = [replace(issue) for issue in issues if issue.by]
    for n, issue in enumerate(kept):
        apparent = issue.severity or rng.choices(SCALE, (0.35, 0.4, 0.2, 0.05))[0]
        issue.raised = {
            seat: _wording(n, seat, _stated(apparent, seats, rng), issue, rng) for seat in issue.by
        }
    return kept


def _stated(severity: Severity, seats: Seats, rng: Random) -> Severity:
    step = rng.choices((-1, 0, 1), (0.15, 0.7, 0.15))[0]
    if seats.inflated:
        step = rng.choices((1, 2), (0.6, 0.4))[0]
    return SCALE[max(0, min(len(SCALE) - 1, severity.rank + step))]


_WORDS = 12


def _wording(n: int, seat: str, severity: Severity, issue: Issue, rng: Random) -> Finding:
    """Makes a wording that is as alike to the others' as real ones are: a number of its words are
    the issue's own.
    """
    shared = round(_WORDS * _likeness(rng) ** 0.5)
    own = [f"issue{n}x{chr(97 + k)}" for k in rng.sample(range(_WORDS), shared)]
    other = [f"{seat}{n}q{chr(97 + k)}" for k in range(_WORDS - shared)]
    sure = rng.random() < (0.8 if issue.severity is not None else 0.65)
    confidence = round(rng.uniform(0.6, 0.95) if sure else rng.uniform(0.3, 0.59), 2)
    line = 10 + rng.choice((0, 0, 0, 1, 2))
    return Finding(
        "", severity, confidence, " ".join(own + other), f"src/part{n}.py", line, anchored=True
    )


def _likeness(rng: Random) -> float:
    overlaps = facts()["overlaps"]
    (at,) = rng.choices(range(overlaps["bins"] + 1), overlaps["same"])
    return float(at / overlaps["bins"])


def cleaned(issues: Sequence[Issue]) -> list[Issue]:
    """Returns the clean stand-in, without issues that are true and more than minor."""
    return [i for i in issues if not i.known and i.severity in (None, Severity.LOW)]


@dataclass(frozen=True, slots=True)
class Group:
    """A finding as the project merged it: the wordings with their seats, and what they are of."""

    wordings: tuple[tuple[str, Finding], ...]
    issue: Issue

    def held(
        self, entitled: int, holders: int | None = None, disputers: int = 0
    ) -> ContestedFinding:
        own = len({seat for seat, _ in self.wordings})
        findings = [finding for _, finding in self.wordings]
        return ContestedFinding(findings, own if holders is None else holders, disputers, entitled)


def merged(issues: Sequence[Issue], seats: Sequence[str]) -> list[Group]:
    """Merges the findings of these seats by the project's own rules."""
    items = [
        (issue.raised[seat], (seat, issue.raised[seat], issue))
        for seat in seats
        for issue in issues
        if seat in issue.raised
    ]
    return [
        Group(tuple((seat, finding) for seat, finding, _ in group), group[0][2])
        for group in components(items)
    ]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to decide: how many reviewers open, and what blocks after how many calls."""

    name: str
    openings: int
    blocks: Callable[[Sequence[Group], int, Seats, Random], tuple[list[Group], int]]


def _union(groups: Sequence[Group], n: int, _s: Seats, _r: Random) -> tuple[list[Group], int]:
    return [g for g in groups if cross_examined.severe(g.held(n))], n


def _by_two(groups: Sequence[Group], n: int, _s: Seats, _r: Random) -> tuple[list[Group], int]:
    held = ((g, g.held(n)) for g in groups)
    return [g for g, h in held if cross_examined.severe(h) and h.holders > 1], n


def _outvoted(groups: Sequence[Group], n: int, s: Seats, rng: Random) -> tuple[list[Group], int]:
    """Plays the debate of every seat about every finding, by the rule "outvoted"."""
    rounds = ((*world.CRITICS[:n], world.AUTHOR),) * 2
    setting = world.Setting(s.skill, 0.5, 0.3, calibrated=False)
    kept = []
    for g in groups:
        issue = world.Issue(0, g.issue.severity is not None, dict(g.wordings))
        stands = world.debate(setting, issue, rounds, rng)
        by = [seat for seat, position in stands.items() if position is Position.AGREE]
        against = [seat for seat, position in stands.items() if position is Position.DISPUTE]
        standing = tuple((seat, f) for seat, f in g.wordings if seat in by) or g.wordings
        if by and must_be_fixed(replace(g, wordings=standing).held(n + 1, len(by), len(against))):
            kept.append(g)
    return kept, 12


def _selective(refuters: int) -> Callable[..., tuple[list[Group], int]]:
    """Sends refuters to lone severe findings, the gravest first (0: as many as the project sends);
    the holder of refuted ones answers them in one call.
    """

    def blocks(
        groups: Sequence[Group], n: int, seats: Seats, rng: Random
    ) -> tuple[list[Group], int]:
        lone = sorted((g for g in groups if cross_examined.is_lone(g.held(n))), key=_worth)
        each = cross_examined.refuters(len(lone), refuters)
        most = cross_examined.most_refuters(refuters)
        shares = cross_examined.shared_out(len(lone), each, most)
        refuters_of = {id(g): share for g, share in zip(lone, shares, strict=True)}
        kept, calls, holders = [], n + sum(shares), set()
        for g in groups:
            held, exchange = g.held(n), cross_examined.NOT_EXAMINED
            if refuters_of.get(id(g)):
                exchange = _exchange(g.issue, refuters_of[id(g)], seats, rng)
                if exchange.refuted:
                    holders |= {seat for seat, _ in g.wordings}
            if cross_examined.must_be_fixed(held, exchange):
                kept.append(g)
        return kept, calls + len(holders)

    return blocks


def _worth(group: Group) -> tuple[int, float]:
    """Returns the key by which issues are sorted: the one with the least is examined first."""
    worst = max((f for _, f in group.wordings), key=lambda f: (f.severity.rank, f.confidence))
    return -worst.severity.rank, -worst.confidence


def _exchange(issue: Issue, refuters: int, seats: Seats, rng: Random) -> Exchange:
    """Plays the answers of refuters and holder to "must this be fixed, by which input?"."""
    skill = seats.skill
    confirmed = refuted = unproven = 0
    common = rng.random()
    for _ in range(refuters):
        at = common if rng.random() < TOGETHER else rng.random()
        right = at < (skill.judges_true if issue.serious else skill.judges_false)
        if issue.serious is right:
            confirmed += 1
        elif rng.random() < (GUARD_RIGHT if right else GUARD_WRONG):
            refuted += 1
        else:
            unproven += 1
    drops = skill.drops_true if issue.serious else skill.drops_false
    return Exchange(refuters, confirmed, refuted, unproven, kept=rng.random() >= drops)


WAYS = (
    Way("one critic", 1, _union),
    Way("union of three", 3, _union),
    Way("held by two of three", 3, _by_two),
    Way("today: all debate, outvoted", 3, _outvoted),
    Way("selective, one refuter", 3, _selective(1)),
    Way("selective, either of two", 3, _selective(2)),
    Way("selective, as shipped", 3, _selective(0)),
    Way("five openings, selective, one refuter", 5, _selective(1)),
    Way("five openings, either of two", 5, _selective(2)),
    Way("five openings, as shipped", 5, _selective(0)),
)


@dataclass(slots=True)
class Tally:
    """The results of one way on changes: for each whether the clean stand-in was blocked, whether
    it was a serious one, whether that was missed, and the calls.
    """

    rows: list[tuple[int, bool, bool, bool, int]] = field(default_factory=list)

    def figures(self, among: Sequence[int] | None = None) -> tuple[float, float, float, float]:
        """Returns false blocks, missed defects, and the cost at 5:1 and 2:1; ``among`` draws
        changes again.
        """
        rows = self.rows
        if among is not None:
            by_change: dict[int, list[tuple[int, bool, bool, bool, int]]] = {}
            for row in self.rows:
                by_change.setdefault(row[0], []).append(row)
            rows = [row for change in among for row in by_change[change]]
        blocked = sum(row[1] for row in rows) / len(rows)
        serious = [row for row in rows if row[2]]
        missed = sum(row[3] for row in serious) / max(1, len(serious))
        return (
            blocked,
            missed,
            CLEAN * blocked + 5 * SERIOUS * missed,
            CLEAN * blocked + 2 * SERIOUS * missed,
        )

    @property
    def calls(self) -> float:
        return sum(row[4] for row in self.rows) / len(self.rows)


def play(change: int, issues: Sequence[Issue], seats: Sequence[str], given: Seats,
         rng: Random, tallies: Mapping[str, Tally]) -> int:  # fmt: skip
    """Decides one change and its clean stand-in in every way, and counts where another order of
    seats changes the findings that block before any answer (it never should).
    """
    wordings = worded(issues, given, rng)
    serious = any(i.known and i.serious for i in issues)
    disorder = 0
    for way in WAYS:
        sitting = seats[: way.openings]
        drawn_from = rng.getrandbits(48)
        groups = merged(wordings, sitting)
        blocking, calls = way.blocks(groups, way.openings, given, Random(drawn_from))
        clean, _ = way.blocks(merged(cleaned(wordings), sitting), way.openings, given,
                              Random(drawn_from))  # fmt: skip
        right = any(g.issue.serious for g in blocking)
        tallies[way.name].rows.append((change, bool(clean), serious, not right, calls))
        again = merged(wordings[::-1], sitting[::-1])
        disorder += _shape(groups) != _shape(again)
    return disorder


def _shape(groups: Sequence[Group]) -> list[tuple[list[str], bool, bool]]:
    """Returns all that the rules look at: the seats that hold an issue, and whether it is severe
    and held by one alone.
    """
    return sorted(
        (
            sorted(f"{seat}{finding.path}" for seat, finding in g.wordings),
            cross_examined.severe(g.held(3)),
            cross_examined.is_lone(g.held(3)),
        )
        for g in groups
    )


def interval(tally: Tally, rng: Random, times: int = 300) -> tuple[float, float]:
    """Returns the 95 % interval of the cost at 5:1: whole changes are drawn again."""
    changes = sorted({row[0] for row in tally.rows})
    costs = sorted(tally.figures(rng.choices(changes, k=len(changes)))[2] for _ in range(times))
    return costs[int(0.025 * times)], costs[int(0.975 * times) - 1]


def lines(measured: Mapping[str, Mapping[str, Tally]]) -> Iterator[str]:
    """Returns a Markdown table: a way a row, honest and inflated seats side by side."""
    yield (
        "| FB/MISSr/5:1/2:1 [95 % of 5:1] | "
        + " | ".join(measured)
        + " | calls (honest / inflated) |"
    )
    yield "|---|" + "---|" * (len(measured) + 1)
    for way in WAYS:
        cells, calls = [], []
        for tallies in measured.values():
            tally = tallies[way.name]
            low, high = interval(tally, Random(way.name))
            text = "/".join(f"{x:.2f}" for x in tally.figures())
            cells.append(f"{text} [{low:.2f}, {high:.2f}]")
            calls.append(f"{tally.calls:.1f}")
        yield f"| {way.name} | {' | '.join(cells)} | {' / '.join(dict.fromkeys(calls))} |"


def _poisson(mean: float, rng: Random) -> int:
    count, left, end = 0, rng.random(), exp(-mean)
    while left > end:
        count, left = count + 1, left * rng.random()
    return count


SEATS = (*world.CRITICS, "fourth", "fifth")


def measure(changes: int = 600) -> tuple[dict[str, dict[str, Tally]], int]:
    """Measures honest and inflated seats with three skills of judging each, and counts the changes
    that another order of seats decides otherwise.
    """
    measured: dict[str, dict[str, Tally]] = {}
    disorder = 0
    for inflated in (False, True):
        for skill in world.SKILLS:
            given = Seats(inflated, skill)
            tallies = measured.setdefault(given.name, {way.name: Tally() for way in WAYS})
            rng = Random(f"{given}")
            for n in range(changes):
                disorder += play(n, drawn(SEATS, rng), SEATS, given, rng, tallies)
    return measured, disorder
