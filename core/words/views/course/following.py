"""Describes new events in one line each, for programs that follow a debate and for people who hear
its page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.debate import events as e
from core.debate.replies import Statement
from core.debate.script import TurnId
from core.debate.state import Debate, evolve, replay
from core.languages import percent, say
from core.languages.stored import say_stored
from core.words.views.course.happenings import challenge_title, missing
from core.words.views.course.hot_seat import asked_title
from core.words.views.course.progress import is_begun, round_title
from core.words.views.language.grammar import capital, option_words, plural, shortened
from core.words.views.language.people import person_name
from core.words.views.language.seats import seat_name
from core.words.views.verdict.decision import decision

_QUOTED = 240
"""The most characters of a statement that are shown."""

MOST = 3
"""The number of sentences at a time; the newest count."""


def news_since(
    events: Sequence[e.Event], after: int
) -> tuple[Debate, Sequence[tuple[int, str, str]]]:
    """Returns the debate as it is now, and the news after that many events: the number of an event,
    its description in our words, and the beginning of a model's or a person's text.
    """
    debate = replay(events[:1])
    news: list[tuple[int, str, str]] = []
    for number, event in enumerate(events[1:], start=2):
        before, debate = debate, evolve(debate, event)
        if number > after:
            news += [(number, *words) for words in _told(before, event, debate)]
    return debate, news


def _told(before: Debate, event: e.Event, after: Debate) -> Iterator[tuple[str, str]]:
    match event:
        case e.TurnFinished(turn):
            statement = after.statement(turn)
            if statement is not None:
                yield _spoken(after, turn, statement), shortened(statement.text, _QUOTED)
        case e.TurnFailed(turn):
            failed = after.script.turn(turn)
            yield f"{capital(seat_name(after, failed.seat))} {missing(after, failed)}.", ""
        case e.ChallengeRaised():
            yield f"{challenge_title(after, event)}.", shortened(event.text, _QUOTED)
        case _:
            if line := saying(before, [event], after):
                yield line, ""


def _spoken(debate: Debate, turn: TurnId, statement: Statement) -> str:
    parts = []
    if statement.stance is not None and statement.stance.option:
        parts.append(
            f"{option_words(statement.stance.option)} ({percent(statement.stance.confidence)})"
        )
    if statement.findings:
        parts.append(plural(len(statement.findings), "finding"))
    who = capital(seat_name(debate, debate.script.turn(turn).seat))
    if parts:
        return f"{who}: {', '.join(parts)}."
    return say("{who} spoke.", who=who)


def saying(before: Debate, events: Sequence[e.Event], after: Debate) -> str:
    """Returns the announcement; empty if no event is worth an interruption."""
    sentences = []
    for event in events:
        sentences.append(_sentence(event, before, after))
        before = evolve(before, event)  # so that a round which has begun is not named again
    return " ".join([*filter(None, sentences)][-MOST:])


def _sentence(event: e.Event, before: Debate, after: Debate) -> str:
    match event:
        case e.DebateOpened():
            return say("The debate begins.")
        case e.OpeningFailed(reason):
            return say("The debate could not start: {reason}", reason=say_stored(reason))
        case e.TurnStarted(turn):
            number = after.script.turn(turn).round
            if is_begun(before, number):
                return ""
            return f"{round_title(after, number + 1)}."
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
