"""The shares of a measurement as a picture: a dot for each arm, a line for its interval."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from adapters.evaluation.sentences import figure_text
from core.evaluation import Arm
from core.evaluation.figures import Figure, Measure
from core.evaluation.result import EvaluationResult

_COLOURS = {
    Arm.REVIEWER: "#6b6b6b",
    Arm.SINGLE: "#8a5a00",
    Arm.UNION: "#a8326b",
    Arm.VOTE: "#4b4bb5",
    Arm.DEBATE: "#006b4f",
}
_LEFT, _WIDTH, _RIGHT = 420, 320, 170
"""Pixels for the names, for 0 to 100 %, and for the values."""
_ROW, _GAP = 20, 14


def plot(result: EvaluationResult) -> str:
    """Returns an SVG with text that a screen reader finds too."""
    lines, y = [], 30
    for measure in (m for m in result.measures if m.share):
        lines.append(_text(_LEFT - 90, y + 4, measure.name, "end", bold=True))
        for arm, one in result.figures[measure.key].items():
            lines += _row(measure, arm, one, y)
            y += _ROW
        y += _GAP
    height, width = y + 10, _LEFT + _WIDTH + _RIGHT
    return "\n".join(
        (
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img" font-size="12" '
                'font-family="system-ui,sans-serif">'
            ),
            "<title>Shares by arm, with 95 % intervals</title>",
            *_axis(height),
            *lines,
            "</svg>",
        )
    )


def _axis(height: int) -> Iterator[str]:
    for percent in range(0, 101, 25):
        x = _x(percent / 100)
        yield f'<line x1="{x}" y1="18" x2="{x}" y2="{height - 12}" stroke="#ddd"/>'
        yield _text(x, 12, f"{percent} %", "middle")


def _row(measure: Measure, arm: Arm, one: Figure, y: int) -> Iterator[str]:
    colour = _COLOURS[arm]
    yield _text(_LEFT - 12, y + 4, arm.value, "end")
    yield _text(_LEFT + _WIDTH + 12, y + 4, figure_text(measure, one), "start")
    if one.value is None:
        return
    if one.low is not None and one.high is not None:
        ends = f'x1="{_x(one.low)}" y1="{y}" x2="{_x(one.high)}" y2="{y}"'
        yield f'<line {ends} stroke="{colour}" stroke-width="2"/>'
    yield f'<circle cx="{_x(one.value)}" cy="{y}" r="5" fill="{colour}"/>'


def _x(share: float) -> float:
    return round(_LEFT + share * _WIDTH, 1)


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
