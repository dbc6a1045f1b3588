"""Forks: a new debate that begins with the first events of another and continues under a changed
condition.

No statement is paid for twice: the copied statements are events like any others, and their cost
stays with the debate that paid. The script and the random draw are the parent's. A seat that is
left out keeps its statements so far, since others have read them, and makes no more. The parent's
ending is not inherited: a fork of a debate that stopped early continues from its end, and only new
statements can stop it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from random import Random

from core.debate import events as e
from core.debate.budget.pricing import closing_reserve, estimate_price, foreseen
from core.debate.casting import ModelCandidate, cast
from core.debate.due.argument import BECAUSE
from core.debate.errors import BadInput
from core.debate.ports import Models
from core.debate.prompting.size import material_chars
from core.debate.script import CONTESTED, Script, SeatId, Turn, TurnId
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.usage import Usage

_LASTING = (
    e.TurnStarted,
    e.TurnFinished,
    e.TurnFailed,
    e.TurnSkipped,
    e.TurnsAdded,
    e.ChallengeRaised,
    e.SeatAsked,
    e.RoundMeasured,
)
"""The kinds of event that a fork inherits. Votes, pauses, stops and ends belong to the debate they
happened in.
"""
LEFT_OUT = stored("left out by the fork")
_OPENING = 2
"""The number of events of a debate in which no seat has spoken yet: the request and the opening."""
_Settling = e.TurnFinished | e.TurnFailed | e.TurnSkipped


def fork(
    parent: Debate,
    events: list[e.Event],
    id: str,
    condition: e.Fork,
    request: e.DebateRequest,
    models: Models,
    now: datetime,
) -> tuple[e.DebateRequested, list[e.Event]]:
    """Returns the fork's request and the events that it begins with. Raises ``BadInput`` for an
    unknown position, seat or model.
    """
    opened = parent.opened
    if opened is None:
        raise BadInput("Debate {id} never opened; there is nothing to fork.", id=parent.id)
    seat = _seat(parent, condition.without)
    at = condition.at or _default_position(opened, events, seat)
    if not _OPENING <= at <= len(events):
        raise BadInput(
            "--at is a position from {first} to {last} in the events of {id}, not {at}.",
            first=_OPENING,
            last=len(events),
            id=parent.id,
            at=at,
        )
    at = min(at, ended_at(events))
    condition = replace(condition, at=at, without=seat)
    changed = replace(opened, at=now, terms=_terms(opened.terms, condition))
    if condition.models:
        changed = _recast(changed, condition, models)
    inherited = _inherited(events[_OPENING:at])
    silent = [e.TurnSkipped(t, LEFT_OUT) for t in _silent(opened.script, events, inherited, seat)]
    changed = _priced(changed, [*inherited, *silent], models)
    return e.DebateRequested(id, request, now, condition), [changed, *inherited, *silent]


def settled_in(events: Sequence[e.Event]) -> set[TurnId]:
    """Returns the turns that finished, failed or were skipped."""
    return {x.turn for x in events if isinstance(x, _Settling)}


def _default_position(opened: e.DebateOpened, events: list[e.Event], seat: SeatId) -> int:
    """Returns the position at which a fork begins if nobody chose one.

    With ``without`` it is before that seat first speaks, else after the first round: the openings
    are kept and the rest is debated anew. If nothing is left to debate after them (no seat
    answered, or nothing was contested), it is before them.
    """
    if not any(isinstance(event, e.TurnFinished) for event in events):
        return _OPENING
    contested = opened.script.format == CONTESTED
    turns = _turns(opened.script, events)
    for position, event in enumerate(events):
        if not isinstance(event, e.TurnStarted):
            continue
        turn = turns[event.turn]
        later = not seat and turn.round > 0 and not (contested and turn.closing)
        if turn.seat == seat or later:
            return position
    if contested and not seat:
        return _OPENING
    return len(events)


def _turns(script: Script, events: list[e.Event]) -> dict[TurnId, Turn]:
    added = {t.id: t for x in events if isinstance(x, e.TurnsAdded) for t in x.turns}
    return added | {t.id: t for t in script.turns}


def ended_at(events: list[e.Event]) -> int:
    """Returns how many events a debate had when it was stopped, or has in all. What came after the
    stop (skipped turns, the closing) only followed from it, unless an objection reopened it.
    """
    reopened = [n for n, event in enumerate(events) if isinstance(event, e.DebateReopened)]
    stops = (n for n, event in enumerate(events) if isinstance(event, e.StopOrdered))
    return next((n for n in stops if n > max(reopened, default=-1)), len(events))


def _terms(terms: e.Terms, condition: e.Fork) -> e.Terms:
    """Return the parent's terms with the new condition added to its own.

    The parent has paid for the estimate of a panel's size.
    """
    assume = "\n".join(filter(None, (terms.assume, condition.assume)))
    without = tuple(filter(None, (*terms.without, condition.without)))
    return replace(terms, assume=assume, without=without, anyway=True, assessed=None)


def _recast(opened: e.DebateOpened, condition: e.Fork, models: Models) -> e.DebateOpened:
    replacements = [models.get(name) for name in condition.models]
    voices = [m for m in replacements if not m.demo] or replacements
    seats = cast(
        opened.script, [ModelCandidate(m.name, m.family) for m in voices], Random(opened.seed)
    )
    seats = {seat: names for seat, names in seats.items() if seat not in opened.terms.held}
    return replace(
        opened, cast=seats, terms=replace(opened.terms, demo=any(m.demo for m in voices))
    )


def _inherited(events: list[e.Event]) -> list[e.Event]:
    """Returns the inherited events without their cost. A turn that had begun and not ended by then
    is spoken anew.
    """
    lasting = [event for event in events if isinstance(event, _LASTING)]
    settled = settled_in(lasting)
    inherited: list[e.Event] = []
    for event in lasting:
        if isinstance(event, e.TurnStarted) and event.turn not in settled:
            continue
        if isinstance(event, e.TurnFinished | e.TurnFailed):
            inherited.append(replace(event, usage=Usage()))
        else:
            inherited.append(event)
    return inherited


def _silent(
    script: Script, events: list[e.Event], inherited: list[e.Event], seat: SeatId
) -> list[TurnId]:
    """Returns the turns that are never spoken: those of the seats that this fork or an earlier one
    leaves out.
    """
    settled = settled_in(inherited)
    turns = _turns(script, inherited)
    before = {x.turn for x in events if isinstance(x, e.TurnSkipped) and x.reason == LEFT_OUT}
    gone = [t for t in turns.values() if t.id in before or (seat and t.seat == seat)]
    return [t.id for t in gone if t.id not in settled and not t.closing]


def _priced(opened: e.DebateOpened, inherited: list[e.Event], models: Models) -> e.DebateOpened:
    """Returns the price of the statements still to come, and the last round that is wholly
    inherited.
    """
    settled = settled_in(inherited)
    ahead: Sequence[Turn] = ()
    if not any(isinstance(x, e.TurnsAdded) and x.because == BECAUSE for x in inherited):
        ahead = foreseen(opened.template, opened.script, prove=opened.terms.prove)
    size, price, search = material_chars(opened.material), models.price, opened.terms.search
    cost = estimate_price(
        opened.script,
        opened.cast,
        size,
        price,
        search=search,
        lookups=opened.terms.lookups,
        settled=settled,
        ahead=ahead,
    )
    whole = [
        n
        for n, _ in enumerate(opened.script.rounds)
        if all(t.id in settled for t in opened.script.turns if t.round == n)
    ]
    reserve, last = closing_reserve(opened.script, opened.cast, size, price), max(whole, default=-1)
    terms = replace(opened.terms, estimate=cost.likely, reserve=reserve, inherited=last)
    return replace(opened, terms=terms)


def _seat(parent: Debate, name: str) -> SeatId:
    """Returns the seat of that name, "" for no name. Raises ``BadInput``."""
    if not name:
        return SeatId("")
    script = parent.open.script
    debaters = [s for s in script.seats if s.argues]
    wanted = name.lower().replace(" ", "_")
    for seat in debaters:
        labels = (script.alias(seat.id), script.label(seat.id).replace(" ", "_"))
        if wanted in {word.lower() for word in (seat.id, seat.role, *labels)}:
            return seat.id
    names = ", ".join(s.id for s in debaters)
    raise BadInput(
        "No debater is called {name}. At the table: {names}.", name=repr(name), names=names
    )
