"""Fits the rule's thresholds to the outcomes of a team's own reviews.

Each resolved review is decided again under each value of each threshold, the others unchanged. A
decision is right where it blocks a change whose blocking held, or whose approval did not; only
people's word on the verdict says which. The result is shown and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.debate import Debate
from core.replies import Severity
from core.verdict import blocks, same_option, verdict
from core.verdict.findings.outvoted import OutvoteBar
from core.verdict.learned.ratings import ENOUGH
from core.verdict.votes import Interval, wilson

SURE = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""The confidences that are tried; they begin above one half, where a scanner's finding alone would
count as sure.
"""
ALONE = (Severity.MEDIUM, Severity.HIGH, Severity.CRITICAL)
SHARE = (0.34, 0.5, 0.67)


@dataclass(frozen=True, slots=True)
class ThresholdTrial:
    """The result of a ``value`` of a ``threshold`` over ``n`` resolved reviews: how many it would
    decide rightly, with a 95 % interval, and the debates that it would have ``blocked`` or
    ``passed`` unlike today. ``threshold`` is ``sure``, ``alone`` or ``share``, as in
    ``OutvoteBar``.
    """

    threshold: str
    value: str
    n: int
    right: int
    held: Interval
    blocked: tuple[str, ...]
    passed: tuple[str, ...]

    @property
    def changes(self) -> int:
        return len(self.blocked) + len(self.passed)


@dataclass(frozen=True, slots=True)
class FittedThresholds:
    """The result of a fit: ``today`` is how often the thresholds in use are right. ``best`` is None
    where there are too few resolved reviews, or no trial is better than today.
    """

    bar: OutvoteBar
    today: ThresholdTrial
    trials: tuple[ThresholdTrial, ...]
    best: ThresholdTrial | None


def fit(debates: Sequence[Debate], today: OutvoteBar | None = None) -> FittedThresholds:
    """Tries every value of each threshold on the reviews that people resolved."""
    bar = today or OutvoteBar()
    reviews = [d for d in debates if _resolved_review(d)]
    now = {d.id: _blocks(d, bar) for d in reviews}
    tried = [
        (other, _trial(reviews, name, value, other, now)) for name, value, other in _others(bar)
    ]
    current = _trial(reviews, "", "", bar, now)
    _, best = max(tried, key=lambda pair: _worth(pair[1], pair[0], bar))
    trials = tuple(trial for _, trial in tried)
    chosen = best if len(reviews) >= ENOUGH and best.right > current.right else None
    return FittedThresholds(bar, current, trials, chosen)


def _others(bar: OutvoteBar) -> Iterator[tuple[str, str, OutvoteBar]]:
    """Yields each threshold, a value of it, and the bar with that value."""
    yield from (("sure", f"{value:g}", replace(bar, sure=value)) for value in SURE)
    yield from (("alone", value.value, replace(bar, alone=value)) for value in ALONE)
    yield from (("share", f"{value:g}", replace(bar, share=value)) for value in SHARE)


def _worth(trial: ThresholdTrial, other: OutvoteBar, bar: OutvoteBar) -> tuple[int, int, float]:
    """Sorts trials: the most right decisions, then the fewest changed, then the least change of the
    threshold.
    """
    far = abs(other.sure - bar.sure) + abs(other.share - bar.share)
    return trial.right, -trial.changes, -(far + abs(other.alone.rank - bar.alone.rank))


def _resolved_review(debate: Debate) -> bool:
    last = debate.closed or debate.concluded
    if debate.opened is None or debate.resolved is None or last is None:
        return False
    template = debate.open.template
    return template.findings and any(same_option(o.option, last.decision) for o in template.ballot)


def _trial(
    reviews: Sequence[Debate], threshold: str, value: str, bar: OutvoteBar, now: dict[str, bool]
) -> ThresholdTrial:
    would = {d.id: _blocks(d, bar) for d in reviews}
    right = sum(would[d.id] is _should_block(d) for d in reviews)
    return ThresholdTrial(
        threshold,
        value,
        len(reviews),
        right,
        wilson(right, len(reviews)),
        tuple(id for id, block in would.items() if block and not now[id]),
        tuple(id for id, block in would.items() if not block and now[id]),
    )


def _blocks(debate: Debate, bar: OutvoteBar) -> bool:
    opened = debate.open
    terms = replace(opened.terms, sure=bar.sure, alone=bar.alone.value, share=bar.share)
    tried = replace(debate, opened=replace(opened, terms=terms))
    return blocks(tried, verdict(tried).decision)


def _should_block(debate: Debate) -> bool:
    """Says whether the change ought to have been blocked, by people's word on the verdict."""
    last = debate.closed or debate.concluded
    if last is None or debate.resolved is None:
        raise ValueError("nobody has said whether this verdict held")
    return blocks(debate, last.decision) is debate.resolved.held
