"""Shortens a review to a demonstration: few turns, and a report written by code.

The embedded model reads 25 tokens a second and writes eight, so every turn takes a quarter of a
minute, and after a first exchange it repeats itself. So a seat speaks again only after something
new, and no turn sums up: code lists the findings.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from core.debate.script import LEFT_TO_CODE, Script, SeatId, Turn, TurnId

DEMONSTRATED = 3
"""The openings of a demonstration."""


def shortened(script: Script, most: int | None = None) -> Script:
    """Return the script with at most that number of openings, without turns of seats that have read
    nothing new since they last spoke, and with a closing that code writes.
    """
    openers = list(dict.fromkeys(t.seat for t in script.turns if t.independent))
    away = set(openers[most:]) if most else set()
    kept: list[Turn] = []
    for turn in script.turns:
        if turn.seat not in away and (turn.closing or _hears_something(turn, kept)):
            kept.append(turn)
    closing = next(t for t in kept if t.closing)
    turns = [t for t in kept if not t.closing]
    ids = {t.id for t in turns}
    last = replace(closing, when=LEFT_TO_CODE, reads=_among(closing.reads, ids))
    spoken = [*(replace(t, reads=_among(t.reads, ids)) for t in turns), last]
    seats = {t.seat for t in spoken}
    return replace(
        script,
        turns=tuple(spoken),
        seats=tuple(s for s in script.seats if s.id in seats),
        aliases=tuple(a for a in script.aliases if a[0] in seats),
    )


def _hears_something(turn: Turn, before: Sequence[Turn]) -> bool:
    """True if a seat reads a statement of another seat that it had not read when it last spoke."""
    own = [t for t in before if t.seat == turn.seat]
    if not own:
        return True
    known = {t.id for t in own} | set(own[-1].reads)
    return any(read not in known and _is_of_others(read, turn.seat, before) for read in turn.reads)


def _is_of_others(read: TurnId, seat: SeatId, before: Sequence[Turn]) -> bool:
    return any(t.id == read and t.seat != seat for t in before)


def _among(reads: Sequence[TurnId], ids: Container[TurnId]) -> tuple[TurnId, ...]:
    return tuple(r for r in reads if r in ids)
