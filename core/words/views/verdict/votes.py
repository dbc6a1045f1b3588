"""Describes how seats and people voted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.debate.state import Debate
from core.debate.verdict.votes import (
    NONE,
    count_people,
    final_votes,
    independent_votes,
    tally,
    too_few,
    wilson,
)
from core.languages import msgid, say
from core.words.views.language.grammar import NO_STANCE, counted, option_words, plural
from core.words.views.language.seats import seat_name

NOBODY_VOTED = msgid("nobody voted")
HIDDEN = msgid(
    "People's votes are shown when the last turn is over, so that nobody follows the crowd."
)


@dataclass(frozen=True, slots=True)
class VoteRow:
    """The votes for one option: seats before the debate and now, people (None: none can choose it,
    or hidden) and the 95 % interval of their share in words, empty if too few voted.
    """

    option: str
    before: int
    now: int
    people: int | None
    interval: str


def vote_rows(debate: Debate) -> tuple[VoteRow, ...]:
    """Returns the options in the order of the ballot, then the voters without one, if any; nothing
    if a debate is over and neither a seat nor a person chose one.
    """
    ballot = debate.open.template.ballot
    before = tally(independent_votes(debate).values(), ballot)
    people = people_shown(debate)
    cast = sum(people.values())
    rows = []
    for option, now in tally(final_votes(debate).values(), ballot).items():
        if option == NONE and not before[option] and not now:
            continue
        voted = people.get(option, 0) if debate.over and option != NONE else None
        interval = ""
        if voted is not None and cast and not too_few(cast):
            share = wilson(voted, cast)
            interval = f"{share.low:.2f}–{share.high:.2f}"
        name = say(NO_STANCE) if option == NONE else option_words(option)
        rows.append(VoteRow(name, before[option], now, voted, interval))
    chosen = any(row.option != NO_STANCE and (row.before or row.now or row.people) for row in rows)
    return tuple(rows) if chosen or not debate.over else ()


def people_shown(debate: Debate, subject: str = "", *, author: bool = False) -> dict[str, int]:
    """Returns people's votes, hidden until the last turn is settled so that nobody follows the
    crowd.
    """
    if debate.over:
        return count_people(debate, subject, author=author)
    return {}


def too_few_sentence(votes: Mapping[str, int]) -> str:
    """Says that too few people voted for their votes to mean anything; else empty."""
    cast = sum(votes.values())
    if cast > 0 and too_few(cast):
        return say(
            "Only {persons} voted: too few to show what most think.",
            persons=plural(cast, "person", "people"),
        )
    return ""


def divided_sentence(votes: Mapping[str, int]) -> str:
    """Says that people are divided: enough voted for a majority to show, but the 95 % interval of
    the leading option's share reaches down to one half; else empty.
    """
    cast = sum(votes.values())
    if not cast or too_few(cast) or wilson(max(votes.values()), cast).low > 0.5:
        return ""
    return say("People's votes show no clear majority: {counted}.", counted=counted(votes))


def opinion_lines(debate: Debate) -> Iterator[str]:
    """Describes people's votes on single statements."""
    for turn in debate.turns:
        votes = people_shown(debate, turn.id) if turn.id in debate.finished else {}
        if any(votes.values()):
            yield say(
                "{seat_name}, round {round}: {counted}",
                seat_name=seat_name(debate, turn.seat),
                round=turn.round + 1,
                counted=counted(votes),
            )
