"""Groups cases by the kind of change, with figures for each group.

``language`` and ``size`` are known for every case; ``kind``, ``severity`` and ``visible`` (whether
a careful reviewer can see the defect in the diff) only for defective ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from core.evaluation import Arm, ArmResult, Case
from core.evaluation.figures import MEASURES, Figure, figure, parts_of

LANGUAGE, KIND, SEVERITY, VISIBLE, SIZE = "language", "kind", "severity", "visible", "size"
TRAITS: Mapping[str, str] = {
    LANGUAGE: "language",
    KIND: "kind of defect",
    SEVERITY: "severity of the defect",
    VISIBLE: "visibility of the defect",
    SIZE: "changed lines of source",
}
"""The traits and their titles."""

_MEASURES = ("found", "placed", "rightly", "false_blocks")
_SIZES = ((10, "up to 10"), (30, "11 to 30"), (80, "31 to 80"))
_LARGE = "more than 80"
_ORDERS = {
    SIZE: (*(name for _, name in _SIZES), _LARGE),
    SEVERITY: ("low", "medium", "high", "critical"),
    VISIBLE: ("diff", "repository", "hard"),
}

ByMeasure = Mapping[str, Mapping[Arm, Figure]]
"""Figures by the key of their measure, then by arm."""


def size_of(lines: int) -> str:
    """Returns the group of a change with that number of changed lines."""
    return next((name for most, name in _SIZES if lines <= most), _LARGE)


def grouped(
    cases: Sequence[Case], readings: Sequence[ArmResult], arms: Sequence[Arm]
) -> Mapping[str, Mapping[str, ByMeasure]]:
    """Returns the figures by trait, then by its value; none for a trait that no case has."""
    by_trait: dict[str, dict[str, ByMeasure]] = {}
    for trait in TRAITS:
        for value in _values(trait, cases):
            here = [c for c in cases if c.traits.get(trait) == value]
            by_trait.setdefault(trait, {})[value] = _figures(here, readings, arms)
    return by_trait


def _values(trait: str, cases: Sequence[Case]) -> list[str]:
    """Returns a trait's values in their natural order, or the most frequent first."""
    counted = Counter(c.traits[trait] for c in cases if trait in c.traits)
    order = _ORDERS.get(trait, ())
    return sorted(
        counted,
        key=lambda v: (order.index(v) if v in order else len(order), -counted[v], v),
    )


def _figures(
    cases: Sequence[Case], readings: Sequence[ArmResult], arms: Sequence[Arm]
) -> ByMeasure:
    return {
        m.key: {a: figure(m, parts_of(m, a, cases, readings)) for a in arms}
        for m in MEASURES
        if m.key in _MEASURES
    }
