"""Turns stances into a result: every mode starts from "not reached", and a result has to be earned.

A threshold is a share of all seats entitled to vote. Confidence plays no part: it measures how sure
a seat sounds, not how many agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, fsum, isclose
from typing import assert_never

from core.debate.script import Duty, SeatId
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.template import Mode, People
from core.debate.verdict.delta import conformists
from core.debate.verdict.votes import (
    NONE,
    count_people,
    final_votes,
    find_option,
    has_majority,
    leaders,
    tally,
)

TIE = "tie"
CONTESTED = "contested"
_NONE_RULED, _NO_RULING = stored("judge: none ruled"), stored("judge panel: no ruling")
_FELL_SHORT = stored("hybrid: the vote fell short")
_NO_JUDGE = stored("hybrid: the vote fell short and no judge ruled")


@dataclass(frozen=True, slots=True)
class Consensus:
    """The result of the stances: ``option`` is the leading ballot option, ``tie``, ``contested`` (a
    judge contradicts itself) or ``none``. ``agreement`` is the share of all entitled seats that
    hold ``option``. ``split`` is a judge panel's "2-1".
    """

    option: str
    reached: bool
    agreement: float
    needed: int  # seats
    mechanism: str
    contested: bool = False
    split: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """The rulings of the judges: one entry per judge in ``rulings``, which is its option,
    ``contested`` or ``none``.
    """

    rulings: Mapping[SeatId, str] = field(default_factory=dict)
    option: str = NONE
    reached: bool = False
    split: str = ""

    @property
    def contested(self) -> bool:
        return CONTESTED in self.rulings.values()


def seats_needed(mode: Mode, threshold: float, entitled: int) -> int:
    """Returns how many of the entitled seats must hold one option: the threshold, and more if
    the mode demands more.
    """
    majority_of_all = entitled // 2 + 1
    by_threshold = ceil(_exact(threshold) * entitled)
    match mode:
        case Mode.UNANIMOUS:
            return max(1, entitled)
        case Mode.SUPERMAJORITY:
            return max(majority_of_all, by_threshold, ceil(Fraction(2, 3) * entitled))
        case Mode.MAJORITY | Mode.WEIGHTED | Mode.JUDGE | Mode.HYBRID:
            return max(majority_of_all, by_threshold)
        case _:
            assert_never(mode)


def _exact(threshold: float) -> Fraction:
    """Returns the fraction that a person meant: 0.7 is seven tenths, 0.6667 two thirds."""
    return Fraction(threshold).limit_denominator(1000)


def mode_of(debate: Debate) -> Mode:
    return Mode(debate.open.terms.consensus or debate.open.template.consensus)


def consensus(debate: Debate) -> Consensus:
    """Computes the result of the seats' final stances under the mode and threshold of this
    debate.
    """
    mode, held, ballot = mode_of(debate), final_votes(debate), debate.open.template.ballot
    match mode:
        case Mode.MAJORITY | Mode.SUPERMAJORITY | Mode.UNANIMOUS:
            return _voted(debate, held, mode)
        case Mode.WEIGHTED:
            return _weighted(debate, held, _voted(debate, held, mode))
        case Mode.JUDGE:
            return _judged(_voted(debate, held, mode), tally(held.values(), ballot), panel(debate))
        case Mode.HYBRID:
            voted, judges = _voted(debate, held, mode), panel(debate)
            if voted.reached:
                return replace(
                    voted,
                    contested=judges.contested or judges.option not in (NONE, voted.option),
                    split=judges.split,
                )
            if judges.option == NONE and not judges.contested:
                return replace(voted, mechanism=_NO_JUDGE)
            ruled = _judged(voted, tally(held.values(), ballot), judges)
            return replace(ruled, mechanism=f"{_FELL_SHORT}, {ruled.mechanism}")
        case _:
            assert_never(mode)


def _voted(debate: Debate, held: Mapping[SeatId, str], mode: Mode) -> Consensus:
    counts = tally(held.values(), debate.open.template.ballot)
    needed = seats_needed(mode, debate.open.terms.threshold, len(held))
    first = leaders(counts)
    if len(first) == 1:
        votes = counts[first[0]]
        return Consensus(first[0], votes >= needed, votes / len(held), needed, mode.value)
    if not first:
        return Consensus(NONE, False, 0.0, needed, mode.value)
    share = counts[first[0]] / len(held)
    if debate.open.template.people is People.TIES:
        people = count_people(debate)
        for option in first:
            if has_majority(people, option):
                by = stored("{why}: a tie of the seats, decided by people", why=mode.value)
                return Consensus(option, False, share, needed, by)
    return Consensus(TIE, False, share, needed, mode.value)


def _weights(debate: Debate) -> Mapping[SeatId, float]:
    """Returns the weight of each seat's vote, on any positive scale, from its model's resolved
    outcomes, 1 without any; a seat that changed its stance without naming a reason weighs half.

    Weights count in mode ``weighted`` only, which the bot announces before the debate and in the
    verdict.
    """
    known = debate.open.terms.weights
    halved = dict.fromkeys(conformists(debate), 0.5)
    return {seat: known.get(seat, 1.0) * halved.get(seat, 1.0) for seat in debate.voters}


def _weighted(debate: Debate, held: Mapping[SeatId, str], voted: Consensus) -> Consensus:
    """Computes the weighted result: weights move the decision, never the printed agreement, which
    stays a count of seats.
    """
    weights, threshold = _weights(debate), debate.open.terms.threshold
    if any(w < 0 for w in weights.values()):
        raise ValueError("a weight below zero is a vote against oneself")
    total = fsum(weights.values())
    share: dict[str, float] = {}
    for seat, option in held.items():
        if option != NONE:
            share[option] = share.get(option, 0.0) + weights[seat]
    if not share or total == 0:
        return replace(voted, option=NONE, reached=False)
    most = max(share.values())
    first = [o for o, w in share.items() if isclose(w, most)]
    if len(first) > 1:
        if voted.option in first:
            return voted
        return replace(voted, option=TIE, reached=False)
    enough = most / total > 0.5 + 1e-9 and most / total >= float(_exact(threshold)) - 1e-9
    agreement = list(held.values()).count(first[0]) / len(held)
    return replace(
        voted,
        option=first[0],
        reached=enough,
        agreement=agreement,
        mechanism=stored("weighted {share}", share=f"{most / total:.2f}"),
    )


def panel(debate: Debate) -> Panel:
    """Computes the ruling of the judges, each of which heard the case in both orders.

    A judge that contradicts itself, or that heard the case in one order only, counts as
    ``contested``. The panel rules by a strict majority of all its judges, silent ones included.
    """
    rulings: dict[SeatId, str] = {}
    for seat in _judges(debate):
        given = {  # the last in each order: an objection may have made it rule again
            t.swapped: find_option(s.ruling, debate.open.template.ballot) or NONE
            for t, s in debate.statements((seat,))
            if s.ruling
        }
        rulings[seat] = _consistent(given)
    counts = Counter(option for option in rulings.values() if option not in (NONE, CONTESTED))
    first = leaders(counts)
    if len(first) != 1:
        return Panel(rulings)
    votes = counts[first[0]]
    return Panel(rulings, first[0], 2 * votes > len(rulings), f"{votes}-{len(rulings) - votes}")


def _judges(debate: Debate) -> tuple[SeatId, ...]:
    """Returns the seats that were to hear the case in the other order too; if the script planned
    none, every seat that ruled.
    """
    ruling = {t.seat for t in debate.turns if t.swapped}
    ruling = ruling or {t.seat for t, s in debate.statements() if s.ruling}
    return tuple(
        s.id
        for s in debate.open.script.seats
        if s.id in ruling and s.duty in (Duty.JUDGE, Duty.CHAIR)
    )


def _consistent(given: Mapping[bool, str]) -> str:
    options = set(given.values())
    if options <= {NONE}:
        return NONE
    if len(options) == 1 and len(given) == 2:
        return options.pop()
    return CONTESTED


def _judged(voted: Consensus, counts: Mapping[str, int], judges: Panel) -> Consensus:
    none = replace(voted, option=NONE, reached=False, agreement=0.0, mechanism=_NONE_RULED)
    if not judges.rulings:
        return none
    ruled = replace(none, mechanism=_NO_RULING, contested=judges.contested)
    if judges.option == NONE:
        return replace(ruled, option=CONTESTED) if judges.contested else ruled
    return replace(
        ruled,
        option=judges.option,
        reached=judges.reached,
        agreement=counts.get(judges.option, 0) / max(1, sum(counts.values())),
        mechanism=stored("judge panel {split}", split=judges.split),
        split=judges.split,
    )
