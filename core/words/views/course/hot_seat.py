"""Describes the hot seat: who wants which seat to answer for a statement, and whether one more
person is needed.
"""

from __future__ import annotations

from core.debate.commands.hot_seat import is_enough
from core.debate.events import SeatAsked
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import capital, listed, quoted, shortened
from core.words.views.language.people import person_name
from core.words.views.language.references import called, spelled_out
from core.words.views.language.seats import the_seat

HOT_SEAT, HOT_SEATS = msgid("Hot seat"), msgid("Hot seats")
ASK_SEAT = msgid("Ask it to defend this")
ASKED_ALREADY = msgid("You asked for that already, or it is in the hot seat.")
ONE_MORE = msgid("One more person who asks for it puts it in the hot seat.")
_SEATED = msgid("Those who disagree ask it first.")


def asked_title(debate: Debate, request: SeatAsked) -> str:
    """Names the person who makes the request, the seat, and the statement to defend."""
    return say("{by} wants {who}", by=person_name(request.by), who=_who(debate, request))


def asked_next(debate: Debate, request: SeatAsked) -> str:
    """Describes the next step, or how many people are still needed."""
    same = [one for one in debate.seat_requests if one.id == request.id]
    return say(_SEATED if is_enough([*same, request]) else ONE_MORE)


def taken_words(debate: Debate, request: SeatAsked, *, seated: bool) -> str:
    """Tells the person who asked what happens."""
    if seated:
        return say(
            "Taken. {the_seat} goes into the hot seat. {seated}",
            the_seat=capital(the_seat(debate, request.seat)),
            seated=say(_SEATED),
        )
    return say("Noted. {one_more}", one_more=say(ONE_MORE))


def seat_occasion(debate: Debate, turn: Turn) -> str:
    """Describes the subject of a question or an answer in the hot seat; "" for other turns."""
    subject = turn.about_the(Topic.HOT_SEAT)
    if not subject:
        return ""
    about, _ = called(debate, subject)
    if subject not in debate.finished:
        about = quoted(about)
    if turn.task == "cross":
        return say("{hot_seat}: a question on {about}", hot_seat=say(HOT_SEAT), about=about)
    return say("{hot_seat}: the answer on {about}", hot_seat=say(HOT_SEAT), about=about)


def seat_lines(debate: Debate) -> list[str]:
    """Describes for the report each hot seat: its subject, who wanted it, the questions and the
    answer.
    """
    return [
        _line(debate, id) for id in dict.fromkeys(request.id for request in debate.seat_requests)
    ]


def _line(debate: Debate, id: str) -> str:
    same = [request for request in debate.seat_requests if request.id == id]
    about = say("its statement")
    if same[0].subject not in debate.finished:
        about = quoted(called(debate, same[0].subject)[0])
    people = listed([person_name(request.by) for request in same])
    text = say(
        "{the_seat} on {about}, wanted by {people}: ",
        the_seat=capital(the_seat(debate, same[0].seat)),
        about=about,
        people=people,
    )
    mine = {t.id: t for t in debate.turns if t.about_the(Topic.HOT_SEAT) == same[0].subject}
    finished = [(turn, debate.finished[id]) for id, turn in mine.items() if id in debate.finished]
    if not mine:
        return say("{words}too few wanted it", words=text)
    asking = listed([the_seat(debate, t.seat) for t, _ in finished if t.task == "cross"])
    answer = next((words.text for t, words in finished if t.task == "stand"), "")
    text += say_if(asking, msgid("asked by {asking}; "), asking=asking)
    return text + (shortened(spelled_out(debate, answer), 300) or say("no answer"))


def _who(debate: Debate, request: SeatAsked) -> str:
    seat = the_seat(debate, request.seat)
    if request.subject in debate.finished:
        return say("{seat} to defend its statement in the hot seat", seat=seat)
    return say(
        "{seat} to defend “{called}” in the hot seat",
        seat=seat,
        called=called(debate, request.subject)[0],
    )
