"""A measurement as a page of Markdown and as one self-contained HTML file, with its shares as a
picture: a dot for each arm, a line for its interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from adapters.evaluation.sentences import arms, each_case, figure_text, gaps, groups, lead, rows
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cell
from core.evaluation import Arm
from core.evaluation.figures import Figure, Measure
from core.evaluation.result import EvaluationResult

TITLE = "How well these models decide"
_READING = (
    "A known defect counts as found if a finding names its file, a line at most three away, and "
    "one of the words that the case asks for. “By place only” accepts any words there, “by words "
    "only” any place. Words are a rough test: the true value is between the two. Values in "
    "brackets are 95 % intervals over changes (paired bootstrap; Wilson's if all changes came out "
    "alike). “5 : 2, p 0.45”: 5 changes have it only in the first arm, 2 only in the second, and a "
    "split at least as uneven has probability 0.45 by chance (McNemar's exact test, two-sided). "
    "Tables by kind make many comparisons: that one of them is clear proves "
    "little. A change with a known defect may hold another that nobody named, and clean means that "
    "nobody has complained. Failed runs count for nothing."
)
_CELL = 160
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1a1a1a;background:#fff}table{border-collapse:collapse;margin:1rem 0;font-size:.9rem}"
    "th,td{border:1px solid #bbb;padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "th{background:#f2f2f2}.wide{overflow-x:auto}svg{max-width:100%;height:auto}"
)


def markdown(result: EvaluationResult) -> str:
    """Returns the measurement for people, in Markdown."""
    parts = [f"# {TITLE}", *(_safe(line) for line in lead(result)), _table(rows(result))]
    if len(result.arms) > 1:
        parts += ["## Differences on the same changes", _table(gaps(result))]
    for title, table in groups(result):
        parts += [f"## {title}", _table(table)]
    parts += ["## What was measured", "\n".join(f"- {_safe(line)}" for line in _measured(result))]
    parts += ["## Each change", _table(each_case(result)), "## How to read this", _READING]
    return "\n\n".join(parts) + "\n"


def html(result: EvaluationResult) -> str:
    """Returns the measurement as one HTML file: no script, nothing loaded from anywhere."""
    parts = [f"<p>{_html(line)}</p>" for line in lead(result)]
    parts += [_plot(result), _html_table(rows(result))]
    if len(result.arms) > 1:
        parts += ["<h2>Differences on the same changes</h2>", _html_table(gaps(result))]
    for title, table in groups(result):
        parts += [f"<h2>{_html(title)}</h2>", _html_table(table)]
    text = "".join(f"<li>{_html(line)}</li>" for line in _measured(result))
    parts += ["<h2>What was measured</h2>", f"<ul>{text}</ul>"]
    parts += ["<h2>Each change</h2>", _html_table(each_case(result))]
    parts += ["<h2>How to read this</h2>", f"<p>{_html(_READING)}</p>"]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><h1>{TITLE}</h1>\n{body}\n</body></html>\n"
    )


def _measured(result: EvaluationResult) -> list[str]:
    return [*result.about, *arms(result)]


def _safe(line: str) -> str:
    return cell(line, 1000)


def _table(table: Sequence[Sequence[str]]) -> str:
    head, *rest = [[cell(text, _CELL) for text in row] for row in table]
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _html_table(table: Sequence[Sequence[str]]) -> str:
    head, *rest = table
    lines = [_row("th", head), *(_row("td", row) for row in rest)]
    return f'<div class="wide"><table>\n{chr(10).join(lines)}\n</table></div>'


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_html(text)}</{tag}>' for text in cells)}</tr>"


def _html(text: str) -> str:
    return escape(show_hidden(text))


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


def _plot(result: EvaluationResult) -> str:
    """Returns an SVG with text that a screen reader finds too."""
    lines, y = [], 30
    for measure in (m for m in result.measures if m.share):
        lines.append(_text(_LEFT - 90, y + 4, measure.name, "end", bold=True))
        for arm, one in result.figures[measure.key].items():
            lines += _dot(measure, arm, one, y)
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


def _dot(measure: Measure, arm: Arm, one: Figure, y: int) -> Iterator[str]:
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
    weight = ""
    if bold:
        weight = ' font-weight="bold"'
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
