"""The rule's threshold, fitted to what became of a team's own reviews.

Each resolved review is decided again under each threshold. A decision is right where it blocks a
change whose blocking held, or whose approval did not; nothing but people's word on the verdict
says which. What comes out is shown, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.debate import Debate
from core.verdict import blocks, same_option, verdict
from core.verdict.outvoted import SURE
from core.verdict.ratings import ENOUGH
from core.verdict.votes import Interval, wilson

THRESHOLDS = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""From above one half, where what only a scanner reports would count as sure."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a ``threshold`` would have decided of ``n`` resolved reviews: how many rightly, with a
    95 % interval, and the debates that it would have ``blocked`` or ``passed`` unlike today.
    """

    threshold: float
    n: int
    right: int
    held: Interval
    blocked: tuple[str, ...]
    passed: tuple[str, ...]

    @property
    def changes(self) -> int:
        return len(self.blocked) + len(self.passed)


@dataclass(frozen=True, slots=True)
class Fitted:
    """``best`` is None where there are too few resolved reviews, or none is better than today's."""

    today: Trial
    trials: tuple[Trial, ...]
    best: Trial | None


def fit(debates: Sequence[Debate], today: float = SURE) -> Fitted:
    """Every threshold tried on the reviews that people resolved."""
    reviews = [d for d in debates if _resolved_review(d)]
    now = {d.id: _blocks(d, today) for d in reviews}
    trials = tuple(_trial(reviews, threshold, now) for threshold in THRESHOLDS)
    current = _trial(reviews, today, now)
    best = max(trials, key=lambda t: (t.right, -t.changes, -abs(t.threshold - today)), default=None)
    if len(reviews) < ENOUGH or best is None or best.right <= current.right:
        best = None
    return Fitted(current, trials, best)


def _resolved_review(debate: Debate) -> bool:
    last = debate.closed or debate.concluded
    if debate.opened is None or debate.resolved is None or last is None:
        return False
    template = debate.open.template
    return template.findings and any(same_option(o.option, last.decision) for o in template.ballot)


def _trial(reviews: Sequence[Debate], threshold: float, now: dict[str, bool]) -> Trial:
    would = {d.id: _blocks(d, threshold) for d in reviews}
    right = sum(would[d.id] is _should_block(d) for d in reviews)
    return Trial(
        threshold,
        len(reviews),
        right,
        wilson(right, len(reviews)),
        tuple(id for id, block in would.items() if block and not now[id]),
        tuple(id for id, block in would.items() if not block and now[id]),
    )


def _blocks(debate: Debate, threshold: float) -> bool:
    opened = debate.open
    tried = replace(debate, opened=replace(opened, terms=replace(opened.terms, sure=threshold)))
    return blocks(tried, verdict(tried).decision)


def _should_block(debate: Debate) -> bool:
    """Whether the change ought to have been blocked, by what people said of the verdict."""
    last = debate.closed or debate.concluded
    if last is None or debate.resolved is None:
        raise ValueError("nobody has said whether this verdict held")
    return blocks(debate, last.decision) is debate.resolved.held
