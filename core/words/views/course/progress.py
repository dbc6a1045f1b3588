"""Describes how far a debate is."""

from __future__ import annotations

from collections.abc import Mapping

from core.debate.state import Debate
from core.debate.status import UNDECIDED, DebateStatus
from core.languages import msgid, number, say, say_if
from core.languages.stored import say_stored
from core.words.views.language.grammar import uncapital
from core.words.views.verdict.decision import decision, reopened_label

VOTES_STILL_COUNT = msgid("votes still count")
STATUS: Mapping[str, str] = {
    DebateStatus.QUEUED: msgid("starting"),
    DebateStatus.RUNNING: msgid("running"),
    DebateStatus.WAITING: VOTES_STILL_COUNT,
    DebateStatus.PAUSED: msgid("paused"),
    DebateStatus.FINISHED: msgid("finished"),
    DebateStatus.STOPPED: msgid("stopped"),
    DebateStatus.FAILED: msgid("failed"),
}
"""Each status of a debate as people read it."""


def current_round(debate: Debate) -> int:
    """Returns the 1-based number of the latest round with a turn that has begun; 0 before the
    first.
    """
    return max((t.round + 1 for t in debate.turns if t.id in debate.started), default=0)


def is_begun(debate: Debate, number: int) -> bool:
    """True if a turn of the round has begun, by its 0-based number."""
    return any(t.round == number and t.id in debate.started for t in debate.turns)


def round_name(debate: Debate, number: int) -> str:
    """Writes "Round 2 of 4: Debate" from a 1-based number; "Starting" before the first."""
    if not number:
        return say("Starting")
    count = len(debate.open.script.rounds)
    return _titled(debate, number, say("Round {number} of {count}", number=number, count=count))


def turns_taken(debate: Debate) -> str:
    """Writes "9 of 14 turns", and how many of the rest were not needed."""
    settled = [t.id for t in debate.turns if t.id in debate.settled]
    spared = sum(id in debate.skipped for id in settled)
    figures = {"taken": number(len(settled) - spared), "all": number(len(debate.turns))}
    if debate.over and spared:
        return say("{taken} of {all} turns, {spared} not needed", **figures, spared=number(spared))
    return say("{taken} of {all} turns", **figures)


def round_title(debate: Debate, number: int) -> str:
    """ "Round 2: Debate", or "Round 2" if it has no other title, by its 1-based number."""
    return _titled(debate, number, say("Round {number}", number=number))


def _titled(debate: Debate, number: int, at: str) -> str:
    title = debate.open.script.rounds[number - 1].title
    if title == f"Round {number}":
        return at
    return f"{at}: {title_words(title)}"


def title_words(title: str) -> str:
    """Writes a round's title: "Debate", "Debate 2/3"."""
    name, space, part = title.rpartition(" ")
    if space and "/" in part:
        return f"{say(name)} {part}"
    return say(title)


def how_far(what: str, done: int, of: int) -> str:
    """Writes "Fetching Qwen3 1.7B: 612 of 1,100 MB" from bytes; without figures if they are
    unknown.
    """
    if not of:
        return what
    return say(
        "{what}: {done} of {of} MB", what=what, done=f"{done / 1e6:,.0f}", of=f"{of / 1e6:,.0f}"
    )


def stage_line(debate: Debate) -> str:
    """Describes the round or the result, as the first words of the debate's own message."""
    if not debate.over:
        return _stage(debate)
    stopped = say("Stopped: ") if debate.status is DebateStatus.STOPPED else ""
    notes = (
        say_if(votes_count(debate), VOTES_STILL_COUNT),
        say_if(is_asked(debate), msgid("did it hold?")),
    )
    return ", ".join(filter(None, (f"{stopped}{decision(debate).label}", *notes)))


def state_line(debate: Debate) -> str:
    """Describes the state of a debate for a list, with its status first."""
    state = result_line(debate)
    if debate.deleted is not None or debate.status in UNDECIDED:
        return state
    note = say_if(is_asked(debate), msgid(" (did it hold?)"))
    return f"{say(STATUS[debate.status])}: {state}{note}"


def result_line(debate: Debate) -> str:
    """Describes the round, the result or the reason of a failure, next to a debate's status."""
    if reason := debate.nothing_because:
        return say_stored(reason)
    if debate.concluded is None:
        return uncapital(_stage(debate))
    return uncapital(decision(debate).label)


def _stage(debate: Debate) -> str:
    if debate.opened is None:
        return say("Reading the material")
    where = where_line(debate)
    if debate.paused is not None:
        return say("Paused, {where}", where=uncapital(where))
    return where


def where_line(debate: Debate) -> str:
    """Describes the round; while seats answer what reopened the verdict, that verdict."""
    if debate.reopened is None:
        return round_name(debate, current_round(debate))
    why = msgid("{label}, an objection to it is being answered")
    if debate.reopened.for_proof:
        why = msgid("{label}, a proof that may change it is being made")
    return say(why, label=reopened_label(debate))


def is_asked(debate: Debate) -> bool:
    """True if the bot asks people if the verdict held, and nobody has answered."""
    return debate.follow_up is not None and debate.resolved is None


def votes_count(debate: Debate) -> bool:
    """True if people's votes can still change the verdict of a debate that is over; without a
    verdict they never can, nor if they have no time.
    """
    return debate.closed is None and not debate.lost and debate.open.terms.vote_window > 0
