"""Forecasts what becomes of findings from what became of earlier ones, and measures forecasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.debate.earned import KNOWN_FROM, CategoryRecord, Frequency, Standing, Threshold
from core.debate.earned.betting import standing
from core.debate.verdict.learned.judged import is_right
from core.debate.verdict.learned.ratings import ENOUGH, CurvePoint, brier, reliability


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A finding of which it is known what became. ``place`` is that of its debate, ``private`` is
    true if few may know of it; the rest is as in ``FindingOutcome``.
    """

    repository: str
    template: str
    category: str
    demanded: bool
    stated: float
    forecast: float | None
    became: str
    at: datetime
    place: str
    private: bool


@dataclass(frozen=True, slots=True)
class CategoryStanding:
    """How far the demands of one category in one repository are from blocking."""

    repository: str
    category: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class FindingRatings:
    """How good the forecasts of findings were. Of ``n`` findings with a forecast it is known what
    became; ``brier`` is the mean squared gap, ``stated`` that of the seats' confidence in the same
    findings, None below ``ENOUGH``; ``curve`` is the reliability of the forecasts.
    """

    n: int
    brier: float | None
    stated: float | None
    curve: tuple[CurvePoint, ...]
    categories: tuple[CategoryStanding, ...]
    threshold: Threshold


def records_of(
    known: Sequence[JudgedFinding], threshold: Threshold, repository: str, template: str
) -> tuple[CategoryRecord, ...]:
    """Returns the record of each category; ``known`` are the oldest first. Findings are alike if
    repository, category and demand are the same; if there are fewer than ``KNOWN_FROM`` of these,
    template, category and demand.
    """
    records = []
    for category, demanded in dict.fromkeys((one.category, one.demanded) for one in known):
        same = [one for one in known if (one.category, one.demanded) == (category, demanded)]
        here = [one for one in same if repository and one.repository == repository]
        all_of = [one for one in same if one.template == template]
        wider = len(here) < KNOWN_FROM <= len(all_of)
        right = _right(all_of if wider else here)
        stands = standing(_right(here), threshold) if demanded else Standing()
        alike = Frequency(len(right), sum(right))
        records.append(CategoryRecord(category, demanded, alike, wider, stands))
    return tuple(records)


def rate_findings(known: Sequence[JudgedFinding], threshold: Threshold) -> FindingRatings:
    """Rates the forecasts, and counts the demands of each repository and category."""
    forecasts = [
        (one.forecast, one.stated, right)
        for one in known
        if one.forecast is not None and (right := is_right(one.became)) is not None
    ]
    pairs = [(forecast, right) for forecast, _, right in forecasts]
    stated = [(confidence, right) for _, confidence, right in forecasts]
    enough = len(pairs) >= ENOUGH
    demands = [one for one in known if one.demanded and one.repository]
    kinds = sorted({(one.repository, one.category) for one in demands})
    return FindingRatings(
        len(pairs),
        brier(pairs) if enough else None,
        brier(stated) if enough else None,
        reliability(pairs),
        tuple(
            CategoryStanding(
                *kind,
                standing(
                    _right(one for one in demands if (one.repository, one.category) == kind),
                    threshold,
                ),
            )
            for kind in kinds
        ),
        threshold,
    )


def _right(findings: Iterable[JudgedFinding]) -> list[bool]:
    known = (is_right(one.became) for one in findings)
    return [right for right in known if right is not None]
