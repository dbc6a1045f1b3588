"""What was decided before about the same, as seats and people read it."""

from __future__ import annotations

from collections.abc import Iterable

from core.material import Precedent
from core.material.escaping import show_hidden
from core.material.plaintext import cut

MOST = 3
LONGEST = 1000
"""Characters of all of them."""
_HELD = {True: "it held", False: "it did not hold", None: "nobody said whether it held"}


def render_precedents(precedents: Iterable[Precedent]) -> str:
    """A line each, the nearest first, no longer together than ``LONGEST``."""
    lines = []
    room = LONGEST
    for one in precedents:
        told = ": ".join(filter(None, (said(one), "; ".join(one.points))))
        line = cut(show_hidden(told), room)
        room -= len(line) + 1
        lines.append(line)
        if room < len(said(one)):
            break
    return "\n".join(lines)


def said(one: Precedent) -> str:
    """What was decided and whether it held, on one line."""
    decision = one.decision.replace("_", " ")
    return " ".join(f"{one.day} “{one.title}”: {decision} ({_HELD[one.held]})".split())
