"""Guards of optional turns: a script names one in ``Turn.when``, and it decides once everything
that the turn reads is settled.

A guard reads typed replies only. Without a readable answer the turn takes place, so that a missing
field never silences a seat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from core.debate.replies import ArgumentType, Position
from core.debate.replies.tasks import ARGUING
from core.debate.script import ARGUED, LEFT_TO_CODE, MOVED, SeatId, Topic, Turn
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.votes import final_votes

_Guard = Callable[[Turn, Debate], bool]
_SETTLED = frozenset({Position.AGREE, Position.CONCEDE, Position.WITHDRAW})


FOLLOWS: Mapping[ArgumentType | None, frozenset[ArgumentType]] = {
    None: frozenset({ArgumentType.PROPOSAL}),
    ArgumentType.PROPOSAL: frozenset({ArgumentType.CHALLENGE}),
    ArgumentType.CHALLENGE: frozenset({ArgumentType.DEFENSE}),
    ArgumentType.DEFENSE: frozenset({ArgumentType.COUNTER, ArgumentType.RESOLUTION}),
    ArgumentType.COUNTER: frozenset({ArgumentType.RESOLUTION}),
    ArgumentType.RESOLUTION: frozenset({ArgumentType.CHALLENGE}),
}


def may_follow(
    previous: Sequence[tuple[ArgumentType, SeatId]], type: ArgumentType, seat: SeatId
) -> bool:
    """True if an argument of this type by this seat may follow ``previous`` (oldest first)."""
    last, speaker = previous[-1] if previous else (None, None)
    return type in FOLLOWS[last] and speaker != seat


def _called_on(turn: Turn, debate: Debate) -> bool:
    """True if the last moderator statement that this turn reads calls on its seat (by blind label,
    seat or role); it passes also if the moderator named nobody who exists.
    """
    script = debate.script
    seats = {t.seat for t in script if t.when == turn.when and turn.round == t.round}
    steers = [s for t, s in debate.read_by(turn) if t.task == "steer"]
    names = {n.strip().lower() for n in steers[-1].called} if steers else set()
    called = {
        s
        for s in seats
        if names & {s.lower(), script.alias(s).lower(), script.seat(s).role.lower()}
    }
    return turn.seat in called or not called


def _not_resolved(turn: Turn, debate: Debate) -> bool:
    """True if the attack of this turn's category is still open: it was made, and the other side's
    last answer neither concedes it nor takes all of it back.

    An attack whose answer failed stays closed: there is no answer to press.
    """
    exchange = [(t, s) for t, s in debate.read_by(turn) if t.about == turn.about]
    attacks = [s for t, s in exchange if t.task == "attack"]
    if not any(s.findings or s.claims for s in attacks):
        return False
    read = [debate.script.turn(r) for r in turn.reads]
    last = [t for t in read if t.about == turn.about][-1]
    answer = debate.statement(last.id)
    if answer is None or last.seat == turn.seat:
        return False
    return not answer.answers or any(a.position not in _SETTLED for a in answer.answers)


def _in_sequence(turn: Turn, debate: Debate) -> bool:
    arguments = [(s.argument.type, t.seat) for t, s in debate.read_by(turn) if s.argument]
    return may_follow(arguments, ArgumentType(turn.about_the(Topic.ARGUMENT)), turn.seat)


def _argued(turn: Turn, debate: Debate) -> bool:
    """True if a seat argued in this turn's round, so that there is something to measure."""
    return any(t.round == turn.round and s.argument is not None for t, s in debate.read_by(turn))


def _debated(turn: Turn, debate: Debate) -> bool:
    """True if a seat spoke after the openings, so that there is a debate to close."""
    return any(not t.independent for t, _ in debate.read_by(turn))


def _contested(turn: Turn, debate: Debate) -> bool:
    return any(t.task in ARGUING for t in debate.turns if t.id in turn.reads)


def _moved(turn: Turn, debate: Debate) -> bool:
    """Return whether the answers to an objection changed a seat's position, so that what closed the
    debate is written again. A judge that grades how attacks were answered does so again in any
    case.
    """
    answered = {id for id in turn.reads if debate.script.turn(id).after_verdict}
    answered = {id for id in answered if id.split(".")[0] == turn.id.split(".")[0]}
    if debate.script.format == "gauntlet":
        return not answered.isdisjoint(debate.finished)
    before = {id: s for id, s in debate.finished.items() if id not in answered}
    return _held(replace(debate, finished=before)) != _held(debate)


def _held(debate: Debate) -> object:
    points = [(m.id, m.state, m.point, m.wording.severity) for m in merge_findings(debate)]
    return points, final_votes(debate)


def _never(turn: Turn, debate: Debate) -> bool:
    """Refuses a turn of a format that is no longer played, and a turn that code replaces."""
    return False


_GUARDS: Final[Mapping[str, tuple[_Guard, str]]] = {
    "called_on": (_called_on, stored("the moderator did not call on it")),
    "not_resolved": (_not_resolved, stored("the attack was settled")),
    "in_sequence": (
        _in_sequence,
        stored("the argument that it would follow was never made"),
    ),
    "argued": (_argued, stored("nothing was argued in this round")),
    "debated": (_debated, stored("nothing came after the openings")),
    ARGUED: (_contested, stored("the openings contest nothing")),
    MOVED: (_moved, stored("the objection moved nobody")),
    "asked_to_uphold": (_never, stored("nothing that it holds was refuted")),
    "would_block": (_never, stored("nothing blocks")),
    "unmended": (_never, stored("the required fixes are listed already")),
    LEFT_TO_CODE: (_never, stored("code writes the report of a demonstration")),
}
"""Each guard, and the sentence for a turn that it refused."""
GUARDS: Final = {name: guard for name, (guard, _) in _GUARDS.items()}


def why_skipped(reason: str) -> str:
    """Puts the reason for a skipped turn into words."""
    return _GUARDS[reason][1] if reason in _GUARDS else reason
