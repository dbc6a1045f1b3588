"""The state of a contested point as one table: what each act makes of each state.

A point is open while nobody has answered it, or while seats differ on it. What was conceded or
taken back does not come back as open; a seat that holds a withdrawn point raises it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from core.debate.replies import Position
from core.debate.script import Duty, SeatId
from core.debate.state import Debate, once
from core.debate.verdict.findings import FindingState, MergedFinding, merge_findings
from core.debate.verdict.findings.positions import Raised, WordingAnswer


class PointState(StrEnum):
    """What has become of a point."""

    RAISED = "raised"  # nobody opposes it yet
    DISPUTED = "disputed"
    CONCEDED = "conceded"  # those who opposed it give in, or the author does
    WITHDRAWN = "withdrawn"  # nobody holds it any more
    SETTLED = "settled"  # code, people or a later revision decided it


class Act(StrEnum):
    """What a seat, code or people do to a point."""

    RAISE = "raise"  # a seat reports it, or holds it although nobody did any more
    SUPPORT = "support"  # a seat holds it, and gives in to nobody
    OPPOSE = "oppose"  # a seat calls it not real, or would not block for it
    YIELD = "yield"  # the last seat that opposed it now holds it, or the author concedes it
    DROP = "drop"  # the last seat that held it takes it back
    SETTLE = "settle"


_RAISED, _DISPUTED, _CONCEDED = PointState.RAISED, PointState.DISPUTED, PointState.CONCEDED
_WITHDRAWN, _SETTLED = PointState.WITHDRAWN, PointState.SETTLED
TRANSITIONS: Final[Mapping[PointState, Mapping[Act, PointState]]] = {
    _RAISED: {
        Act.RAISE: _RAISED,
        Act.SUPPORT: _RAISED,
        Act.OPPOSE: _DISPUTED,
        Act.YIELD: _CONCEDED,
        Act.DROP: _WITHDRAWN,
        Act.SETTLE: _SETTLED,
    },
    _DISPUTED: {
        Act.RAISE: _DISPUTED,
        Act.SUPPORT: _DISPUTED,
        Act.OPPOSE: _DISPUTED,
        Act.YIELD: _CONCEDED,
        Act.DROP: _WITHDRAWN,
        Act.SETTLE: _SETTLED,
    },
    _CONCEDED: {
        Act.RAISE: _CONCEDED,
        Act.SUPPORT: _CONCEDED,
        Act.OPPOSE: _CONCEDED,
        Act.YIELD: _CONCEDED,
        Act.DROP: _WITHDRAWN,
        Act.SETTLE: _SETTLED,
    },
    _WITHDRAWN: {
        Act.RAISE: _RAISED,
        Act.SUPPORT: _WITHDRAWN,
        Act.OPPOSE: _WITHDRAWN,
        Act.YIELD: _WITHDRAWN,
        Act.DROP: _WITHDRAWN,
        Act.SETTLE: _SETTLED,
    },
    _SETTLED: dict.fromkeys(Act, _SETTLED),
}
OPEN: Final = frozenset({PointState.RAISED, PointState.DISPUTED})


def after(acts: Iterable[Act], state: PointState = PointState.RAISED) -> PointState:
    """Returns the state to which the acts lead."""
    for act in acts:
        state = TRANSITIONS[state][act]
    return state


@once
def point_states(debate: Debate) -> Mapping[str, PointState]:
    """Returns the state of each finding, by the ids of all its wordings."""
    answers = _answers(debate)
    authors = {s.id for s in debate.script.seats if s.duty is Duty.AUTHOR or s.role == "author"}
    return {
        id: state
        for finding in merge_findings(debate)
        for state in (after(_acts(finding, answers, authors)),)
        for id in finding.ids
    }


def _answers(debate: Debate) -> Sequence[WordingAnswer]:
    """Returns every answer of a seat that argues, in script order."""
    arguing = {s.id for s in debate.script.seats if s.argues}
    place = {turn.id: n for n, turn in enumerate(debate.turns)}
    return [
        WordingAnswer(place[turn.id], turn.seat, answer, looked_up)
        for turn, statement in debate.statements(arguing)
        for looked_up in (any(source.repository for source in statement.sources),)
        for answer in statement.answers
    ]


@dataclass(slots=True)
class _Sides:
    """The seats that hold a point, and those that oppose it."""

    authors: set[SeatId]
    holding: set[SeatId] = field(default_factory=set)
    opposing: set[SeatId] = field(default_factory=set)

    def hears(self, seat: SeatId, position: Position) -> Act | None:
        """Returns the act that a seat's position is, None if it changes nothing."""
        match position:
            case Position.AGREE | Position.MUST_FIX | Position.CONCEDE:
                gave_in = position is Position.CONCEDE or seat in self.opposing
                self.opposing.discard(seat)
                if seat not in self.authors:
                    dropped = not self.holding
                    self.holding.add(seat)
                    if dropped:
                        return Act.RAISE
                conceded = seat in self.authors or (gave_in and not self.opposing)
                return Act.YIELD if conceded else Act.SUPPORT
            case Position.KEEP:
                return Act.SUPPORT if seat in self.holding else None
            case Position.ANSWERED:
                return None
            case Position.WITHDRAW | Position.DISPUTE | Position.NOT_REAL | Position.NEED_NOT:
                if seat in self.holding:
                    self.holding.discard(seat)
                    return Act.OPPOSE if self.holding else Act.DROP
                self.opposing.add(seat)
                return Act.OPPOSE


def _acts(
    finding: MergedFinding, answers: Sequence[WordingAnswer], authors: set[SeatId]
) -> Iterator[Act]:
    """Yields what was done to the finding, in script order."""
    sides = _Sides(authors)
    events: list[tuple[int, int, Raised | WordingAnswer]] = [(r.at, 0, r) for r in finding.raised]
    events += [(s.at, 1, s) for s in answers if s.answer.to in finding.ids]
    for _, _, event in sorted(events, key=lambda e: e[:2]):
        if isinstance(event, Raised):
            sides.holding.add(event.seat)
            yield Act.RAISE
        elif event.grounded or not _has_to_be_shown(event, sides):
            act = sides.hears(event.seat, event.answer.position)
            if act is not None:
                yield act
    decided = finding.state in (FindingState.RESOLVED, FindingState.DISPUTED)
    if finding.proven or finding.tested or finding.confirmed or decided:
        yield Act.SETTLE


def _has_to_be_shown(given: WordingAnswer, sides: _Sides) -> bool:
    """Return whether the answer changes its seat's mind in an argument over what is contested."""
    match given.answer.position:
        case Position.MUST_FIX:
            return given.seat not in sides.holding
        case Position.NOT_REAL | Position.NEED_NOT:
            return given.seat in sides.holding
        case _:
            return False
