"""Which model fills which seat.

Several models share the debaters' seats in a drawn order, since mixed families are the one remedy that helped everywhere it was tried
(arXiv 2502.08788). Seats that take no side get a model of a family that does not debate where there is one to spare (rule: a judge never
sits at the table). Every seat's other models follow as fallbacks, other families first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.script import Duty, Script, SeatId


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    family: str


def cast(script: Script, candidates: Sequence[Candidate], rng: random.Random) -> Mapping[SeatId, tuple[str, ...]]:
    """Seat -> models, the first to speak and the rest to fall back on. Raises ``ValueError`` without candidates."""
    if not candidates:
        raise ValueError("a debate needs at least one model")
    order = list(dict.fromkeys(candidates))
    rng.shuffle(order)
    neutral = _spare(order)
    table = [c for c in order if neutral is None or c.family != neutral.family] or order
    out: dict[SeatId, tuple[str, ...]] = {}
    turn = 0
    for seat in script.seats:
        if seat.duty is Duty.AUDIENCE:
            continue
        if seat.duty is Duty.DEBATER:
            first = table[turn % len(table)]
            turn += 1
        else:
            first = neutral or _unlike(out, script, order)
        rest = sorted((c for c in order if c != first), key=lambda c: c.family == first.family)
        out[seat.id] = tuple(c.name for c in (first, *rest))
    return out


def _spare(order: Sequence[Candidate]) -> Candidate | None:
    """A model whose family can be kept off the table while two families still debate."""
    families = list(dict.fromkeys(c.family for c in order))
    return next(c for c in order if c.family == families[-1]) if len(families) >= 3 else None


def _unlike(out: Mapping[SeatId, tuple[str, ...]], script: Script, order: Sequence[Candidate]) -> Candidate:
    """With few models: not the one that the first debater speaks with, where there is another."""
    first = next((out[s.id][0] for s in script.seats if s.duty is Duty.DEBATER and s.id in out), "")
    return next((c for c in order if c.name != first), order[0])


def one_family(script: Script, cast: Mapping[SeatId, tuple[str, ...]], family: Mapping[str, str]) -> bool:
    """Whether all debaters speak with models of one family: worth a warning."""
    voices = {family.get(cast[s.id][0], cast[s.id][0]) for s in script.seats if s.duty is Duty.DEBATER and s.id in cast}
    return len(voices) == 1
