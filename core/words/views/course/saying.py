"""Announces the latest event in a sentence, for people who hear a page instead of seeing it."""

from __future__ import annotations

from collections.abc import Sequence

from core.debate import events as e
from core.debate.state import Debate
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.course.hot_seat import asked_title
from core.words.views.course.progress import round_title
from core.words.views.language.people import person_name
from core.words.views.language.seats import seat_name
from core.words.views.verdict.decision import decision

MOST = 3
"""The number of sentences at a time; the newest count."""


def saying(before: Debate, events: Sequence[e.Event], after: Debate) -> str:
    """Returns the announcement; empty if no event is worth an interruption."""
    sentences = [sentence for event in events if (sentence := _sentence(event, before, after))]
    return " ".join([*dict.fromkeys(sentences)][-MOST:])  # seats that begin together say it once


def _sentence(event: e.Event, before: Debate, after: Debate) -> str:
    match event:
        case e.DebateOpened():
            return say("The debate begins.")
        case e.OpeningFailed(reason):
            return say("The debate could not start: {reason}", reason=say_stored(reason))
        case e.TurnStarted(turn):
            return _round(before, after, turn)
        case e.TurnFinished(turn):
            return say(
                "{seat_name} spoke.", seat_name=seat_name(after, after.script.turn(turn).seat)
            )
        case e.ChallengeRaised():
            return say("{author} challenges.", author=person_name(event.author))
        case e.SeatAsked():
            return f"{asked_title(after, event)}."
        case e.DebatePaused():
            return say("Paused.")
        case e.DebateResumed():
            return say("It goes on.")
        case e.StopOrdered():
            return say("It is being brought to its end.")
        case e.DebateConcluded():
            return decision(after).headline
        case e.VotesClosed(changed=True):
            return say(
                "The votes changed the verdict. {headline}", headline=decision(after).headline
            )
        case _:
            return ""


def _round(before: Debate, after: Debate, turn: str) -> str:
    number = next(t.round for t in after.turns if t.id == turn)
    begun = any(t.round == number and t.id in before.started for t in before.turns)
    if begun:
        return ""
    return f"{round_title(after, number + 1)}."
