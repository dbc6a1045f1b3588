"""Describes the seats' stances from round to round, what moved them, and how people voted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.debate.replies import Statement
from core.debate.script import SeatId, Turn
from core.debate.state import Debate
from core.debate.verdict.delta import StanceMove, moves
from core.debate.verdict.votes import (
    NONE,
    count_people,
    final_votes,
    independent_votes,
    tally,
    too_few,
    wilson,
)
from core.languages import decimal, msgid, percent, say
from core.words.views.language.grammar import (
    NO_STANCE,
    counted,
    option_words,
    plural,
    quoted,
    stance_name,
)
from core.words.views.language.references import called
from core.words.views.language.seats import seat_name

NO_REASON = msgid("no reason named")
NOBODY_MOVED = msgid("no seat changed its vote")

Standing = tuple[str, float]
"""The option that a seat holds and its confidence in [0, 1]."""

NOBODY_VOTED = msgid("nobody voted")
HIDDEN = msgid(
    "People's votes are shown when the last turn is over, so that nobody follows the crowd."
)


def stance_words(standing: Standing | None) -> str:
    """Writes a stance: "approve, 80% sure"; or that the seat holds none."""
    if standing is None or standing[0] == NONE:
        return say(NO_STANCE)
    return say(
        "{standing}, {standing2} sure",
        standing=option_words(standing[0]),
        standing2=percent(standing[1]),
    )


def standing_words(debate: Debate, turn: Turn, statement: Statement) -> str:
    """Describes the ruling or stance of a statement and, if the seat moved, its earlier stance and
    what moved it; empty if the statement takes none.
    """
    if statement.ruling:
        return say("rules {ruling}", ruling=option_words(statement.ruling))
    stance = statement.stance
    if stance is None:
        return ""
    words = stance_words((stance.option, stance.confidence))
    before = _before(debate, turn)
    if before and before != stance.option:
        words += say(" · was: {before}", before=option_words(before))
        move = next((m for m in moves(debate) if m.turn == turn.id), None)
        if move is not None and move.by:
            words += say(", moved by “{called}”", called=called(debate, move.by)[0])
    return words


def stays(debate: Debate, turn: Turn, statement: Statement) -> bool:
    """True if the seat kept the option that it held before this turn."""
    return statement.stance is not None and statement.stance.option == _before(debate, turn)


def _before(debate: Debate, turn: Turn) -> str:
    option = ""
    for earlier, statement in debate.statements((turn.seat,)):
        if earlier.id == turn.id:
            break
        if statement.stance is not None:
            option = statement.stance.option
    return option


def moves_in_words(debate: Debate) -> Sequence[tuple[StanceMove, str, str, str]]:
    """Returns every change of a stance, in the order of the script, with the seat's name, the
    change, and the point that moved the seat, or that it named no reason.
    """
    made = []
    for move in moves(debate):
        by = called(debate, move.by)[0]
        change = f"{option_words(move.before)} → {option_words(move.after)}"
        reason = say(NO_REASON)
        if by:
            reason = quoted(by)
        made.append((move, seat_name(debate, move.seat), change, reason))
    return made


def stances_by_round(debate: Debate) -> tuple[tuple[str, Mapping[SeatId, Standing]], ...]:
    """Returns each round in which a voter took a stance, by its title, with all stances after
    it.
    """
    positions: dict[SeatId, Standing] = {}
    rounds: dict[int, Mapping[SeatId, Standing]] = {}
    for turn, statement in debate.statements(debate.voters):
        if statement.stance is not None:
            positions[turn.seat] = (statement.stance.option, statement.stance.confidence)
            rounds[turn.round] = dict(positions)
    return tuple(
        (say("Round {number}", number=number + 1), rounds[number]) for number in sorted(rounds)
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
    rows, chosen = [], not debate.over
    for option, now in tally(final_votes(debate).values(), ballot).items():
        if option == NONE and not before[option] and not now:
            continue
        voted = None
        if debate.over and option != NONE:
            voted = people.get(option, 0)
        interval = ""
        if voted is not None and cast and not too_few(cast):
            share = wilson(voted, cast)
            interval = f"{decimal(share.low)}–{decimal(share.high)}"
        rows.append(VoteRow(stance_name(option), before[option], now, voted, interval))
        chosen = chosen or (option != NONE and bool(before[option] or now or voted))
    return tuple(rows) if chosen else ()


def people_shown(debate: Debate, subject: str = "", *, author: bool = False) -> dict[str, int]:
    """Returns people's votes, hidden until the last turn is settled so that nobody follows the
    crowd.
    """
    if debate.over:
        return count_people(debate, subject, author=author)
    return {}


def too_few_sentence(votes: Mapping[str, int]) -> str:
    """Returns the sentence that too few people voted for their votes to mean anything."""
    cast = sum(votes.values())
    if cast > 0 and too_few(cast):
        return say(
            "Only {persons} voted: too few to show what most think.",
            persons=plural(cast, "person", "people"),
        )
    return ""


def divided_sentence(votes: Mapping[str, int]) -> str:
    """Returns the sentence that people are divided: enough voted for a majority to show, but the
    95 % interval of the leading option's share reaches down to one half; else empty.
    """
    cast = sum(votes.values())
    if not cast or too_few(cast) or wilson(max(votes.values()), cast).low > 0.5:
        return ""
    return say("People's votes show no clear majority: {counted}.", counted=counted(votes))


def opinion_lines(debate: Debate) -> Iterator[str]:
    """Describes people's votes on single statements."""
    for turn in debate.turns:
        votes = people_shown(debate, turn.id)
        if turn.id in debate.finished and any(votes.values()):
            yield say(
                "{seat_name}, round {round}: {counted}",
                seat_name=seat_name(debate, turn.seat),
                round=turn.round + 1,
                counted=counted(votes),
            )
