"""Calibrates the threshold above which a panel is large, on the panels that people judged.

The decision record on extended debates asks for this. Each question was debated in one size only,
so no record shows which size is better for it; a threshold is therefore judged on the panels that
had the size which it would have chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.debate.formats.plan import PanelSize
from core.debate.verdict.learned.ratings import ENOUGH
from core.debate.verdict.learned.usefulness import PastDebate
from core.debate.verdict.votes import Interval, wilson

THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class SizeTrial:
    """A ``threshold`` of complexity above which panels would be large: of the ``n`` judged panels
    that had the size which it would have chosen, how many were ``good``, with a 95 % interval.
    ``larger`` and ``smaller`` count judged panels whose size it would have changed.
    """

    threshold: float
    n: int
    good: int
    within: Interval
    larger: int
    smaller: int


@dataclass(frozen=True, slots=True)
class FittedSize:
    """The result of a fit: ``today`` is the threshold in use; ``best`` is None if too few panels
    were judged, or no other threshold does better than chance explains.
    """

    judged: int
    today: SizeTrial
    trials: tuple[SizeTrial, ...]
    best: SizeTrial | None


def fit_size(records: Iterable[PastDebate], today: float) -> FittedSize:
    """Tries every threshold on the panels that people judged.

    A threshold's value is the mean over the panels whose size it agrees with (the replay of logged
    choices, Li et al. 2011, arXiv 1003.5956). Sizes are not drawn by chance, so hard questions
    weigh against the large form; that is why another threshold is named only where the lower end of
    its interval is above today's share, each on ``ENOUGH`` panels.
    """
    judged = [one for one in records if one.good is not None]
    now = _trial(judged, today)
    trials = tuple(_trial(judged, threshold) for threshold in THRESHOLDS)
    reached = now.good / now.n if now.n else 0.0
    better = [t for t in trials if min(t.n, now.n) >= ENOUGH and t.within.low > reached]
    best = max(better, key=lambda t: (t.good / t.n, t.threshold), default=None)
    return FittedSize(len(judged), now, trials, best)


def _trial(judged: Sequence[PastDebate], threshold: float) -> SizeTrial:
    agreed = [one for one in judged if (one.form is PanelSize.EXTENDED) is (one.score > threshold)]
    good = sum(one.good is True for one in agreed)
    return SizeTrial(
        threshold,
        len(agreed),
        good,
        wilson(good, len(agreed)),
        sum(one.score > threshold and one.form is PanelSize.STANDARD for one in judged),
        sum(one.score <= threshold and one.form is PanelSize.EXTENDED for one in judged),
    )
