"""Assigns models to seats.

Several models share the debaters' seats in a drawn order, since mixed families are the one remedy
that helped in every published comparison (arXiv 2502.08788). Neutral seats get a model of a family
that does not debate, if one is left (rule: a judge never sits at the table). If identities are
hidden until the end, every named model sits at the table first, and the closing seat never speaks
with the model of P1. Every seat's other models follow as fallbacks, other families first. If
outcomes are known, they weight the draw of the debaters, and models' own rulings weight that of the
judges.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.debate.earned import TrackRecord
from core.debate.script import Duty, Script, SeatId

ALL_ROLES = ""
Discounts = Mapping[str, Mapping[str, float]]
"""The factors in (0, 1] on a model's chance of a seat, by role and model: those of ``ALL_ROLES``
count in the draw, the others when the drawn models are assigned to seats.
"""


@dataclass(frozen=True, slots=True)
class ModelCandidate:
    name: str
    family: str


def cast(
    script: Script,
    candidates: Sequence[ModelCandidate],
    rng: random.Random,
    known: Mapping[str, TrackRecord] = MappingProxyType({}),
    ruled: Mapping[str, TrackRecord] = MappingProxyType({}),
    discounts: Discounts = MappingProxyType({}),
) -> Mapping[SeatId, tuple[str, ...]]:
    """Returns seat -> models, the first to speak and the rest to fall back on.

    A candidate that is given twice has two places in the draw. ``known`` holds models' records,
    ``ruled`` their records as judges; ``discounts`` lower a model's chance. Raises ``ValueError``
    without candidates.
    """
    order, bench, spare = _placed(candidates, rng, known, ruled, discounts)
    debaters = [s.id for s in script.seats if s.argues]
    neutral = spare if not script.blind or len(order) > len(debaters) else None
    table = _table(order, neutral)
    out: dict[SeatId, tuple[str, ...]] = {}
    drawn = [table[n % len(table)] for n in range(len(debaters))]
    for seat in debaters:
        factors = discounts.get(script.seat(seat).role, {})
        best = max(drawn, key=lambda c: factors.get(c.name, 1.0))  # the first of equal ones
        drawn.remove(best)
        out[seat] = _ranked(best, order)
    closing = _closing(script, bench, out)
    first = neutral if neutral is not None and neutral in closing else closing[0]
    for seat in (s.id for s in script.seats if not s.argues and s.duty is not Duty.AUDIENCE):
        out[seat] = _ranked(first, closing)
    return {s.id: out[s.id] for s in script.seats if s.id in out}


def count_voices(
    candidates: Sequence[ModelCandidate],
    rng: random.Random,
    known: Mapping[str, TrackRecord],
    ruled: Mapping[str, TrackRecord],
    discounts: Discounts,
) -> int:
    """Counts the different models that ``cast`` assigns to the arguing seats, by the same draw; the
    family that is reserved for closing is not among them.
    """
    order, _, spare = _placed(candidates, rng, known, ruled, discounts)
    return len(_table(order, spare))


def left_out(seats: Mapping[SeatId, tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the models of a cast that speak in no seat, unless another one fails."""
    speaking = {models[0] for models in seats.values()}
    named = sorted({name for models in seats.values() for name in models})
    return tuple(name for name in named if name not in speaking)


def _placed(
    candidates: Sequence[ModelCandidate],
    rng: random.Random,
    known: Mapping[str, TrackRecord],
    ruled: Mapping[str, TrackRecord],
    less: Discounts,
) -> tuple[list[ModelCandidate], list[ModelCandidate], ModelCandidate | None]:
    """Returns the order for arguing, the order for judging, and the models reserved for closing.
    Raises ``ValueError`` without candidates.
    """
    if not candidates:
        raise ValueError("a debate needs at least one model")
    order = _drawn(list(candidates), rng, known, less.get(ALL_ROLES, {}))
    bench = order
    if ruled:
        bench = _drawn(list(order), rng, ruled, {})
    return order, bench, _spare(order, bench[0] if ruled else None)


def _table(order: list[ModelCandidate], neutral: ModelCandidate | None) -> list[ModelCandidate]:
    return [c for c in order if neutral is None or c.family != neutral.family] or order


def _drawn(
    candidates: list[ModelCandidate],
    rng: random.Random,
    known: Mapping[str, TrackRecord],
    less: Mapping[str, float],
) -> list[ModelCandidate]:
    """Returns the candidates in a drawn order: at random without outcomes, else each by a draw from
    what its outcomes leave possible, so that a good record goes first and a short one is tried
    again and again (Thompson 1933).

    ``less`` scales a model's draw. Families take turns.
    """
    rng.shuffle(candidates)
    if not known:
        return candidates
    draws = {}
    for candidate in dict.fromkeys(candidates):
        past = known.get(candidate.name, TrackRecord())
        drawn = rng.betavariate(past.right + 1, past.of - past.right + 1)
        draws[candidate] = drawn * less.get(candidate.name, 1.0)
    best = sorted(candidates, key=draws.__getitem__, reverse=True)
    nth = [sum(c.family == one.family for c in best[:n]) for n, one in enumerate(best)]
    return [one for _, one in sorted(enumerate(best), key=lambda each: nth[each[0]])]


def _ranked(first: ModelCandidate, order: Sequence[ModelCandidate]) -> tuple[str, ...]:
    rest = sorted((c for c in order if c != first), key=lambda c: c.family == first.family)
    return tuple(dict.fromkeys(c.name for c in (first, *rest)))


def _spare(order: Sequence[ModelCandidate], judge: ModelCandidate | None) -> ModelCandidate | None:
    """Returns a model whose family can be kept off the table while two families still debate,
    preferably the one drawn to ``judge``.
    """
    families = list(dict.fromkeys(c.family for c in order))
    if len(families) < 3:
        return None
    if judge is not None:
        return judge
    return next(c for c in order if c.family == families[-1])


def _closing(
    script: Script, order: Sequence[ModelCandidate], out: Mapping[SeatId, tuple[str, ...]]
) -> Sequence[ModelCandidate]:
    """Returns the models that may take a neutral seat, the preferred first: those that do not
    debate, and not the first debater's model.

    In a blind script P1's model never closes, not even as a fallback; with a single model there is
    no choice.
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
    """True if all debaters speak with models of one family, which is worth a warning."""
    voices = {
        family.get(cast[s.id][0], cast[s.id][0]) for s in script.seats if s.argues and s.id in cast
    }
    return len(voices) == 1
