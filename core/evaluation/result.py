"""The whole of a measurement: every figure of every arm, the differences, and the missing
readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from core.evaluation import Arm, ArmResult, Case
from core.evaluation.figures import (
    MEASURES,
    ArmDifference,
    Figure,
    Measure,
    difference,
    failures,
    figure,
    parts_of,
)
from core.evaluation.groups import ByMeasure, grouped


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The result of a measurement.

    ``figures`` are by the key of their measure, then by arm; ``differences`` by the same key.
    ``demo`` is True if a demonstration model took part, ``unknown`` names cases whose defects are
    not known, ``unpaid`` counts runs that the budget did not cover. ``spent`` is the USD of the
    debates played now. ``about`` describes the cases and their origin in sentences, ``groups``
    holds figures for each kind of change (``core.evaluation.groups``).
    """

    models: tuple[str, ...]
    arms: tuple[Arm, ...]
    repeats: int
    cases: tuple[Case, ...]
    readings: tuple[ArmResult, ...]
    figures: Mapping[str, Mapping[Arm, Figure]]
    differences: Mapping[str, tuple[ArmDifference, ...]]
    missing: Mapping[Arm, Mapping[str, int]]
    demo: bool = False
    unknown: tuple[str, ...] = ()
    unpaid: int = 0
    spent: float = 0.0
    about: tuple[str, ...] = ()
    groups: Mapping[str, Mapping[str, ByMeasure]] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures for which some arm has a value."""
        return tuple(
            m for m in MEASURES if any(f.value is not None for f in self.figures[m.key].values())
        )

    @property
    def defective(self) -> int:
        return sum(not c.clean for c in self.cases)

    @property
    def clean(self) -> int:
        return sum(c.clean for c in self.cases)


def result(
    cases: Sequence[Case],
    readings: Sequence[ArmResult],
    arms: Sequence[Arm],
    repeats: int,
    models: Sequence[str],
    **more: Any,
) -> EvaluationResult:
    """Computes all figures of these readings. ``more`` are the members of ``EvaluationResult`` that
    do not follow from them.
    """
    order = tuple(a for a in Arm if a in arms)
    parts = {m.key: {a: parts_of(m, a, cases, readings) for a in order} for m in MEASURES}
    return EvaluationResult(
        models=tuple(models),
        arms=order,
        repeats=repeats,
        cases=tuple(cases),
        readings=tuple(sorted(readings, key=lambda r: (r.case, r.repeat, list(Arm).index(r.arm)))),
        figures={m.key: {a: figure(m, parts[m.key][a]) for a in order} for m in MEASURES},
        differences={
            m.key: tuple(
                difference(b, parts[m.key][b], a, parts[m.key][a], share=m.share)
                for a, b in combinations(order, 2)
            )
            for m in MEASURES
        },
        missing={a: why for a in order if (why := failures(a, readings))},
        groups=grouped(cases, readings, order),
        **more,
    )


def document(measured: EvaluationResult) -> dict[str, Any]:
    """Returns the measurement as one JSON object."""
    return {
        "models": list(measured.models),
        "arms": [a.value for a in measured.arms],
        "repeats": measured.repeats,
        "demonstration": measured.demo,
        "about": list(measured.about),
        "cases": [
            {
                "id": c.id,
                "clean": c.clean,
                "defects": len(c.defects),
                "origin": c.origin,
                **({"traits": dict(c.traits)} if c.traits else {}),
            }
            for c in measured.cases
        ],
        "not_measured": list(measured.unknown),
        "figures": {
            key: {arm.value: asdict(one) for arm, one in by_arm.items()}
            for key, by_arm in measured.figures.items()
        },
        "differences": {
            key: [
                {
                    "arm": d.arm.value,
                    "other": d.other.value,
                    "clear": d.clear,
                    **asdict(d.figure),
                    "only_arm": d.more,
                    "only_other": d.fewer,
                    "mcnemar": d.chance,
                }
                for d in each
            ]
            for key, each in measured.differences.items()
        },
        "groups": {
            trait: {
                value: {
                    key: {arm.value: asdict(one) for arm, one in by_arm.items()}
                    for key, by_arm in figures.items()
                }
                for value, figures in by_value.items()
            }
            for trait, by_value in measured.groups.items()
        },
        "failed": {arm.value: dict(why) for arm, why in measured.missing.items()},
        "unpaid": measured.unpaid,
        "spent_usd": round(measured.spent, 6),
        "readings": [_reading(one) for one in measured.readings],
    }


def _reading(one: ArmResult) -> dict[str, Any]:
    numbers = {name: sorted(getattr(one, name)) for name in ("found", "placed", "worded")}
    return {**asdict(one), **numbers, "seconds": round(one.seconds, 3)}
