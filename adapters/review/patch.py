"""Turns a finding's fix into a patch for the new version, if code has checked that it applies."""

from __future__ import annotations

from adapters.review.suggestion import suggestion
from core.debate.finding import Finding
from core.debate.material import Hunk, Line, Material
from core.debate.material.escaping import show_path

_CONTEXT = 3


def patch_of(material: Material, finding: Finding) -> str:
    """Returns the patch of a finding; "" for a fix that is no diff, or does not match the
    change.
    """
    fix = suggestion(material, finding)
    path = finding.path
    if fix is None or not fix.text or path != show_path(path) or any(c in path for c in '\t\n"\\'):
        return ""
    for hunk in material.hunks:
        lines = {x.new: x for x in hunk.lines if x.new is not None}
        if hunk.path == path and {fix.first, fix.last} <= lines.keys():
            return _patch(hunk, lines, fix.first, fix.last, fix.text.split("\n"))
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
