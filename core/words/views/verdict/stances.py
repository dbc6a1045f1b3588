"""Describes where the seats stood from round to round, and what moved them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.debate.replies import Statement
from core.debate.script import SeatId, Turn
from core.debate.state import Debate
from core.debate.verdict.delta import moves
from core.debate.verdict.votes import NONE
from core.languages import msgid, percent, say
from core.words.views.language.grammar import NO_STANCE, option_words
from core.words.views.language.references import called
from core.words.views.language.seats import seat_name

NO_REASON = msgid("no reason named")
NOBODY_MOVED = msgid("no seat changed its vote")

Standing = tuple[str, float]
"""The option that a seat holds and its confidence in [0, 1]."""


@dataclass(frozen=True, slots=True)
class MoveView:
    """One change of a stance. ``by`` names the point that moved the seat in words, ``moved_by`` by
    its id; both are empty if the seat gave no reason. ``round`` counts from 1.
    """

    seat: SeatId
    who: str
    before: str
    after: str
    round: int
    by: str
    moved_by: str
    because: str

    @property
    def change(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def reason(self) -> str:
        return f"“{self.by}”" if self.by else say(NO_REASON)


def stance_words(standing: Standing | None) -> str:
    """Writes a stance: "approve, 80% sure"; or that the seat holds none."""
    if standing is None or standing[0] == NONE:
        return say(NO_STANCE)
    return say(
        "{standing}, {standing2} sure",
        standing=option_words(standing[0]),
        standing2=percent(standing[1]),
    )


def standing_words(debate: Debate, turn: Turn, statement: Statement) -> str:
    """Describes the ruling or stance of a statement and, where the seat moved, its earlier stance
    and what moved it; empty if the statement takes none.
    """
    if statement.ruling:
        return say("rules {ruling}", ruling=option_words(statement.ruling))
    stance = statement.stance
    if stance is None:
        return ""
    words = stance_words((stance.option, stance.confidence))
    before = _before(debate, turn)
    if before and before != stance.option:
        words += say(" · was: {before}", before=option_words(before))
        move = next((m for m in moves(debate) if m.turn == turn.id), None)
        if move is not None and move.by:
            words += say(", moved by “{called}”", called=called(debate, move.by)[0])
    return words


def stays(debate: Debate, turn: Turn, statement: Statement) -> bool:
    """True if the seat kept the option that it held before this turn."""
    return statement.stance is not None and statement.stance.option == _before(debate, turn)


def _before(debate: Debate, turn: Turn) -> str:
    """Returns the option that the seat held before this turn."""
    option = ""
    for earlier, statement in debate.statements((turn.seat,)):
        if earlier.id == turn.id:
            break
        if statement.stance is not None:
            option = statement.stance.option
    return option


def move_views(debate: Debate) -> tuple[MoveView, ...]:
    """Returns every change of a stance, in the order of the script."""
    return tuple(
        MoveView(
            m.seat,
            seat_name(debate, m.seat),
            option_words(m.before),
            option_words(m.after),
            m.round + 1,
            called(debate, m.by)[0] if m.by else "",
            m.by,
            m.because,
        )
        for m in moves(debate)
    )


def stances_by_round(debate: Debate) -> tuple[tuple[str, Mapping[SeatId, Standing]], ...]:
    """Returns each round in which a voter took a stance, by its title, with all stances after
    it.
    """
    positions: dict[SeatId, Standing] = {}
    rounds: dict[int, Mapping[SeatId, Standing]] = {}
    for turn, statement in debate.statements(debate.voters):
        if statement.stance is not None:
            positions[turn.seat] = (statement.stance.option, statement.stance.confidence)
            rounds[turn.round] = dict(positions)
    return tuple(
        (say("Round {number}", number=number + 1), rounds[number]) for number in sorted(rounds)
    )
