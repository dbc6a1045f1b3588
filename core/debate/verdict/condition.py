"""Reads the condition of a what-if: what a fork assumes, and the seats that it leaves out; and
whether anything follows from a verdict.
"""

from __future__ import annotations

from core.debate.script import SeatId
from core.debate.state import Debate

WHAT_IF = "what if"
"""The beginning of the stored mechanism of a verdict that holds only under a condition."""


def assumptions(debate: Debate) -> tuple[str, ...]:
    """Return what this fork, or the fork that it comes from, assumes."""
    if debate.opened is None:
        return ()
    lines = (line.strip() for line in debate.open.terms.assume.split("\n"))
    return tuple(dict.fromkeys(filter(None, lines)))


def left_out(debate: Debate) -> tuple[SeatId, ...]:
    """Return the seats that this fork, or the fork that it comes from, leaves out."""
    if debate.opened is None:
        return ()
    seats = [*debate.open.terms.without]
    if debate.fork is not None and debate.fork.without:
        seats.append(debate.fork.without)
    return tuple(dict.fromkeys(seats))


def at_the_table(debate: Debate) -> tuple[SeatId, ...]:
    """Return the arguing seats that still speak: all but those that are left out."""
    gone = left_out(debate)
    return tuple(s.id for s in debate.open.script.seats if s.argues and s.id not in gone)


def is_what_if(debate: Debate) -> bool:
    """Return whether the verdict holds only under a condition."""
    return bool(assumptions(debate) or left_out(debate))


def is_for_show(debate: Debate) -> bool:
    """Return whether nothing follows from the verdict: it is a demonstration's or a what-if's."""
    demo = debate.opened is not None and debate.open.terms.demo
    return demo or is_what_if(debate)
