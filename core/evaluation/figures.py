"""Computes the figures of a measurement, each with an interval over cases, and the differences
between arms.

Repeats of one case are not new cases, so a resample takes whole cases, and a difference between two
arms takes the same cases for both (paired percentile bootstrap: Efron and Tibshirani 1993, ch. 13;
``RESAMPLES`` draws from a fixed seed), its ends moved out as far as few cases demand (expanded
percentiles: Hesterberg 2015, by Student's t). If all cases came out alike, a bootstrap shows no
variance; then Wilson's interval over the cases is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, fsum, sqrt
from operator import itemgetter, sub
from random import Random
from statistics import NormalDist

from core.debate.verdict.votes import Z95, wilson
from core.evaluation import Arm, ArmResult, Case

RESAMPLES = 2000
FEW = 10
"""The number of cases below which an interval is too narrow to be trusted."""

Parts = tuple[float, float]
"""A case's part of a figure: a sum and a count."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity that is measured. ``of`` gives the part of one case's readings by one arm; its
    count is 0 if they contain nothing about it.

    A ``share`` is in [0, 1]; ``unit`` is the unit of other measures.
    """

    key: str
    name: str
    of: Callable[[Case, Sequence[ArmResult]], Parts]
    share: bool = True
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95 % interval over ``cases`` cases; None if no case contributes."""

    value: float | None
    low: float | None = None
    high: float | None = None
    cases: int = 0


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """The amount by which ``arm`` exceeds ``other`` on the same cases; ``clear`` means that the
    interval excludes 0.

    For a share, ``more`` counts the cases in which only ``arm`` has it in more than half of its
    readings and ``fewer`` those in which only ``other`` does; ``chance`` is the probability of at
    least so uneven a split if the arms are alike (McNemar's test, exact and two-sided).
    """

    arm: Arm
    other: Arm
    figure: Figure
    more: int = 0
    fewer: int = 0
    chance: float | None = None

    @property
    def clear(self) -> bool:
        low, high = self.figure.low, self.figure.high
        return low is not None and high is not None and (low > 0 or high < 0)


_Of = Callable[[Case, Sequence[ArmResult]], Parts]


def _mean(value: Callable[[ArmResult], float], weight: Callable[[Case], int] = lambda _: 1) -> _Of:
    """Returns the measure of a value of single readings. A reading of a case counts as ``weight``
    ones; a case without any says nothing.
    """
    return lambda case, read: (fsum(map(value, read)), float(weight(case) * len(read)))


def _located(case: Case) -> int:
    return len(case.located)


def _same_decision(_: Case, read: Sequence[ArmResult]) -> Parts:
    pairs = _runs(read)
    return float(sum(a.blocked is b.blocked for a, b in pairs)), float(len(pairs))


def _same_found(case: Case, read: Sequence[ArmResult]) -> Parts:
    pairs = _runs(read) if case.located else []
    return float(sum(a.found == b.found for a, b in pairs)), float(len(pairs))


def _runs(read: Sequence[ArmResult]) -> list[tuple[ArmResult, ArmResult]]:
    """Yields pairs of runs of the same case, of one seat's openings if each is read by itself."""
    return [(a, b) for a, b in combinations(read, 2) if a.seat == b.seat and a.repeat != b.repeat]


def _usd(_: Case, read: Sequence[ArmResult]) -> Parts:
    known = [r.usd for r in read if r.usd is not None]
    return fsum(known), float(len(known))


_FOUND = _mean(lambda r: len(r.found), _located)
_PLACED = _mean(lambda r: len(r.placed), _located)
_WORDED = _mean(lambda r: len(r.worded), lambda case: len(case.worded))
_RIGHTLY = _mean(lambda r: r.rightly, lambda case: bool(case.located))
_SENT_BACK = _mean(lambda r: r.blocked, lambda case: not case.clean)
_FALSE_BLOCKS = _mean(lambda r: r.blocked, lambda case: case.clean)
_NOISE = _mean(lambda r: r.others, lambda case: case.clean)
_CALLS, _SECONDS = _mean(lambda r: r.calls), _mean(lambda r: r.seconds)
MEASURES = (
    Measure("found", "known defects found (place and words)", _FOUND),
    Measure("placed", "known defects, by place only", _PLACED),
    Measure("worded", "known defects, by words only", _WORDED),
    Measure("rightly", "defective changes blocked for a known defect", _RIGHTLY),
    Measure("sent_back", "defective changes blocked at all", _SENT_BACK),
    Measure("false_blocks", "clean changes blocked", _FALSE_BLOCKS),
    Measure("noise", "findings on a clean change", _NOISE, share=False),
    Measure("same_decision", "two runs decide alike", _same_decision),
    Measure("same_found", "two runs find the same known defects", _same_found),
    Measure("usd", "USD for one change", _usd, share=False, unit="$"),
    Measure("calls", "calls for one change", _CALLS, share=False),
    Measure("seconds", "seconds of the models for one change", _SECONDS, share=False, unit="s"),
)

ByCase = Mapping[str, Parts]


def parts_of(
    measure: Measure, arm: Arm, cases: Sequence[Case], readings: Sequence[ArmResult]
) -> dict[str, Parts]:
    """Returns each case's part of an arm's figure; failed readings and cases that say nothing are
    left out.
    """
    by_case: dict[str, list[ArmResult]] = {}
    for one in sorted(readings, key=lambda r: r.repeat):
        if one.arm is arm and not one.failed:
            by_case.setdefault(one.case, []).append(one)
    by_id = {c.id: measure.of(c, by_case[c.id]) for c in cases if c.id in by_case}
    return {id: parts for id, parts in by_id.items() if parts[1]}


def figure(measure: Measure, parts: ByCase) -> Figure:
    """Returns the value over all cases with its interval."""
    added = list(parts.values())
    if not added:
        return Figure(None)
    value, alike = _ratio(added), len({total / count for total, count in added}) == 1
    if alike and measure.share:
        interval = wilson(round(value * len(added)), len(added))
        return Figure(value, min(value, interval.low), max(value, interval.high), len(added))
    if len(added) == 1:
        return Figure(value, cases=1)
    drawn = sorted(_resampled(added))
    return Figure(value, *_ends(drawn, len(added)), len(added))


def difference(
    arm: Arm, mine: ByCase, other: Arm, theirs: ByCase, *, share: bool = False
) -> ArmDifference:
    """Returns the difference over the cases that both arms have read; without an interval if there
    are fewer than two, or all differ alike. For a ``share`` it also counts the cases that differ.
    """
    both = [(mine[id], theirs[id]) for id in mine if id in theirs]
    if not both:
        return ArmDifference(arm, other, Figure(None))
    first, second = [parts for parts, _ in both], [parts for _, parts in both]
    value = _ratio(first) - _ratio(second)
    split = _split(both) if share else (0, 0, None)
    drawn = sorted(map(sub, _resampled(first), _resampled(second))) if len(both) > 1 else []
    if not drawn or drawn[0] == drawn[-1]:
        return ArmDifference(arm, other, Figure(value, cases=len(both)), *split)
    return ArmDifference(arm, other, Figure(value, *_ends(drawn, len(both)), len(both)), *split)


def _split(both: Sequence[tuple[Parts, Parts]]) -> tuple[int, int, float | None]:
    """Returns the cases that only the first has, those that only the second has, and the chance of
    such a split.
    """
    pairs = [(_mostly(mine), _mostly(theirs)) for mine, theirs in both]
    more, fewer = pairs.count((True, False)), pairs.count((False, True))
    return more, fewer, mcnemar(more, fewer)


def _mostly(parts: Parts) -> bool:
    total, count = parts
    return 2 * total > count


def mcnemar(more: int, fewer: int) -> float:
    """Returns the chance of a split at least as uneven as this among cases that differ, if each
    were as likely to fall either way.
    """
    tail = sum(comb(more + fewer, n) for n in range(min(more, fewer) + 1))
    return min(1.0, 2.0 * tail / 2.0 ** (more + fewer))


def _ratio(added: Sequence[Parts]) -> float:
    return fsum(total for total, _ in added) / fsum(count for _, count in added)


def _resampled(added: Sequence[Parts]) -> list[float]:
    """Returns the value in each resample of two cases or more, which draws the same of them for
    every arm.
    """
    totals, counts = [total for total, _ in added], [count for _, count in added]
    return [fsum(draw(totals)) / fsum(draw(counts)) for draw in _draws(len(added))]


@lru_cache(maxsize=16)
def _draws(cases: int) -> list[Callable[[Sequence[float]], tuple[float, ...]]]:
    """Returns what takes the drawn ones of as many numbers, for each resample."""
    rng = Random(20261122)
    return [itemgetter(*rng.choices(range(cases), k=cases)) for _ in range(RESAMPLES)]


def _ends(ordered: Sequence[float], cases: int) -> tuple[float, float]:
    cut = round(_tail(cases) * len(ordered))
    return ordered[cut], ordered[len(ordered) - 1 - cut]


def _tail(cases: int) -> float:
    """Returns the share of resamples beyond each end: 2.5 % for many cases, less for few, which
    vary less among themselves than the truth does.

    It is Student's t by the expansion of Cornish and Fisher.
    """
    z, free = Z95, cases - 1
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    return NormalDist().cdf(-sqrt(cases / free) * t)


def failures(arm: Arm, readings: Sequence[ArmResult]) -> dict[str, int]:
    """Counts the reasons why readings of an arm are missing."""
    why = [r.failed for r in readings if r.arm is arm and r.failed]
    return {reason: why.count(reason) for reason in dict.fromkeys(why)}
