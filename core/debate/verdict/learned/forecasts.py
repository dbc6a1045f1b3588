"""Forecasts what becomes of findings from what became of earlier ones, and measures forecasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.debate.earned import KNOWN_FROM, CategoryRecord, Frequency, Standing, Threshold
from core.debate.earned.betting import standing
from core.debate.verdict.learned.judged import FindingOutcome
from core.debate.verdict.learned.ratings import CurvePoint, brier, grouped, reliability


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
    known: Sequence[FindingOutcome], threshold: Threshold, repository: str, template: str
) -> tuple[CategoryRecord, ...]:
    """Returns the record of each category; ``known`` are the oldest first. Findings are alike if
    repository, category and demand are the same; if there are fewer than ``KNOWN_FROM`` of these,
    template, category and demand.
    """
    records = []
    for (category, demanded), same in grouped(known, lambda f: (f.category, f.demanded)).items():
        here = [one for one in same if repository and one.repository == repository]
        all_of = [one for one in same if one.template == template]
        wider = len(here) < KNOWN_FROM <= len(all_of)
        right = _right(all_of if wider else here)
        stands = standing(_right(here), threshold) if demanded else Standing()
        alike = Frequency(len(right), sum(right))
        records.append(CategoryRecord(category, demanded, alike, wider, stands))
    return tuple(records)


def rate_findings(known: Sequence[FindingOutcome], threshold: Threshold) -> FindingRatings:
    """Rates the forecasts, and counts the demands of each repository and category."""
    judged = [one for one in known if one.forecast is not None and one.right is not None]
    pairs = [(one.forecast or 0.0, bool(one.right)) for one in judged]
    stated = [(one.stated, bool(one.right)) for one in judged]
    demands = [one for one in known if one.demanded and one.repository]
    kinds = grouped(demands, lambda one: (one.repository, one.category))
    return FindingRatings(
        len(pairs),
        brier(pairs),
        brier(stated),
        reliability(pairs),
        tuple(
            CategoryStanding(*kind, standing(_right(kinds[kind]), threshold))
            for kind in sorted(kinds)
        ),
        threshold,
    )


def _right(findings: Iterable[FindingOutcome]) -> list[bool]:
    return [one.right for one in findings if one.right is not None]
