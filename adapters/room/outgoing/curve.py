"""The curve of stated confidence, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.debate.verdict.learned.ratings import CurvePoint
from core.words.views.documents.headings import curve_words

SIZE, EDGE = 260, 46
"""Units of the curve's square, and of the room for its labels."""


@dataclass(frozen=True, slots=True)
class CurveDot:
    """One step of confidence: the position of its point and the ends of its interval; ``radius``
    grows with the number of seats.
    """

    x: float
    y: float
    top: float
    bottom: float
    radius: float
    title: str
    point: CurvePoint


def curve(points: Sequence[CurvePoint]) -> Sequence[CurveDot]:
    """Returns the points of the curve, confidence to the right and being right upwards."""
    most = max((p.n for p in points), default=1)
    return [
        CurveDot(
            EDGE + SIZE * p.stated,
            SIZE * (1 - p.right) + 8,
            SIZE * (1 - p.interval.high) + 8,
            SIZE * (1 - p.interval.low) + 8,
            4 + 5 * (p.n / most) ** 0.5,
            curve_words(p.n, p.stated, p.right),
            p,
        )
        for p in points
    ]
