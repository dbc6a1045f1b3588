"""The state of a point, from what seats said of it in script order.

A point is open while nobody has answered it, or while seats differ on it. What was conceded or
taken back does not come back as open; a seat that holds a withdrawn point raises it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from core.debate.replies import Position
from core.debate.script import Duty, SeatId
from core.debate.state import Debate, once
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.positions import Raised, WordingAnswer


class PointState(StrEnum):
    """What has become of a point."""

    RAISED = "raised"  # nobody opposes it yet
    DISPUTED = "disputed"
    CONCEDED = "conceded"  # those who opposed it give in, or the author does
    WITHDRAWN = "withdrawn"  # nobody holds it any more
    SETTLED = "settled"  # code, people or a later revision decided it


@once
def point_states(debate: Debate) -> Mapping[str, PointState]:
    """Returns the state of each finding, by its id."""
    seats, place = debate.script.seats, {turn.id: n for n, turn in enumerate(debate.turns)}
    answers = [
        WordingAnswer(place[turn.id], turn.seat, answer, statement.looked_up)
        for turn, statement in debate.statements({s.id for s in seats if s.argues})
        for answer in statement.answers
    ]
    authors = {s.id for s in seats if s.duty is Duty.AUTHOR or s.role == "author"}
    return {m.id: _state(m, answers, authors) for m in merge_findings(debate)}


def _state(
    finding: MergedFinding, answers: Sequence[WordingAnswer], authors: set[SeatId]
) -> PointState:
    decided = finding.state in (FindingState.RESOLVED, FindingState.DISPUTED)
    if finding.proven or finding.tested or finding.confirmed or decided:
        return PointState.SETTLED
    state = PointState.RAISED
    holding: set[SeatId] = set()
    opposing: set[SeatId] = set()
    acts: list[tuple[int, int, Raised | WordingAnswer]] = [(r.at, 0, r) for r in finding.raised]
    acts += [(a.at, 1, a) for a in answers if a.answer.to in finding.ids]
    for _, _, act in sorted(acts, key=lambda each: each[:2]):
        seat, held = act.seat, bool(holding)
        if isinstance(act, Raised):
            holding.add(seat)
            state = _again(state)
            continue
        position = act.answer.position
        if not act.grounded and _has_to_be_shown(position, holds=seat in holding):
            continue
        match position:
            case Position.AGREE | Position.MUST_FIX | Position.CONCEDE:
                gave_in = position is Position.CONCEDE or seat in opposing
                opposing.discard(seat)
                if seat not in authors:
                    holding.add(seat)
                    if not held:
                        state = _again(state)
                        continue
                conceded = seat in authors or (gave_in and not opposing)
                if conceded and state is not PointState.WITHDRAWN:
                    state = PointState.CONCEDED
            case Position.WITHDRAW | Position.DISPUTE | Position.NOT_REAL | Position.NEED_NOT:
                if holding == {seat}:
                    state = PointState.WITHDRAWN
                elif state is PointState.RAISED:
                    state = PointState.DISPUTED
                if seat in holding:
                    holding.discard(seat)
                else:
                    opposing.add(seat)
            case Position.KEEP | Position.ANSWERED:
                pass
    return state


def _again(state: PointState) -> PointState:
    """Returns the state of a point that a seat holds although nobody did any more."""
    return PointState.RAISED if state is PointState.WITHDRAWN else state


def _has_to_be_shown(position: Position, *, holds: bool) -> bool:
    """Return whether the answer changes its seat's mind in an argument over what is contested."""
    if position is Position.MUST_FIX:
        return not holds
    return holds and position in (Position.NOT_REAL, Position.NEED_NOT)
