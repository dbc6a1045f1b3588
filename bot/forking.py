"""Time travel: a new debate that begins with the first events of another and goes on under a changed condition.

Nothing that was said is paid again: the copied statements are events like any others. A seat that is left out keeps what it had said by
then, since others have read it, and says nothing more.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from random import Random

from core import events as e
from core.casting import Candidate, cast
from core.debate import Debate
from core.errors import BadInput
from core.ports import Models
from core.script import Duty, SeatId

LASTING = (e.TurnStarted, e.TurnFinished, e.TurnFailed, e.TurnSkipped, e.TurnsAdded, e.ChallengeRaised, e.RoundMeasured)
"""What a fork inherits. Votes, pauses, stops and ends belong to the debate they happened in."""


def fork(
    parent: Debate,
    events: list[e.Event],
    id: str,
    condition: e.Fork,
    request: e.Request,
    models: Models,
    now: datetime,
) -> tuple[e.DebateRequested, list[e.Event]]:
    """The request of the fork and what has happened in it already.

    Raises ``BadInput`` for a position or a seat that the parent does not have.
    """
    opened = parent.opened
    if opened is None:
        raise BadInput(f"Debate {parent.id} never opened; there is nothing to fork.")
    seat = _seat(parent, condition.without) if condition.without else SeatId("")
    at = condition.at or default_position(events, seat)
    if not 2 <= at <= len(events):
        raise BadInput(f"--at is a position from 2 to {len(events)} in the events of {parent.id}, not {at}.")
    condition = replace(condition, at=at, without=seat)
    terms = replace(opened.terms, assume=condition.assume or opened.terms.assume, converge=opened.terms.converge)
    changed = replace(opened, terms=terms, at=now)
    if condition.models:
        found = [models.get(name) for name in condition.models]
        seats = cast(opened.script, [Candidate(m.name, m.family) for m in found], Random(opened.seed))
        changed = replace(changed, cast=seats, terms=replace(terms, demo=any(m.demo for m in found)))
    kept = [event for event in events[2:at] if isinstance(event, LASTING)]
    settled = {x.turn for x in kept if isinstance(x, e.TurnFinished | e.TurnFailed | e.TurnSkipped)}
    turns = {t.id: t for x in kept if isinstance(x, e.TurnsAdded) for t in x.turns} | {t.id: t for t in opened.script.turns}
    kept = [x for x in kept if not (isinstance(x, e.TurnStarted) and x.turn not in settled)]
    gone = [t for t in turns.values() if seat and t.seat == seat and t.id not in settled and not t.closing]
    silent = [e.TurnSkipped(t.id, "left out by the fork") for t in gone]
    return e.DebateRequested(id, request, now, condition), [changed, *kept, *silent]


def default_position(events: list[e.Event], seat: SeatId) -> int:
    """Before the seat first speaks, or else after the first round: the openings are kept, the debate is had again."""
    opened = next(x for x in events if isinstance(x, e.DebateOpened))
    rounds = {t.id: t.round for t in opened.script.turns}
    seats = {t.id: t.seat for t in opened.script.turns}
    for position, event in enumerate(events):
        if not isinstance(event, e.TurnStarted):
            continue
        later = not seat and rounds.get(event.turn, 0) > 0
        if later or (seat and seats.get(event.turn) == seat):
            return position
    return len(events)


def _seat(parent: Debate, name: str) -> SeatId:
    script = parent.open.script
    debaters = [s for s in script.seats if s.duty is Duty.DEBATER]
    wanted = name.lower().replace(" ", "_")
    for seat in debaters:
        if wanted in (seat.id.lower(), seat.role.lower(), script.alias(seat.id).lower()):
            return seat.id
    names = ", ".join(s.id for s in debaters)
    raise BadInput(f"No debater is called {name!r}. At the table: {names}.")
