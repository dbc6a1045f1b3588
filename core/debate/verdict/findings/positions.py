"""Computes the seats' positions on a finding: each seat's last answer on any of its wordings
counts.

In the argument over a contested finding, a seat that changes its mind has to show why: a position
that would move it towards blocking, or away from it, counts only if the seat quoted a line that
code found, or looked something up. Otherwise its earlier position counts, and the answer is listed
in ``unshown``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from core.debate.finding import Finding
from core.debate.replies import Answer, Position
from core.debate.script import SeatId
from core.debate.state import Debate

GONE = frozenset({Position.DISPUTE, Position.WITHDRAW, Position.ANSWERED, Position.NOT_REAL})
"""The positions by which a seat says that a defect is not there, or not any more."""


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
    """The seats' positions on a finding: ``by`` hold it, ``fix_by`` among them want it fixed before
    the change is accepted, ``disputed_by`` hold that it is not real. ``reasons`` are the seats'
    last answers, ``dropped`` the wordings that their own seat took back, ``unshown`` the seats
    whose last change of mind has no evidence.
    """

    by: tuple[SeatId, ...]
    disputed_by: tuple[SeatId, ...]
    fix_by: tuple[SeatId, ...]
    reasons: Mapping[SeatId, Answer]
    dropped: frozenset[str]
    unshown: frozenset[SeatId]


@dataclass(frozen=True, slots=True)
class WordingAnswer:
    """A seat's answer to one wording, at an index of the script; ``looked_up`` is true if the seat
    looked something up for it.
    """

    at: int
    seat: SeatId
    answer: Answer
    looked_up: bool

    @property
    def grounded(self) -> bool:
        """True if it is based on a line that code found, or on a look-up."""
        return self.answer.checked or self.looked_up


def answers(debate: Debate) -> dict[str, list[WordingAnswer]]:
    """Returns the entitled seats' answers to each id, in script order."""
    place = {turn.id: at for at, turn in enumerate(debate.turns)}
    given: dict[str, list[WordingAnswer]] = {}
    for turn, statement in debate.statements(debate.voters):
        for answer in statement.answers:
            word = WordingAnswer(place[turn.id], turn.seat, answer, statement.looked_up)
            given.setdefault(answer.to, []).append(word)
    return given


def positions(raised: Sequence[Raised], given: Mapping[str, Sequence[WordingAnswer]]) -> Positions:
    """Returns the seats' positions on the finding that has the wordings ``raised``.

    A seat's position is its last one, by turn, on any wording. Within one turn raising the finding
    (again) counts before any answer, the answer to its own wording before one to another's, and
    holding before letting go: the order of a reply's answers says nothing.
    """
    own = {r.finding.id: r for r in raised}
    acts = [_Act(r.at, _RAISED, r.seat, True, r.finding.asks_to_block) for r in raised]
    acts += [_act(own, word) for id in own for word in given.get(id, ())]
    last: dict[SeatId, _Act] = {}
    dropped: dict[str, bool] = {}
    reasons: dict[SeatId, Answer] = {}
    unshown: set[SeatId] = set()
    for act in sorted(acts, key=lambda a: (a.at, a.weight, a.blocks)):
        if act.answer is not None:
            reasons.pop(act.seat, None)  # the order of seats is that of their last answers
            reasons[act.seat] = act.answer
        if act.holds is None:
            continue
        if act.needs_showing(last.get(act.seat)):
            unshown.add(act.seat)
            continue
        unshown.discard(act.seat)
        last[act.seat] = act
        if act.answer is not None and own[act.answer.to].seat == act.seat:
            dropped[act.answer.to] = not act.holds
    holding = [s for s in dict.fromkeys(a.seat for a in acts) if s in last and last[s].holds]
    return Positions(
        tuple(holding),
        tuple(s for s in reasons if s in last and last[s].disputes),
        tuple(s for s in holding if last[s].blocks),
        reasons,
        frozenset(id for id, gone in dropped.items() if gone),
        frozenset(unshown),
    )


_RAISED = 4


@dataclass(frozen=True, slots=True)
class _Act:
    """One seat's act on the finding in one turn; ``holds`` is None if it took no position,
    ``blocks`` is true if it wants the finding fixed first. ``grounded`` is None if the act needs no
    evidence.
    """

    at: int
    weight: int
    seat: SeatId
    holds: bool | None
    blocks: bool = False
    answer: Answer | None = None
    grounded: bool | None = None

    @property
    def disputes(self) -> bool:
        """True if it disputes that the finding is real."""
        against = (Position.DISPUTE, Position.NOT_REAL)
        return self.answer is not None and self.answer.position in against

    def needs_showing(self, before: _Act | None) -> bool:
        """Return whether it changes what its seat held about blocking, and has no evidence."""
        return self.grounded is False and self.blocks is not (before is not None and before.blocks)


def _act(own: Mapping[str, Raised], word: WordingAnswer) -> _Act:
    wording = own[word.answer.to]
    mine = wording.seat == word.seat
    blocks, grounded = wording.finding.asks_to_block, None
    match word.answer.position:
        case Position.AGREE | Position.CONCEDE:
            holds: bool | None = True
        case Position.KEEP:  # of another's finding it says nothing
            holds = True if mine else None
        case Position.WITHDRAW | Position.DISPUTE:
            holds, blocks = False, False
        case Position.MUST_FIX:
            holds, blocks, grounded = True, True, word.grounded
        case Position.NEED_NOT:
            holds, blocks, grounded = True, False, word.grounded
        case Position.NOT_REAL:
            holds, blocks, grounded = False, False, word.grounded
        case Position.ANSWERED:
            holds = None
        case _:
            assert_never(word.answer.position)
    weight = -1
    if holds is not None:
        weight = 2 * mine + holds
    return _Act(word.at, weight, word.seat, holds, blocks, word.answer, grounded)
