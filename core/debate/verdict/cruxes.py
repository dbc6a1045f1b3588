"""Finds the points without which the verdict would be another one.

Each finding, each seat's stance and each claim that moved a stance is taken out, and the verdict is
computed again by the same rule. If no single point changes it, the blocking findings are taken out
together. No model is called and nothing is weighed: a point flips the decision or it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from core.debate.replies import Stance, Statement
from core.debate.script import SeatId, TurnId
from core.debate.state import Debate, once
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings


class CruxKind(StrEnum):
    FINDING = "finding"
    STANCE = "stance"
    CLAIM = "claim"


@dataclass(frozen=True, slots=True)
class Crux:
    """A point without which the decision would be another. ``ids`` are the finding, the turn of the
    stance or the claim; several if only all of them together change it. ``without`` is the decision
    that would result then, ``reached`` and ``mechanism`` whether it would be reached, and how.
    ``by`` are the seats that hold the point, ``against`` those that dispute it.
    """

    kind: CruxKind
    ids: tuple[str, ...]
    by: tuple[SeatId, ...]
    against: tuple[SeatId, ...]
    without: str
    reached: bool
    mechanism: str

    @property
    def together(self) -> bool:
        return len(self.ids) > 1


@once
def cruxes(debate: Debate) -> tuple[Crux, ...]:
    """Returns the findings first, then the claims, then the stances.

    The result is empty before the opening, and if there is no decision that could change.
    """
    if debate.opened is None:
        return ()
    single = tuple(
        crux for group in (_findings(debate), _claims(debate), _stances(debate)) for crux in group
    )
    return single or tuple(_together(debate))


def _findings(debate: Debate) -> Iterator[Crux]:
    for merged in merge_findings(debate):
        then = _without_findings(debate, frozenset(merged.ids))
        yield from _flips(
            debate, then, CruxKind.FINDING, (merged.id,), merged.by, merged.disputed_by
        )


def _together(debate: Debate) -> Iterator[Crux]:
    """Yields the blocking findings as one point if each of them would be enough by itself."""
    fix = [m for m in merge_findings(debate) if m.blocking]
    then = _without_findings(debate, frozenset(id for m in fix for id in m.ids))
    by = tuple(dict.fromkeys(seat for m in fix for seat in m.by))
    against = tuple(dict.fromkeys(seat for m in fix for seat in m.disputed_by))
    ids = tuple(m.id for m in fix)
    yield from _flips(debate, then, CruxKind.FINDING, ids, by, against)


def _stances(debate: Debate) -> Iterator[Crux]:
    """Yields the stances without which the decision changes; a seat without a stance stays
    entitled, like a failed seat.
    """
    held = debate.stances()
    for seat, (turn, stance) in held.items():
        own = debate.statements((seat,))
        then = _changed(debate, {t.id: replace(each, stance=None) for t, each in own})
        against = tuple(s for s, (_, other) in held.items() if other.option != stance.option)
        yield from _flips(debate, then, CruxKind.STANCE, (turn.id,), (seat,), against)


def _claims(debate: Debate) -> Iterator[Crux]:
    """Yields the claims without which the decision changes: the seats that they moved would still
    hold their earlier stance.
    """
    known = {c.id: turn.seat for turn, each in debate.statements() for c in each.claims}
    moved: dict[str, dict[TurnId, Statement]] = {}
    movers: dict[str, list[SeatId]] = {}
    before: dict[SeatId, Stance] = {}
    for turn, statement in debate.statements(debate.voters):
        stance = statement.stance
        if stance is None:
            continue
        if stance.moved_by in known and turn.seat in before:
            back = replace(statement, stance=before[turn.seat])
            moved.setdefault(stance.moved_by, {})[turn.id] = back
            movers.setdefault(stance.moved_by, []).append(turn.seat)
        before[turn.seat] = stance
    for id, statements in moved.items():
        by = tuple(dict.fromkeys((known[id], *movers[id])))
        yield from _flips(debate, _changed(debate, statements), CruxKind.CLAIM, (id,), by, ())


def _flips(
    debate: Debate,
    then: Debate,
    kind: CruxKind,
    ids: tuple[str, ...],
    by: tuple[SeatId, ...],
    against: tuple[SeatId, ...],
) -> Iterator[Crux]:
    now, other = verdict(debate), verdict(then)
    if other.decision != now.decision:
        how = other.mechanism
        yield Crux(kind, ids, by, against, other.decision, other.reached, how)


def _without_findings(debate: Debate, ids: frozenset[str]) -> Debate:
    changed = {}
    for turn, statement in debate.statements():
        findings = tuple(f for f in statement.findings if f.id not in ids)
        answers = tuple(a for a in statement.answers if a.to not in ids)
        if (findings, answers) != (statement.findings, statement.answers):
            changed[turn.id] = replace(statement, findings=findings, answers=answers)
    then = _changed(debate, changed)
    opened = debate.open
    material = replace(
        opened.material,
        demands=tuple(f for f in opened.material.demands if f.id not in ids),
        scanned=tuple(f for f in opened.material.scanned if f.id not in ids),
    )
    return replace(then, opened=replace(opened, material=material))


def _changed(debate: Debate, statements: Mapping[TurnId, Statement]) -> Debate:
    return replace(debate, finished={**debate.finished, **statements})
