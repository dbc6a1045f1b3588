"""Lists how stances changed during the debate and what changed them; a change that names no
existing reason is called conformity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.debate.replies import Statement
from core.debate.script import SeatId, Turn, TurnId
from core.debate.state import Debate, once
from core.debate.verdict.votes import NONE, find_option

_ID = re.compile(r"[\w.:\-]+")


@dataclass(frozen=True, slots=True)
class StanceMove:
    """One change of a stance; ``by`` is the id of the point that moved the seat: an earlier
    one of another that it names, or a finding on which it quotes a line; else empty.
    """

    seat: SeatId
    turn: TurnId
    round: int
    before: str
    after: str
    by: str
    because: str = ""

    @property
    def conformity(self) -> bool:
        return not self.by


@once
def moves(debate: Debate) -> tuple[StanceMove, ...]:
    """Returns every change of an entitled seat's stance, in script order."""
    ballot = debate.open.template.ballot
    held: dict[SeatId, str] = {}
    made: list[StanceMove] = []
    for turn, statement in debate.statements(debate.voters):
        if statement.stance is None:
            continue
        option = find_option(statement.stance.option, ballot) or NONE
        before = held.get(turn.seat, option)
        if before != option:
            by = _named(debate, turn, statement.stance.moved_by) or _shown(statement)
            made.append(
                StanceMove(
                    turn.seat, turn.id, turn.round, before, option, by, statement.stance.because
                )
            )
        held[turn.seat] = option
    return tuple(made)


def conformists(debate: Debate) -> frozenset[SeatId]:
    """Returns the seats whose last change of stance named no reason."""
    last = {m.seat: m for m in moves(debate)}
    return frozenset(seat for seat, move in last.items() if move.conformity)


def _named(debate: Debate, turn: Turn, moved_by: str) -> str:
    """Returns the first id in ``moved_by`` that stands for another's point made before ``turn``."""
    known = _known(debate, turn)
    ids = (id.strip(".:-") for id in _ID.findall(moved_by))
    return next((id for id in ids if id in known), "")


def _shown(statement: Statement) -> str:
    """Returns the first finding for whose position the seat quotes a line that code found."""
    return next((answer.to for answer in statement.answers if answer.checked), "")


def _known(debate: Debate, turn: Turn) -> set[str]:
    """Returns the ids that ``turn`` can have read: statements, claims and findings of other seats
    that it reads, and people's challenges.
    """
    known = {c.id for c in debate.challenges}
    known |= {f"code.f{n}" for n, _ in enumerate(debate.open.material.proven, 1)}
    known |= {report.id for report in debate.open.material.scanned}
    for other, statement in debate.read_by(turn):
        if other.seat != turn.seat:
            known |= {other.id, *statement.point_ids}
    return known
