"""Plays the rule of earned blocking over drawn teams: whether the promised precision holds, and how
soon a category that turns bad loses its right.

``python -m tools.bench.earned`` prints the figures of ``docs/outcomes.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import comb
from random import Random
from statistics import median

from core.debate.earned import Threshold
from core.debate.earned.betting import LEAST, MEMORY, after_each

THRESHOLD = Threshold()
CATEGORIES = 4
"""The number of categories of a drawn team."""
FINDINGS = 150
"""The number of judged findings of each category."""
SOON = 15
"""The number of findings within which a category that turned bad must have lost its right."""
TURNED = (0.2, 0.5)
"""The precision of a category that turned bad: at least half of what it says is wrong."""
Rule = Callable[[Sequence[bool]], Iterable[bool]]
"""Whether a category blocks after each of its outcomes."""


def ours(outcomes: Sequence[bool]) -> Iterable[bool]:
    return (earned for _, earned in after_each(outcomes, THRESHOLD))


def clopper_pearson(outcomes: Sequence[bool]) -> Iterable[bool]:
    """Looks at the exact one-sided bound of the newest outcomes after each of them."""
    for n in range(1, len(outcomes) + 1):
        newest = outcomes[max(0, n - MEMORY) : n]
        yield len(newest) >= LEAST and _exact_passes(sum(newest), len(newest))


@cache
def _exact_passes(right: int, judged: int) -> bool:
    p, tail = THRESHOLD.precision, range(right, judged + 1)
    return (
        sum(comb(judged, i) * p**i * (1 - p) ** (judged - i) for i in tail)
        <= 1 - THRESHOLD.certainty
    )


@dataclass(slots=True)
class Figures:
    """``teams`` had a category with the right, ``kept`` of them none whose true precision was below
    the demand when the right was given; ``turned`` categories turned bad with the right, ``lost``
    of them had lost it ``SOON`` findings later.
    """

    teams: int = 0
    kept: int = 0
    periods: int = 0
    true_periods: int = 0
    turned: int = 0
    lost: int = 0
    waits: list[int] = field(default_factory=list)


def play(teams: int, seed: int, rule: Rule = ours, low: float = 0.4, high: float = 1.0) -> Figures:
    """Draws teams and plays their categories: each has a true precision, drawn evenly from ``low``
    to ``high``, and one in four turns bad in the second half.
    """
    random, figures = Random(seed), Figures()
    for _ in range(teams):
        given, broken = False, False
        for _ in range(CATEGORIES):
            begun = _category(random, rule, figures, low, high)
            given, broken = given or bool(begun), broken or not all(begun)
        figures.teams += given
        figures.kept += given and not broken
    return figures


def _category(
    random: Random, rule: Rule, figures: Figures, low: float, high: float
) -> Sequence[bool]:
    """Plays one category and returns, for each time it was given the right, whether its true
    precision was what the team demands.
    """
    precision = random.uniform(low, high)
    turn = random.randrange(FINDINGS // 2, FINDINGS - SOON) if random.random() < 0.25 else FINDINGS
    after = random.uniform(*TURNED)
    true = [precision if at < turn else after for at in range(FINDINGS)]
    blocks = [False, *rule([random.random() < share for share in true])]
    begun = [
        share >= THRESHOLD.precision
        for share, was, now in zip(true, blocks, blocks[1:], strict=False)
        if now and not was
    ]
    figures.periods += len(begun)
    figures.true_periods += sum(begun)
    if turn < FINDINGS and blocks[turn]:
        figures.turned += 1
        figures.lost += not all(blocks[turn + 1 : turn + 1 + SOON])
    if any(blocks) and precision >= THRESHOLD.precision:
        figures.waits.append(blocks.index(True))
    return begun


def steady(precision: float, categories: int, seed: int) -> tuple[float, float, float]:
    """Returns, of categories that keep one precision: the share that blocked at some time, the
    share of findings at which they blocked, and how often each lost the right.
    """
    random = Random(seed)
    ever = blocked = losses = 0
    for _ in range(categories):
        blocks = [False, *ours([random.random() < precision for _ in range(FINDINGS)])]
        ever += any(blocks)
        blocked += sum(blocks)
        losses += sum(was and not now for was, now in pairwise(blocks))
    return ever / categories, blocked / (categories * FINDINGS), losses / categories


def main() -> None:
    for name, rule in (("the rule", ours), ("Clopper-Pearson at each look", clopper_pearson)):
        for low in (0.4, 0.6):
            _print(name, low, play(1000, 1, rule, low))
    print("\nprecision  blocked at some time  share of findings  losses")
    for precision in (0.5, 0.6, 0.65, 0.69, 0.75, 0.8, 0.85, 0.9, 0.95):
        ever, share, losses = steady(precision, 500, 2)
        print(f"{precision:9.2f}  {ever:20.1%}  {share:17.1%}  {losses:6.2f}")


def _print(name: str, low: float, figures: Figures) -> None:
    print(
        f"{name}, precisions from {low}: {figures.teams} teams block, "
        f"{figures.kept / figures.teams:.1%} never without the precision; "
        f"{figures.true_periods / figures.periods:.1%} of {figures.periods} periods; "
        f"turned bad {figures.turned}, lost within {SOON}: {figures.lost / figures.turned:.1%}; "
        f"median wait {median(figures.waits):.0f} findings"
    )


if __name__ == "__main__":
    main()
