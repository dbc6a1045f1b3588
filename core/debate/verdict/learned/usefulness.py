"""Measures what finished debates were worth: their price next to people's ratings and the outcomes
of their verdicts, by kind of decision and by size of panel; and calibrates the threshold above
which a panel is large.

The decision record on extended debates asks for a cost-benefit analysis for each type of decision,
and for the tokens that each new point of a panel took. A kind of decision is a template here. The
worth of a good verdict cannot be measured, so the two are shown side by side and no number is made
of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from core.debate.formats.plan import PanelSize
from core.debate.status import DebateStatus
from core.debate.verdict.learned.ratings import ENOUGH, grouped
from core.debate.verdict.votes import Interval, wilson

THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class PastDebate:
    """One finished debate. ``usd`` is None if a call's price is unknown; ``useful`` and ``useless``
    count the people who rated it so; ``held`` is True if the verdict held, None while no person has
    said. Of a panel, ``form`` is its size, ``score`` its question's complexity, ``points`` the
    number of points that were new when they were made.
    """

    template: str = ""
    usd: float | None = None
    useful: int = 0
    useless: int = 0
    held: bool | None = None
    tokens: int = 0
    form: PanelSize | None = None
    score: float = 0.0
    points: int = 0

    @property
    def liked(self) -> bool | None:
        """True if more people found it useful than not; None for a tie or no rating."""
        if self.useful == self.useless:
            return None
        return self.useful > self.useless

    @property
    def good(self) -> bool | None:
        """True if it was good: a verdict that did not hold was not, however useful it seemed. None
        if there is neither an outcome nor a rating.
        """
        known = [one for one in (self.held, self.liked) if one is not None]
        return all(known) if known else None


def past_debate(
    document: Mapping[str, Any], held: bool | None, template: str = ""
) -> PastDebate | None:
    """Reads the debate from its outcome document; None for a demonstration and a debate without a
    verdict.
    """
    if document.get("demo") or document.get("status") == DebateStatus.FAILED:
        return None
    ratings, cost = document.get("useful") or {}, document.get("cost") or {}
    size = document.get("complexity") or {}
    rounds = (document.get("metrics") or {}).get("rounds", ())
    return PastDebate(
        template,
        cost.get("usd"),
        ratings.get("yes", 0),
        ratings.get("no", 0),
        held,
        cost.get("prompt_tokens", 0) + cost.get("completion_tokens", 0),
        PanelSize(size["form"]) if size else None,
        size.get("score", 0.0),
        sum(each["new"] for each in rounds),
    )


@dataclass(frozen=True, slots=True)
class GroupStanding:
    """The results of ``n`` debates of one template, or panels of one ``form``: ``priced`` had a
    known price, ``usd`` each on average (None without any); ``useful`` of the ``judged`` ones were
    found useful, and ``held`` of the ``resolved`` ones held, each with a 95 % interval. ``tokens``
    is the average per new point, None without any.
    """

    template: str
    form: PanelSize | None
    n: int
    priced: int
    usd: float | None
    judged: int
    useful: int
    useful_within: Interval
    resolved: int
    held: int
    held_within: Interval
    tokens: float | None

    @property
    def enough(self) -> bool:
        """True if both measures rest on enough debates to mean anything."""
        return min(self.judged, self.resolved) >= ENOUGH


def by_kind(debates: Iterable[PastDebate]) -> tuple[GroupStanding, ...]:
    """Returns the kinds of which people rated or resolved a debate, the most frequent first."""
    groups = grouped(debates, lambda one: one.template)
    made = (_standing(mine, template=name) for name, mine in groups.items())
    judged = (one for one in made if one.judged or one.resolved)
    return tuple(sorted(judged, key=lambda one: (-one.n, one.template)))


def by_form(panels: Iterable[PastDebate]) -> tuple[GroupStanding, ...]:
    """Returns the sizes of panels that were used, the standard one first."""
    groups = grouped(panels, lambda one: one.form)
    return tuple(_standing(groups[form], form=form) for form in PanelSize if form in groups)


def _standing(
    mine: list[PastDebate], template: str = "", form: PanelSize | None = None
) -> GroupStanding:
    liked = [one.liked for one in mine if one.liked is not None]
    held = [one.held for one in mine if one.held is not None]
    prices = [one.usd for one in mine if one.usd is not None]
    points = sum(one.points for one in mine)
    return GroupStanding(
        template=template,
        form=form,
        n=len(mine),
        priced=len(prices),
        usd=fsum(prices) / len(prices) if prices else None,
        judged=len(liked),
        useful=sum(liked),
        useful_within=wilson(sum(liked), len(liked)),
        resolved=len(held),
        held=sum(held),
        held_within=wilson(sum(held), len(held)),
        tokens=sum(one.tokens for one in mine) / points if points else None,
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


def fit_size(records: Iterable[PastDebate], today: float) -> FittedSize:
    """Tries every threshold on the panels that people judged, as the decision record on extended
    debates asks for. Each question was debated in one size only, so no record shows which size is
    better for it; a threshold is judged on the panels that had the size which it would have chosen.

    A threshold's value is the mean over the panels whose size it agrees with (the replay of logged
    choices, Li et al. 2011, arXiv 1003.5956). Sizes are not drawn by chance, so hard questions
    weigh against the large form; that is why another threshold is named only if the lower end of
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
