"""Which model fills which seat.

Several models share the debaters' seats in a drawn order, since mixed families are the one remedy
that helped everywhere it was tried (arXiv 2502.08788). Seats that take no side get a model of a
family that does not debate where there is one to spare (rule: a judge never sits at the table).
Where identities are hidden until the end everybody who was named sits at the table first, and
whoever closes never speaks with the model of P1. Every seat's other models follow as fallbacks,
other families first. Where outcomes are known, who sits at all is drawn by them, and who judges by
what became of each model's own rulings.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.script import Duty, Script, SeatId


@dataclass(frozen=True, slots=True)
class Past:
    """How often a model was ``right``, ``of`` how many resolved outcomes."""

    right: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    family: str


def cast(
    script: Script,
    candidates: Sequence[Candidate],
    rng: random.Random,
    known: Mapping[str, Past] | None = None,
    ruled: Mapping[str, Past] | None = None,
) -> Mapping[SeatId, tuple[str, ...]]:
    """Seat -> models, the first to speak and the rest to fall back on.

    ``known`` says of models how often they were right, of how many resolved outcomes; ``ruled`` the
    same of their rulings as judges. Raises ``ValueError`` without candidates.
    """
    if not candidates:
        raise ValueError("a debate needs at least one model")
    order = _drawn(list(dict.fromkeys(candidates)), rng, known or {})
    debaters = [s.id for s in script.seats if s.duty is Duty.DEBATER]
    bench = order
    if ruled:
        bench = _drawn(list(order), rng, ruled)
    spare = _spare(order, bench[0] if ruled else None)
    neutral = spare if not script.blind or len(order) > len(debaters) else None
    table = [c for c in order if neutral is None or c.family != neutral.family] or order
    out: dict[SeatId, tuple[str, ...]] = {}
    for n, seat in enumerate(debaters):
        out[seat] = _ranked(table[n % len(table)], order)
    closing = _closing(script, bench, out)
    first = neutral if neutral is not None and neutral in closing else closing[0]
    for seat in (s.id for s in script.seats if s.duty not in (Duty.DEBATER, Duty.AUDIENCE)):
        out[seat] = _ranked(first, closing)
    return {s.id: out[s.id] for s in script.seats if s.id in out}


def _drawn(
    candidates: list[Candidate], rng: random.Random, known: Mapping[str, Past]
) -> list[Candidate]:
    """Candidates in a drawn order: at random without outcomes, else each by a draw from what its
    outcomes leave possible, so that a good record goes first and a short one is tried again and
    again (Thompson 1933). Families take turns.
    """
    rng.shuffle(candidates)
    if not known:
        return candidates
    draws = {}
    for candidate in candidates:
        past = known.get(candidate.name, Past())
        draws[candidate] = rng.betavariate(past.right + 1, past.of - past.right + 1)
    best = sorted(candidates, key=draws.__getitem__, reverse=True)
    nth: dict[Candidate, int] = {}
    for candidate in best:
        nth[candidate] = sum(c.family == candidate.family for c in nth)
    return sorted(best, key=nth.__getitem__)


def _ranked(first: Candidate, order: Sequence[Candidate]) -> tuple[str, ...]:
    rest = sorted((c for c in order if c != first), key=lambda c: c.family == first.family)
    return tuple(c.name for c in (first, *rest))


def _spare(order: Sequence[Candidate], judge: Candidate | None) -> Candidate | None:
    """A model whose family can be kept off the table while two families still debate: the one that
    was drawn to ``judge``, where one was.
    """
    families = list(dict.fromkeys(c.family for c in order))
    if len(families) < 3:
        return None
    if judge is not None:
        return judge
    return next(c for c in order if c.family == families[-1])


def _closing(
    script: Script, order: Sequence[Candidate], out: Mapping[SeatId, tuple[str, ...]]
) -> Sequence[Candidate]:
    """Who may take a neutral seat, the preferred first: whoever does not debate, and not what the
    first debater speaks with.

    In a blind script it is P1's model that never closes, not even as a fallback; with a single
    model there is no choice.
    """
    labels = {label: seat for seat, label in script.aliases}
    first = labels.get("P1") if script.blind else next(iter(out), None)
    avoided = ""
    if first is not None and first in out:
        avoided = out[first][0]
    debating = {models[0] for models in out.values()}
    others = sorted((c for c in order if c.name != avoided), key=lambda c: c.name in debating)
    if script.blind and others:
        return others
    return [*others, *(c for c in order if c.name == avoided)]


def one_family(
    script: Script, cast: Mapping[SeatId, tuple[str, ...]], family: Mapping[str, str]
) -> bool:
    """Whether all debaters speak with models of one family: worth a warning."""
    voices = {
        family.get(cast[s.id][0], cast[s.id][0])
        for s in script.seats
        if s.duty is Duty.DEBATER and s.id in cast
    }
    return len(voices) == 1
