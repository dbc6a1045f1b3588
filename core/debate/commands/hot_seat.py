"""The hot seat that people ask for: a seat answers the questions of the seats that disagree with
one of its statements.

It costs calls, so it needs the person who started the debate, or two others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.debate import commands as c
from core.debate import events as e
from core.debate.errors import Refused
from core.debate.replies import Position
from core.debate.script import MAX_TURNS, About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict.condition import at_the_table
from core.debate.verdict.findings import merge_findings

PEOPLE = 2
"""The number of people who must ask for a hot seat when none of them started the debate."""
_MOST = 4
"""The most hot seats of one debate: each is up to three turns."""
_MOST_ASKING = 2


def ask_seat(debate: Debate, command: c.AskSeat) -> tuple[e.Event, ...]:
    """Returns the events of a person's request; none if they asked before or the seat owes an
    answer already.

    Raises ``Refused`` if no seat is left to answer or none disagrees.
    """
    if debate.opened is None:
        raise Refused("The debate has not opened yet; nobody has said anything.")
    subject, seat = _meant(debate, command.subject)
    before = [request for request in debate.seat_requests if request.subject == subject]
    seated = {t.about_the(Topic.HOT_SEAT) for t in debate.turns} - {""}
    if subject in seated or any(request.by == command.by for request in before):
        return ()
    later = debate.readers
    if debate.over or debate.stop is not None or not later:
        raise Refused("No questions are put after the end. Object in your own words: challenge it.")
    if len(seated) >= _MOST or len(debate.turns) + _MOST_ASKING >= MAX_TURNS:
        raise Refused("This debate had its {count} hot seats already.", count=len(seated))
    asking = tuple(_against(debate, subject, seat))[:_MOST_ASKING]
    if not asking:
        raise Refused(
            "Nobody at the table disagrees with that, so nobody would ask. Challenge it in your "
            "own words."
        )
    known = list(dict.fromkeys(request.id for request in debate.seat_requests))
    id = before[0].id if before else f"q{len(known) + 1}"
    own = command.own or command.by == debate.request.asker
    request = e.SeatAsked(id, command.by, subject, seat, own, command.source)
    if not is_enough([*before, request]):
        return (request,)
    turns = tuple(_turns(debate, request, asking, later[0]))
    return (request, e.TurnsAdded(turns, tuple(t.id for t in later), id))


def is_enough(requests: Collection[e.SeatAsked]) -> bool:
    """True if enough people asked for the same: two, or one who needs no second."""
    return any(one.own for one in requests) or len({one.by for one in requests}) >= PEOPLE


def _turns(
    debate: Debate, request: e.SeatAsked, asking: tuple[SeatId, ...], first: Turn
) -> Iterator[Turn]:
    read = debate.known_before(first)
    about = About(Topic.HOT_SEAT, request.subject)
    questions = [
        Turn(TurnId(f"{request.id}.{n}"), seat, "cross", read, first.round, about=about)
        for n, seat in enumerate(asking, 1)
    ]
    yield from questions
    answered = (*read, *(t.id for t in questions))
    last = TurnId(f"{request.id}.{len(questions) + 1}")
    yield Turn(last, request.seat, "stand", answered, first.round, about=about)


def _meant(debate: Debate, subject: str) -> tuple[str, SeatId]:
    """Returns a statement or a finding by its own id, or a seat's last statement by the seat's
    name, and the seat that must answer for it.
    """
    seats = set(at_the_table(debate))
    for turn, _ in debate.statements(seats):
        if turn.id == subject:
            return subject, turn.seat
    for finding in merge_findings(debate):
        if subject in finding.ids:
            holder = next(
                (r.seat for r in finding.raised if r.seat in seats & set(finding.by)), None
            )
            if holder is None:
                raise Refused("No seat at the table holds that finding now.")
            return finding.id, holder
    named = debate.open.script.seats_by_name.get(
        subject.lower().removeprefix("@").removeprefix("the ")
    )
    if named in seats:
        spoken = [turn.id for turn, _ in debate.statements((named,))]
        if not spoken:
            raise Refused("That seat has not spoken yet.")
        return spoken[-1], named
    raise Refused(
        "There is neither a finding nor a seat called {subject}: name the number of a finding, or "
        "a seat: {seats}.",
        subject=repr(subject),
        seats=", ".join(at_the_table(debate)),
    )


def _against(debate: Debate, subject: str, seat: SeatId) -> Iterator[SeatId]:
    """Returns the seats that disagree, first those that disputed this very statement or finding."""
    findings = [finding for finding in merge_findings(debate) if subject in finding.ids]
    about = {id for finding in findings for id in finding.ids}
    about |= {subject}
    target = debate.statement(subject)
    about |= set(target.point_ids) if target is not None else set()
    present = [s for s in debate.present if s != seat and s in at_the_table(debate)]
    disputing = {
        turn.seat
        for turn, statement in debate.statements(present)
        for answer in statement.answers
        if answer.to in about and answer.position in (Position.DISPUTE, Position.NOT_REAL)
    }
    stances = debate.stances()
    mine = stances.get(seat)
    apart = {
        other
        for other in present
        if mine and other in stances and stances[other][1].option != mine[1].option
    }
    if findings:
        apart = set(present) - {s for finding in findings for s in (*finding.by, *finding.raisers)}
    yield from (s for s in present if s in disputing)
    yield from (s for s in present if s in apart - disputing)
