"""Guards of optional turns: named in the script (``Turn.when``), asked once everything that the
turn reads is settled.

A guard reads typed replies only. What a model left unsaid never silences anybody: without a
readable answer the turn takes place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from core.debate import Debate
from core.due.examination import at_issue
from core.errors import Refused
from core.formats.adversarial import validate_sequence
from core.formats.demonstration import LEFT_TO_CODE
from core.replies import ArgumentType, Position
from core.script import Topic, Turn

_Guard = Callable[[Turn, Debate], bool]
_SETTLED = frozenset({Position.AGREE, Position.CONCEDE, Position.WITHDRAW})


def _called_on(turn: Turn, debate: Debate) -> bool:
    """The moderator's last word that this turn reads calls on its seat (by blind label, seat or
    role), or calls on nobody it could mean.
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
    """The attack of this turn's category was made, and the last word of the other side neither
    concedes nor takes back all of it.

    An attack that nobody answered (the turn failed) stands as it is: there is nothing to press.
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
    """The typed argument of this turn may follow what was really argued so far."""
    said = [(s.argument.type, t.seat) for t, s in debate.read_by(turn) if s.argument]
    try:
        validate_sequence(said, ArgumentType(turn.about_the(Topic.ARGUMENT)), turn.seat)
    except Refused:
        return False
    return True


def _argued(turn: Turn, debate: Debate) -> bool:
    """Somebody argued in the round of this turn: there is something to measure."""
    return any(t.round == turn.round and s.argument is not None for t, s in debate.read_by(turn))


def _debated(turn: Turn, debate: Debate) -> bool:
    """True when a seat spoke after the openings, so that there is a debate to close."""
    return any(not t.independent for t, _ in debate.read_by(turn))


def _at_issue(turn: Turn, debate: Debate) -> bool:
    """There is a finding that the turn is to answer or mend."""
    return bool(at_issue(debate, turn))


def _left_to_code(turn: Turn, debate: Debate) -> bool:
    """A demonstration's report is written by code."""
    return False


GUARDS: Final[Mapping[str, _Guard]] = {
    "called_on": _called_on,
    "not_resolved": _not_resolved,
    "in_sequence": _in_sequence,
    "argued": _argued,
    "debated": _debated,
    "asked_to_uphold": _at_issue,
    "would_block": _at_issue,
    "unmended": _at_issue,
    LEFT_TO_CODE: _left_to_code,
}
_WHY: Final[Mapping[str, str]] = {
    "called_on": "the moderator did not call on it",
    "not_resolved": "the attack was settled",
    "in_sequence": "the argument that it would follow was never made",
    "argued": "nothing was argued in this round",
    "debated": "nothing was said after the openings",
    "asked_to_uphold": "nothing that it holds was refuted",
    "would_block": "nothing blocks",
    "unmended": "what must be fixed is said already",
    LEFT_TO_CODE: "code writes the report of a demonstration",
}
"""Why a turn was not taken, by the guard that said no."""


def why_skipped(reason: str) -> str:
    """The reason of a skipped turn as people read it."""
    return _WHY.get(reason, reason)
