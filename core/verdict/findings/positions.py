"""Computes which seats hold a finding and which dispute it: each seat's last answer on any of its
wordings counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from core.debate import Debate
from core.replies import Answer, Finding, Position
from core.script import SeatId


@dataclass(frozen=True, slots=True)
class Raised:
    """One seat's own wording of a finding. ``at`` is the index of its turn in the script, -1 before
    the first turn.
    """

    seat: SeatId
    finding: Finding
    at: int = -1


@dataclass(frozen=True, slots=True)
class Positions:
    """The seats' positions on a finding: ``by`` hold it, ``disputed_by`` dispute it, ``reasons``
    are the seats' last answers, ``dropped`` the wordings that their own seat took back.
    """

    by: tuple[SeatId, ...]
    disputed_by: tuple[SeatId, ...]
    reasons: Mapping[SeatId, Answer] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WordingAnswer:
    """A seat's answer to one wording, at an index of the script."""

    at: int
    seat: SeatId
    answer: Answer


def answers(debate: Debate) -> dict[str, list[WordingAnswer]]:
    """Returns the entitled seats' answers to each id, in script order."""
    place = {turn.id: at for at, turn in enumerate(debate.turns)}
    given: dict[str, list[WordingAnswer]] = {}
    for turn, statement in debate.statements(debate.voters):
        for answer in statement.answers:
            given.setdefault(answer.to, []).append(WordingAnswer(place[turn.id], turn.seat, answer))
    return given


def positions(raised: Sequence[Raised], given: Mapping[str, Sequence[WordingAnswer]]) -> Positions:
    """Returns the seats' positions on the finding that has the wordings ``raised``.

    A seat's position is its last one, by turn, on any wording. Within one turn raising the finding
    (again) counts before any answer, the answer to its own wording before one to another's, and
    holding before letting go: the order of a reply's answers says nothing.
    """
    own = {r.finding.id: r.seat for r in raised}
    acts = [_Act(r.at, _RAISED, r.seat, True) for r in raised]
    acts += [_act(own, word) for id in own for word in given.get(id, ())]
    last: dict[SeatId, _Act] = {}
    dropped: dict[str, bool] = {}
    reasons: dict[SeatId, Answer] = {}
    for act in sorted(acts, key=lambda a: (a.at, a.weight)):
        if act.holds is not None:
            last[act.seat] = act
        if act.answer is not None:
            reasons.pop(act.seat, None)  # the order of seats is that of their last answers
            reasons[act.seat] = act.answer
            if act.holds is not None and own[act.answer.to] == act.seat:
                dropped[act.answer.to] = not act.holds
    return Positions(
        tuple(s for s in dict.fromkeys(a.seat for a in acts) if s in last and last[s].holds),
        tuple(s for s, a in reasons.items() if s in last and last[s].disputes),
        reasons,
        frozenset(id for id, gone in dropped.items() if gone),
    )


_RAISED = 4


@dataclass(frozen=True, slots=True)
class _Act:
    """One seat's act on the finding in one turn; ``holds`` is None where it took no position."""

    at: int
    weight: int
    seat: SeatId
    holds: bool | None
    answer: Answer | None = None

    @property
    def disputes(self) -> bool:
        return self.answer is not None and self.answer.position is Position.DISPUTE


def _act(own: Mapping[str, SeatId], word: WordingAnswer) -> _Act:
    mine = own[word.answer.to] == word.seat
    match word.answer.position:
        case Position.AGREE | Position.CONCEDE:
            holds: bool | None = True
        case Position.KEEP:  # of another's finding it says nothing
            holds = True if mine else None
        case Position.WITHDRAW | Position.DISPUTE:
            holds = False
        case Position.ANSWERED:
            holds = None
        case _:
            assert_never(word.answer.position)
    weight = -1
    if holds is not None:
        weight = 2 * mine + holds
    return _Act(word.at, weight, word.seat, holds, word.answer)
