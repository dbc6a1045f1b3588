"""Describes the events of a running debate in one line each, and why one could not start."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.debate.events import ChallengeRaised, Event, OutcomeResolved, TurnsAdded
from core.debate.replies import Statement
from core.debate.script import AGAIN, Topic, Turn
from core.debate.state import Debate
from core.languages import msgid, say, say_many
from core.languages.stored import say_stored
from core.words.views.course.hot_seat import seat_occasion
from core.words.views.course.progress import round_name
from core.words.views.language.grammar import capital, listed, quoted
from core.words.views.language.people import person_name
from core.words.views.language.references import called
from core.words.views.language.seats import models_hidden, seat_name, the_seat
from core.words.views.verdict.decision import concluded_label, decision
from core.words.views.verdict.stances import stays

VOTES_CHANGED = msgid("The votes changed the verdict")
NO_ANSWER = msgid("gave no answer")
SHORTENED = msgid("shortened; the transcript has all of it")
_ASK_AGAIN = msgid("The report of this debate names today as the day to ask.")

SEARCH_FAILED = msgid("Web search without a result")

NOTHING_TO_ADD = msgid("nothing to add")
_SAYS_SO = re.compile(
    r"\W*(i have )?(nothing (new |more |further |else )?to (add|say)|nothing new\b"
    r"|no (further|new|more) (comments?|points?|remarks?|objections?))",
    re.IGNORECASE,
)


def paused_title(by: str) -> str:
    """Returns the sentence that the debate is paused, and by whom if a person did it."""
    if by:
        return say("Paused by {by}", by=person_name(by))
    return say("Paused")


def challenge_title(debate: Debate, event: ChallengeRaised) -> str:
    """Names the author of a challenge and the challenged seats."""
    author = person_name(event.author)
    seats = listed([the_seat(debate, s) for s in event.to])
    if seats:
        return say("{author} challenges {seats}", author=author, seats=seats)
    return say("{author} challenges", author=author)


def challenge_taken(debate: Debate, events: Sequence[Event]) -> str:
    """Tells the challenger at once which seats answer, and when."""
    to = [seat for event in events if isinstance(event, ChallengeRaised) for seat in event.to]
    turns = [turn for event in events if isinstance(event, TurnsAdded) for turn in event.turns]
    who = capital(listed([the_seat(debate, seat) for seat in to]) or say("a seat"))
    if any(turn.after_verdict for turn in turns):
        return say_many(
            len(to),
            "Taken. {who} answers, and decides again.",
            "Taken. {who} answer, and decide again.",
            who=who,
        )
    if not turns:
        return say("Taken. {who} will answer.", who=who)
    return say(
        "Taken. {who} will answer in round {round} of {rounds}.",
        who=who,
        round=turns[0].round + 1,
        rounds=len(debate.open.script.rounds),
    )


def held_title(event: OutcomeResolved) -> str:
    """Names the person who found that the verdict held, or did not."""
    if event.held:
        return say("{by} says the verdict held", by=person_name(event.by))
    return say("{by} says the verdict did not hold", by=person_name(event.by))


def follow_up_line(debate: Debate, because: str) -> str:
    """Explains why the bot asks people today, and repeats the verdict."""
    return say(
        "{because} It came to: {label}.",
        because=say_stored(because) or say(_ASK_AGAIN),
        label=decision(debate).label,
    )


def changed_line(before: Debate, after: Debate) -> str:
    """Describes the verdict before people voted and the one after."""
    return say(
        "it was {concluded_label}, it is now {label}",
        concluded_label=concluded_label(before),
        label=decision(after).label,
    )


def missing(debate: Debate, turn: Turn) -> str:
    """Names the task that a seat failed to do."""
    if number := turn.about_the(Topic.PART):
        return say(
            "did not read part {number} of {count}",
            number=number,
            count=len(debate.open.material.parts),
        )
    return say(NO_ANSWER)


def why_silent(task: str, reason: str) -> str:
    """Returns why a seat's turn was skipped; a seat that spoke before in the same round had nothing
    to answer.
    """
    if task == "uphold":
        return say("had nothing to answer: {reason}", reason=say_stored(reason))
    return say("did not speak: {reason}", reason=say_stored(reason))


def schedule_sentences(command: str, schedule: str, what: str, reason: str) -> str:
    """Tells the owner of a schedule, once, that its runs have begun to fail."""
    return say(
        "Schedule `{schedule}` ({what}) could not debate: {reason} Nothing was posted. "
        "It tries again at its next time, and you hear of it again only after it has "
        "worked. Now: `{command} schedule run {schedule}`; no more: `{command} schedule "
        "remove {schedule}`.",
        schedule=schedule,
        what=what,
        reason=reason,
        command=command,
    )


def paused_schedule(command: str, schedule: str, what: str, reason: str) -> str:
    """Tells the owner of a schedule that it is paused because it can't work."""
    return say(
        "Schedule {id} ({what}) is paused now: {why} When that is fixed: {command}",
        id=schedule,
        what=what,
        why=reason,
        command=f"{command} schedule resume {schedule}",
    )


def person_sentences(command: str, debate: str, what: str, reason: str) -> str:
    """Tells a person why their debate could not start."""
    return say(
        "Debate `{debate}` ({what}) could not start, and only you see this. {reason} "
        "When that is fixed, ask again with `{command}`.",
        debate=debate,
        what=what,
        reason=reason,
        command=command,
    )


def occasion(debate: Debate, turn: Turn) -> str:
    """Names the challenge or question that a statement answers, if it is not simply part of its
    round.
    """
    if turn.task == "uphold":
        return say("Asked once more for its final position")
    if challenge := turn.about_the(Topic.CHALLENGE):
        what = msgid("Answer to")
        if turn.task in AGAIN:
            what = msgid("Decided again after")
        return f"{say(what)} {quoted(called(debate, challenge)[0])}"
    return seat_occasion(debate, turn)


def setting(debate: Debate, turn: Turn, statement: Statement) -> str:
    """Describes the round at its beginning, the order in which a case was heard, and the seat whose
    labels the text uses.
    """
    parts = []
    others = (t for t in debate.turns if t.round == turn.round and t.id != turn.id)
    readings = (t for t in others if not t.about_the(Topic.PART) and not t.answers_person)
    if not turn.answers_person and not any(t.id in debate.settled for t in readings):
        parts.append(round_name(debate, turn.round + 1))
    if turn.swapped:
        parts.append(say("the same case, heard in the other order"))
    if not models_hidden(debate):
        used = [
            say("{alias} is the {seat_name}", alias=alias, seat_name=seat_name(debate, seat))
            for seat, alias in debate.open.script.aliases
            if alias != seat and re.search(rf"\b{re.escape(alias)}\b", statement.text)
        ]
        parts.append(listed(used))
    return " · ".join(filter(None, parts))


def failed_searches(statement: Statement) -> str:
    """Names a statement's failed searches with their reasons; "" if none failed."""
    return "; ".join(dict.fromkeys(statement.failed_searches))


def adds_nothing(debate: Debate, turn: Turn, statement: Statement) -> bool:
    """True if a seat that kept its stance states that it has nothing to add, or says nothing, and
    raises no finding either.
    """
    quiet = not statement.text.strip() or _SAYS_SO.match(statement.text)
    return bool(quiet) and not statement.findings and stays(debate, turn, statement)
