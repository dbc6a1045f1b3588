"""Rates models only by outcomes that people resolved later.

"Correct" never means "voted with the winner": that would score conformity. Before a person has said
whether a decision held there is no record, and a difference that chance explains gets no rank.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, fsum, log, sqrt
from typing import TypeVar

from core.debate.earned import TrackRecord
from core.debate.events import OutcomeResolved
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict import same_option
from core.debate.verdict.condition import is_for_show
from core.debate.verdict.consensus import CONTESTED, panel
from core.debate.verdict.delta import moves
from core.debate.verdict.votes import NONE, Z95, Interval, final_votes, wilson

_STEPS = 200

ENOUGH = 10
"""The number of resolved outcomes from which a calibration figure says anything."""
BINS = 5
"""The number of equal steps of confidence in which a calibration curve is counted."""


_Row = TypeVar("_Row")
_Key = TypeVar("_Key", bound=Hashable)


def grouped(rows: Iterable[_Row], key: Callable[[_Row], _Key]) -> dict[_Key, list[_Row]]:
    """Returns the rows of each key, in their order."""
    groups: dict[_Key, list[_Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


@dataclass(frozen=True, slots=True)
class Record:
    """One seat in one resolved debate.

    ``right`` means that it held a decision that held, or did not hold a decision that failed.
    ``confidence`` is that of its last stance, in [0, 1]; ``moved`` counts its changes of stance,
    ``conformed`` those without a reason. ``role`` is the seat's role, ``domain`` the template's;
    ``failed`` means that the verdict did not hold, ``because`` why people say so. ``ruled`` marks a
    judge's ruling: judges are seated by these records, and only judges are.
    """

    debate: str
    seat: SeatId
    model: str
    right: bool
    confidence: float
    moved: int
    conformed: int
    role: str = ""
    domain: str = ""
    failed: bool = False
    because: str = ""
    ruled: bool = False

    @property
    def dissented(self) -> bool:
        """True if the seat did not hold the verdict: it was right if the verdict failed."""
        return self.right is self.failed


@dataclass(frozen=True, slots=True)
class ModelStanding:
    """A model's record over ``n`` resolved seats, of all roles or of one ``role``. ``held`` is its
    share of right ones with a 95 % interval. ``brier`` is the mean squared gap between stated
    confidence and being right (0 is perfect, 0.25 is guessing), None before ``ENOUGH`` outcomes.
    ``strength`` is the Bradley-Terry strength against the models that it sat with, 0 the average,
    with its 95 % interval; None without a comparison. ``rank`` is given only if the interval
    overlaps with no other model's.
    """

    model: str
    n: int
    right: int
    held: Interval
    brier: float | None
    moved: int
    conformed: int
    strength: float | None = None
    spread: Interval | None = None
    rank: int | None = None
    role: str = ""

    @property
    def enough(self) -> bool:
        return self.n >= ENOUGH


def records(debate: Debate) -> tuple[Record, ...]:
    """Returns one record for each entitled seat that held an option and each judge that ruled the
    same in both orders; none before a person has said whether the decision held, and none for a
    demonstration or a what-if.
    """
    if debate.resolved is None or debate.concluded is None or debate.opened is None:
        return ()
    if is_for_show(debate):
        return ()
    last = debate.closed or debate.concluded
    if not any(same_option(o.option, last.decision) for o in debate.open.template.ballot):
        return ()
    return tuple(_records(debate, debate.resolved, last.decision))


def _records(debate: Debate, resolved: OutcomeResolved, decision: str) -> Iterator[Record]:
    moved, stances = moves(debate), debate.stances()

    def record(seat: SeatId, option: str, model: str, confidence: float = 0.0) -> Record:
        mine = [m for m in moved if m.seat == seat]
        return Record(
            debate=debate.id,
            seat=seat,
            model=model,
            right=same_option(option, decision) == resolved.held,
            confidence=confidence,
            moved=len(mine),
            conformed=sum(m.conformity for m in mine),
            role=debate.open.script.seat(seat).role,
            domain=debate.open.template.domain,
            failed=not resolved.held,
            because=resolved.because,
        )

    for seat, option in final_votes(debate).items():
        if option != NONE and seat in stances:
            turn, stance = stances[seat]
            yield record(seat, option, debate.models.get(turn.id, ""), stance.confidence)
    for seat, option in panel(debate).rulings.items():
        if option not in (NONE, CONTESTED):
            yield replace(record(seat, option, debate.model_of(seat)), ruled=True)


def leaderboard(records: Iterable[Record]) -> tuple[ModelStanding, ...]:
    """Returns the models by their share of right seats.

    They are ranked only if intervals do not overlap; the number of outcomes is always given.
    """
    named = [r for r in records if r.model]
    fitted = _bradley_terry(_duels(named))
    models = grouped(named, lambda r: r.model)
    standings = [_standing(model, mine, fitted) for model, mine in models.items()]
    ordered = sorted(standings, key=lambda s: (-s.right / s.n, -s.n, s.model))
    return tuple(_ranked(s, n, ordered) for n, s in enumerate(ordered, 1))


def by_seat(records: Iterable[Record]) -> tuple[ModelStanding, ...]:
    """Returns each model in each role, the surest first: by the lower end of its interval."""
    groups = grouped((r for r in records if r.model), lambda r: (r.role, r.model))
    standings = (
        replace(_standing(model, mine, {}), role=role) for (role, model), mine in groups.items()
    )
    return tuple(sorted(standings, key=lambda s: (-s.held.low, -s.n, s.role, s.model)))


@dataclass(frozen=True, slots=True)
class Warned:
    """The frequency of a role's dissent: from how many of the ``failed`` verdicts, which did not
    hold, and from how many of the ``stood`` ones, which did. Only seats that stated an option are
    counted.
    """

    role: str
    warned: int
    failed: int
    doubted: int
    stood: int


def dissent_ledger(records: Iterable[Record]) -> tuple[Warned, ...]:
    """Returns the roles that had dissented from verdicts that did not hold, with how often each
    dissents in vain; the most warnings first.
    """
    made = []
    for role, mine in grouped(records, lambda r: r.role).items():
        failed = [r for r in mine if r.failed]
        stood = [r for r in mine if not r.failed]
        warned, doubted = (sum(r.dissented for r in part) for part in (failed, stood))
        made.append(Warned(role, warned, len(failed), doubted, len(stood)))
    return tuple(sorted(made, key=lambda w: (-w.warned, w.doubted, w.role)))


def counts(
    records: Iterable[Record], domain: str = "", *, ruled: bool = False
) -> dict[str, TrackRecord]:
    """Returns what casting and weights know of each model; ``domain`` narrows it to one domain,
    ``ruled`` to rulings as a judge.
    """
    known: dict[str, TrackRecord] = {}
    for record in records:
        if record.model and record.ruled is ruled and domain in ("", record.domain):
            past = known.get(record.model, TrackRecord())
            known[record.model] = TrackRecord(past.right + record.right, past.of + 1)
    return known


def seat_weights(
    seats: Mapping[SeatId, str], known: Mapping[str, TrackRecord]
) -> dict[SeatId, float]:
    """Returns each seat's weight from its model's outcomes: the lower end of the 95 % interval of
    its share of right ones (Wilson 1927).

    It is empty, which means equal weights, if any of the models has fewer than ``ENOUGH`` resolved
    outcomes: a newcomer must not weigh less for being new.
    """
    pasts = {seat: known.get(model, TrackRecord()) for seat, model in seats.items()}
    if any(past.of < ENOUGH for past in pasts.values()):
        return {}
    return {seat: round(wilson(past.right, past.of).low, 4) for seat, past in pasts.items()}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One step of confidence: how many seats stated it, how sure they were on average, and how
    often they were right, with a 95 % interval.
    """

    n: int
    stated: float
    right: float
    interval: Interval


def reliability(pairs: Iterable[tuple[float, bool]]) -> tuple[CurvePoint, ...]:
    """Returns the reliability diagram (DeGroot and Fienberg 1983) of stated probabilities and
    whether they were right, in ``BINS`` equal steps; empty steps are left out.
    """
    steps = grouped(pairs, lambda pair: min(int(pair[0] * BINS), BINS - 1))
    points = []
    for _, mine in sorted(steps.items()):
        n, right = len(mine), sum(right for _, right in mine)
        stated = fsum(stated for stated, _ in mine) / n
        points.append(CurvePoint(n, stated, right / n, wilson(right, n)))
    return tuple(points)


def brier(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Returns the mean squared gap between stated probabilities and whether they were right (Brier
    1950); None for fewer than ``ENOUGH``.
    """
    if len(pairs) < ENOUGH:
        return None
    return fsum((stated - right) ** 2 for stated, right in pairs) / len(pairs)


@dataclass(frozen=True, slots=True)
class Ratings:
    """All ratings made from resolved outcomes."""

    models: tuple[ModelStanding, ...]
    seats: tuple[ModelStanding, ...]
    dissent: tuple[Warned, ...]
    curve: tuple[CurvePoint, ...]


def rate(records: Iterable[Record]) -> Ratings:
    """Rates models, models in their roles, dissenting roles, and stated confidence."""
    listed = list(records)
    argued = [record for record in listed if not record.ruled]
    curve = reliability((r.confidence, r.right) for r in argued)
    return Ratings(leaderboard(argued), by_seat(listed), dissent_ledger(argued), curve)


def _standing(
    model: str, mine: Sequence[Record], fitted: dict[str, tuple[float, float]]
) -> ModelStanding:
    right = sum(r.right for r in mine)
    strength = spread = None
    if model in fitted:
        strength, error = fitted[model]
        spread = Interval(strength - Z95 * error, strength + Z95 * error)
    stated = [(r.confidence, r.right) for r in mine if not r.ruled]
    return ModelStanding(
        model=model,
        n=len(mine),
        right=right,
        held=wilson(right, len(mine)),
        brier=brier(stated),
        moved=sum(r.moved for r in mine),
        conformed=sum(r.conformed for r in mine),
        strength=strength,
        spread=spread,
    )


def _ranked(
    standing: ModelStanding, place: int, everybody: Sequence[ModelStanding]
) -> ModelStanding:
    overlaps = any(
        other is not standing
        and other.held.low <= standing.held.high
        and standing.held.low <= other.held.high
        for other in everybody
    )
    if overlaps or len(everybody) < 2:
        return standing
    return replace(standing, rank=place)


def _duels(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Returns (winner, loser) for each two seats of one debate of which one was right and the other
    not; seats of one model are no duel.
    """
    duels = []
    for together in grouped(records, lambda r: r.debate).values():
        for a, b in combinations(together, 2):
            if a.right is not b.right and a.model != b.model:
                winner, loser = sorted((a, b), key=lambda r: not r.right)
                duels.append((winner.model, loser.model))
    return duels


def _bradley_terry(duels: Sequence[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Returns log strength and standard error per model. Each also draws once with an average
    model, so that an unbeaten one stays finite.
    """
    models = sorted({m for duel in duels for m in duel})
    strength = dict.fromkeys(models, 1.0)
    for _ in range(_STEPS):
        fresh = {m: _step(m, strength, duels) for m in models}
        if all(abs(log(fresh[m] / strength[m])) < 1e-9 for m in models):
            break
        strength = fresh
    return {m: (log(strength[m]), 1 / sqrt(_information(m, strength, duels))) for m in models}


def _step(model: str, strength: dict[str, float], duels: Sequence[tuple[str, str]]) -> float:
    mine = [d for d in duels if model in d]
    wins = sum(winner == model for winner, _ in mine) + 0.5
    met = fsum(1 / (strength[a] + strength[b]) for a, b in mine) + 1 / (strength[model] + 1)
    return wins / met


def _information(model: str, strength: dict[str, float], duels: Sequence[tuple[str, str]]) -> float:
    met = [strength[b if a == model else a] for a, b in duels if model in (a, b)] + [1.0]
    odds = [1 / (1 + exp(log(other) - log(strength[model]))) for other in met]
    return fsum(p * (1 - p) for p in odds)
