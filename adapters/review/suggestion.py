"""Turns a fix into a block that a forge applies with one click, and into a patch, only if code has
checked it: its old lines are the very lines of the change, in order, and none of them was hidden or
redacted.
"""

from __future__ import annotations

import re

from adapters.review import COMMAND, MARK
from core.debate.finding import FIX_BLOCK, Finding
from core.debate.material import RIGHT, Hunk, Line, Material
from core.debate.material.escaping import show_hidden, show_path

_HEADERS = ("--- ", "+++ ", "@@ ")
_SPELLED_OUT = re.compile(r"\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\r|\[redacted: |more characters\]$")
"""Spelled-out characters, which show that a line's text is not the file's real text."""
_MOST = 20  # lines; a longer change is no suggestion
_CONTEXT = 3  # lines of a patch around the change


def suggestion(material: Material, finding: Finding) -> tuple[int, int, str] | None:
    """Returns the first and the last line of the new version that the fix of a finding replaces,
    and its text; None if it is no diff of exactly these lines.
    """
    block = FIX_BLOCK.search(finding.fix)
    if block is None or finding.line is None or finding.side.upper() != RIGHT:
        return None
    lines = [x for x in block[1].rstrip("\n").split("\n") if not x.startswith(_HEADERS)]
    if not lines or len(lines) > _MOST or any(line[:1] not in {"-", "+", " "} for line in lines):
        return None
    old = [line[1:] for line in lines if line[0] != "+"]
    new = [line[1:] for line in lines if line[0] != "-"]
    if not old or old == new or any(_unfit(text) for text in (*old, *new)):
        return None
    first = _stands(material, finding.path, finding.line, old)
    if first is None:
        return None
    return first, first + len(old) - 1, "\n".join(new)


def _unfit(text: str) -> bool:
    odd = _SPELLED_OUT.search(text) or COMMAND.match(text)
    return odd is not None or show_hidden(text) != text or MARK in text


def _stands(material: Material, path: str, line: int, old: list[str]) -> int | None:
    """Returns the number of the first of ``old`` if they are in one hunk, exactly and around
    ``line``.
    """
    visible = show_path(path)
    for hunk in material.hunks:
        if hunk.path not in {path, visible}:
            continue
        numbered = [x for x in hunk.lines if x.new is not None]
        for start in range(len(numbered) - len(old) + 1):
            part = numbered[start : start + len(old)]
            if [x.text for x in part] == old and _covers(part, line):
                return part[0].new
    return None


def _covers(lines: list[Line], line: int) -> bool:
    first, last = lines[0].new or 0, lines[-1].new or 0
    return first <= line <= last and last - first == len(lines) - 1


def patch_of(material: Material, finding: Finding) -> str:
    """Returns the patch of a finding; "" for a fix that is no diff, or does not match the
    change.
    """
    fix = suggestion(material, finding)
    path = finding.path
    if fix is None or path != show_path(path) or any(c in path for c in '\t\n"\\'):
        return ""
    first, last, text = fix
    if not text:
        return ""
    for hunk in material.hunks:
        lines = {x.new: x for x in hunk.lines if x.new is not None}
        if hunk.path == path and {first, last} <= lines.keys():
            return _patch(hunk, lines, first, last, text.split("\n"))
    return ""


def _patch(hunk: Hunk, lines: dict[int, Line], first: int, last: int, new: list[str]) -> str:
    begin, end = first, last
    while begin - 1 in lines and begin > first - _CONTEXT:
        begin -= 1
    while end + 1 in lines and end < last + _CONTEXT:
        end += 1
    before = [f" {lines[n].text}" for n in range(begin, first)]
    after = [f" {lines[n].text}" for n in range(last + 1, end + 1)]
    old = [f"-{lines[n].text}" for n in range(first, last + 1)]
    kept = len(before) + len(after)
    head = f"@@ -{begin},{kept + len(old)} +{begin},{kept + len(new)} @@"
    body = [*before, *old, *(f"+{text}" for text in new), *after]
    return "\n".join((f"--- a/{hunk.path}", f"+++ b/{hunk.path}", head, *body, ""))
