"""Decides whether a category of findings may block, and how sure one finding is: both from what
became of earlier ones on the team's own history.

The category may block while the lower bound of its precision passes what the team demands. The
bound is that of a test by betting: the mixture of likelihood ratios over every precision above the
bound (Robbins 1970; Waudby-Smith and Ramdas 2024). By Ville's inequality it holds at every look at
once, and a review looks after each finding. An exact interval for one look (Clopper and Pearson
1934) does not: ``python -m tools.bench.earned`` plays both.

A bound over a long record falls slowly, so the newest findings are tested as well: if their share
falls below the demand, the right is lost and the record begins anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import comb, exp, inf, lgamma, log

from core.debate.earned import Standing, Threshold

LEAST = 30
"""The number of judged findings below which a category never blocks."""
MEMORY = 100
"""The number of newest judged findings from which the bound is computed."""
RECENT = 15
"""The number of newest judged findings of which the demanded share must be right."""
_STEPS = 40


def standing(outcomes: Iterable[bool], threshold: Threshold) -> Standing:
    """Returns the standing after these outcomes, the oldest first: true for a finding that was
    right.
    """
    record, earned = (
        deque(after_each(outcomes, threshold), maxlen=1).pop() if outcomes else ((), False)
    )
    right, judged = sum(record), len(record)
    return Standing(judged, right, lower_bound(right, judged, threshold.certainty), earned)


def after_each(
    outcomes: Iterable[bool], threshold: Threshold
) -> Iterator[tuple[Sequence[bool], bool]]:
    """Yields, after each outcome, the record that counts and whether the category may block."""
    record: list[bool] = []
    earned = False
    for outcome in outcomes:
        record = [*record[1 - MEMORY :], outcome]
        recent = record[-RECENT:]
        fails = len(recent) == RECENT and sum(recent) < threshold.precision * RECENT
        if earned and fails:
            record, earned = [], False
        else:
            enough = len(record) >= LEAST and not fails
            earned = enough and _passes(sum(record), len(record), threshold)
        yield record, earned


def lower_bound(right: int, judged: int, certainty: float) -> float:
    """Returns the lower bound of the precision, which holds at every number of findings at once
    with this certainty.
    """
    low, high = 0.0, right / judged if judged else 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _log_evidence(right, judged, middle) >= -log(1 - certainty):
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=4096)
def _passes(right: int, judged: int, threshold: Threshold) -> bool:
    return _log_evidence(right, judged, threshold.precision) >= -log(1 - threshold.certainty)


def _log_evidence(right: int, judged: int, precision: float) -> float:
    """Returns the logarithm of the mean likelihood ratio of all precisions above ``precision`` to
    ``precision`` itself, each weighted alike.
    """
    if not 0 < precision < 1:
        return inf if precision <= 0 else -inf
    wrong, n = judged - right, judged + 1
    ln, ln_rest = log(precision), log(1 - precision)
    whole = lgamma(right + 1) + lgamma(wrong + 1) - lgamma(judged + 2)
    above = sum(comb(n, i) * exp(i * ln + (n - i) * ln_rest) for i in range(right + 1))
    return whole + log(above) - right * ln - (wrong + 1) * ln_rest
