"""Measures whether a large panel is worth its price: by people's ratings, by the outcome of its
verdict, and by the tokens that each new point took.

The decision record on extended debates asks for exactly these three, and for its threshold to be
calibrated on them. Each question was debated in one size only, so no record shows which size is
better for it; a threshold is therefore judged on the panels that had the size which it would have
chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.debate.formats.complexity import THIRD_ROUND_FROM
from core.debate.formats.plan import PanelSize
from core.debate.status import DebateStatus
from core.debate.verdict.learned.ratings import ENOUGH
from core.debate.verdict.votes import Interval, wilson

THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class PanelRecord:
    """One finished panel. ``score`` is its question's complexity; ``useful`` and ``useless`` count
    the people who rated its verdict so; ``held`` is True if the verdict held, None while no person
    has said. ``points`` counts the points that were new when they were made, ``tokens`` the panel's
    tokens.
    """

    form: PanelSize
    score: float
    useful: int = 0
    useless: int = 0
    held: bool | None = None
    tokens: int = 0
    points: int = 0

    @property
    def liked(self) -> bool | None:
        """True if more people found it useful than not; None for a tie or no rating."""
        if self.useful == self.useless:
            return None
        return self.useful > self.useless

    @property
    def good(self) -> bool | None:
        """True if the panel was good: a verdict that did not hold was not, however useful it
        seemed. None if there is neither an outcome nor a rating.
        """
        if self.held is None or self.liked is None:
            return self.held if self.liked is None else self.liked
        return self.held and self.liked


def panel_record(document: Mapping[str, Any], held: bool | None) -> PanelRecord | None:
    """Reads the record from a panel's outcome document; None for another format, a demonstration,
    and a panel that came to no verdict.
    """
    complexity = document.get("complexity")
    if not complexity or document.get("demo") or document.get("status") == DebateStatus.FAILED:
        return None
    ratings, cost = document.get("useful") or {}, document.get("cost") or {}
    rounds = (document.get("metrics") or {}).get("rounds", ())
    return PanelRecord(
        PanelSize(complexity["form"]),
        complexity["score"],
        ratings.get("yes", 0),
        ratings.get("no", 0),
        held,
        cost.get("prompt_tokens", 0) + cost.get("completion_tokens", 0),
        sum(each["new"] for each in rounds),
    )


@dataclass(frozen=True, slots=True)
class FormStanding:
    """The results of panels of one size: of ``n``, ``useful`` of the ``judged`` ones were found
    useful, and ``held`` of the ``resolved`` ones held, each with a 95 % interval. ``tokens`` is the
    average per new point, None without any.
    """

    form: PanelSize
    n: int
    judged: int
    useful: int
    useful_within: Interval
    resolved: int
    held: int
    held_within: Interval
    tokens: float | None

    @property
    def enough(self) -> bool:
        """True if both measures rest on enough panels to mean anything."""
        return min(self.judged, self.resolved) >= ENOUGH


def by_form(records: Iterable[PanelRecord]) -> tuple[FormStanding, ...]:
    """Returns the sizes that were used, the standard one first."""
    panels = list(records)
    forms = ((form, [one for one in panels if one.form is form]) for form in PanelSize)
    return tuple(_standing(form, mine) for form, mine in forms if mine)


def _standing(form: PanelSize, mine: Sequence[PanelRecord]) -> FormStanding:
    liked = [one.liked for one in mine if one.liked is not None]
    held = [one.held for one in mine if one.held is not None]
    points = sum(one.points for one in mine)
    return FormStanding(
        form,
        len(mine),
        len(liked),
        sum(liked),
        wilson(sum(liked), len(liked)),
        len(held),
        sum(held),
        wilson(sum(held), len(held)),
        sum(one.tokens for one in mine) / points if points else None,
    )


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


def fit_size(records: Iterable[PanelRecord], today: float = THIRD_ROUND_FROM) -> FittedSize:
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


def _trial(judged: Sequence[PanelRecord], threshold: float) -> SizeTrial:
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
