"""Texts of a file as the other trees hold them: with the fix of a finding, or with its lines put
back to what they were before the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

_AROUND = 10
"""Lines from the changed lines nearest to a finding to others that are put back with them."""


def with_fix(text: str, patch: str, line: int | None) -> str | None:
    """Returns the text with the fix, whose lines begin with - and +; None if it does not name the
    lines that it replaces, or they are not there. The place nearest to ``line`` is taken.
    """
    before = [each[1:] for each in patch.split("\n") if each[:1] in ("-", " ")]
    after = [each[1:] for each in patch.split("\n") if each[:1] in ("+", " ")]
    if before == after or not any(each.strip() for each in before):
        return None
    lines = text.split("\n")
    wanted = [each.strip() for each in before]
    stripped = [each.strip() for each in lines]
    size = len(wanted)
    places = [at for at in range(len(lines)) if stripped[at : at + size] == wanted]
    if not places:
        return None
    at = min(places, key=lambda place: abs(place + 1 - (line or 1)))
    moved = _indent(lines[at]).removesuffix(_indent(before[0]))
    new = [moved + each if each.strip() else each for each in after]
    return "\n".join((*lines[:at], *new, *lines[at + size :]))


def with_lines_put_back(before: str, now: str, line: int | None, side: str) -> str | None:
    """Returns the text of now with the changed lines around ``line`` as they were before; those
    nearest to it if it is unchanged. None if nothing is changed.
    """
    old, new = before.split("\n"), now.split("\n")
    blocks = [
        block
        for block in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    if not blocks:
        return None
    if line is None:
        return before
    first, last = (1, 2) if side.upper() == "LEFT" else (3, 4)

    def distance(block: Sequence[object]) -> int:
        start, end = int(str(block[first])), int(str(block[last]))
        return max(start - (line - 1), (line - 1) - max(start, end - 1), 0)

    nearest = min(map(distance, blocks))
    out = list(new)
    for block in reversed(blocks):
        if distance(block) <= nearest + _AROUND:
            _, i1, i2, j1, j2 = block
            out[j1:j2] = old[i1:i2]
    return "\n".join(out)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
