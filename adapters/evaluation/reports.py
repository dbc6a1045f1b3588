"""A measurement as a page of Markdown and as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from adapters.evaluation.plot import plot
from adapters.evaluation.sentences import arms, each_case, gaps, groups, lead, rows
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cell
from core.evaluation.result import EvaluationResult

TITLE = "How well these models decide"
_READING = (
    "A known defect counts as found where a finding names its file, a line at most three away, and "
    "one of the words that the case asks for; by place alone it may say anything there, by words "
    "alone it may stand anywhere. Words are a rough test: the truth lies between. Values in "
    "brackets are 95 % intervals over changes (paired bootstrap; Wilson's where all changes came "
    "out alike). “5 : 2, p 0.45” counts the changes where the first arm alone has it, and the "
    "second alone, and says how often so uneven a split comes about by chance (McNemar's exact "
    "test, two-sided). Tables by kind make many comparisons: that one of them is clear proves "
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
    parts += [plot(result), _html_table(rows(result))]
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
