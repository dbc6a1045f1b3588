"""A template's text with its faults at their lines, as the page that checks templates shows it.
Callers run it in a process that can be ended (``adapters.processes``): anyone may write the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from adapters.templates.loading import check
from adapters.templates.validation import Problem

SHOWN = 1_500
"""Lines that are shown; a template has a few hundred."""
_MOST = 100
"""Problems that are named, and as many oddities."""
_LONGEST = 500
"""Characters of one line."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The checked text: ``lines`` are the first ones, each with its number and its problem; the
    errors and warnings know their lines.
    """

    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
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


_ROW = re.compile(r"(?P<table>\w+)\[(?P<row>[^\]]*)\](?:\.(?P<key>\w+))?")
_AT = re.compile(r"\(at line (\d+)")


def _fault(lines: list[str], problem: Problem) -> Problem:
    """Returns a problem with its line: a parser's own, else where the field is written."""
    match = _AT.search(problem.wrong) or _AT.search(problem.right)
    line = int(match[1]) if match else _line_of(lines, problem.field)
    texts = (problem.field, problem.wrong, problem.right)
    field, wrong, right = (text[:_LONGEST] for text in texts)
    return Problem(field, wrong, right, line)


def _line_of(lines: list[str], field: str) -> int:
    """Returns the line of ``roles[critic].objectives[0]``, ``roles[2]``, ``rubric.depth``,
    ``tags[0]`` or ``max_rounds``; that of its table if it is not written, 0 for none.
    """
    match = _ROW.match(field)
    table, _, key = field.rpartition(".")
    if match is None:
        begin = _first(lines, rf"\[\[?{re.escape(table or key)}\]\]?\s*(#|$)")
        return _key_line(lines, key, begin)
    head = re.compile(rf"\s*\[\[{match['table']}\]\]\s*(#|$)")
    heads = [n for n, line in enumerate(lines, 1) if head.match(line)]
    if not heads:
        return _line_of(lines, match["table"])
    begin = _row_line(lines, heads, match["row"])
    if match["key"] and begin:
        return _key_line(lines, match["key"], begin)
    return begin


def _row_line(lines: list[str], heads: list[int], row: str) -> int:
    """Returns the line at which the row of that name or number, from 1, begins; 0 for none."""
    named = re.compile(rf"\s*name\s*=\s*[\"']{re.escape(row)}[\"']")
    for head, after in zip(heads, (*heads[1:], None), strict=True):
        if any(named.match(line) for line in lines[head:after]):
            return head
    if row.isdecimal() and 0 < int(row) <= len(heads):
        return heads[int(row) - 1]
    return 0


def _key_line(lines: list[str], key: str, begin: int) -> int:
    """Returns the line on which a key is written below the head on line ``begin``; ``begin`` for
    none.
    """
    row = list(takewhile(lambda line: not line.startswith("["), lines[begin:]))
    return begin + _first(row, rf"\s*\"?{re.escape(key)}\"?\s*=")


def _first(lines: list[str], pattern: str) -> int:
    """Returns the number of the first line that begins as the pattern says; 0 for none."""
    wanted = re.compile(pattern)
    return next((n for n, line in enumerate(lines, 1) if wanted.match(line)), 0)
