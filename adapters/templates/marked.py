"""A template's text with its faults at their lines, as the page that checks one shows it. It is
called where it can be ended (``adapters.processes``): the text is anybody's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.templates.loading import check
from adapters.templates.validation import Problem

SHOWN = 1_500
"""Lines that are shown; a template has a few hundred."""
_MOST = 100
"""Faults that are named, and as many oddities."""
_LONGEST = 500
"""Characters of one line."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem, and the line on which its field stands; 0 where that can't be said."""

    line: int
    field: str
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The checked text: ``lines`` are the first ones, each with its number and its problem."""

    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    lines: tuple[tuple[int, str, str], ...]
    more: int = 0


def mark(text: str) -> Marked:
    """Returns the problems of a template, with its text."""
    checked, lines = check(text), text.splitlines()
    errors = tuple(_fault(lines, problem) for problem in checked.errors[:_MOST])
    warnings = tuple(_fault(lines, problem) for problem in checked.warnings[:_MOST])
    wrong = {f.line: f"{f.wrong}; {f.right}" for f in (*warnings, *errors) if f.line}
    visible = tuple(
        (number, line[:_LONGEST], wrong.get(number, ""))
        for number, line in enumerate(lines[:SHOWN], 1)
    )
    return Marked(errors, warnings, visible, len(lines) - len(visible))


_ROW = re.compile(r"(?P<table>\w+)\[(?P<row>\d+)\](?:\.(?P<key>\w+))?")
_AT = re.compile(r"\(at line (\d+)")


def _fault(lines: list[str], problem: Problem) -> Fault:
    """Returns a problem with its line: a parser's own, else where the field is written."""
    match = _AT.search(problem.wrong) or _AT.search(problem.right)
    line = int(match[1]) if match else _line_of(lines, problem.field)
    return Fault(line, problem.field[:_LONGEST], problem.wrong[:_LONGEST], problem.right[:_LONGEST])


def _line_of(lines: list[str], field: str) -> int:
    """Returns the line of ``roles[2].name``, ``rubric.depth`` or ``max_rounds``; 0 for none."""
    match = _ROW.match(field)
    begin = 0
    key = field.rpartition(".")[2] or field
    if match:
        heads = [n for n, line in enumerate(lines, 1) if line.strip() == f"[[{match['table']}]]"]
        row = int(match["row"])
        begin = heads[row] if row < len(heads) else 0
        key = match["key"] or match["table"]
        if not match["key"]:
            return begin
    elif "." in field:
        table = field.rpartition(".")[0]
        begin = next((n for n, line in enumerate(lines, 1) if line.strip() == f"[{table}]"), 0)
    written = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*=")
    after = enumerate(lines[begin:], begin + 1)
    return next((n for n, line in after if written.match(line)), begin)
