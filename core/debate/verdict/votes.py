"""Reads options out of loose text, and counts votes so that nobody is left out.

A share is always a share of everybody entitled. A seat that abstained, failed or named no option of
the ballot is counted under ``none``, because a voter who vanishes from the denominator turns one
vote into "100 %". People are counted apart from the seats, each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from core.debate.replies import Stance
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.template import Option

NONE = "none"
"""The option under which a seat is counted that holds none of the ballot."""

AUTHOR = "author"
"""The role of a voter who wrote the pull request: shown apart, never counted."""

FINDING_BALLOT = (
    Option("real", "white_check_mark"),
    Option("not_real", "x"),
    Option("worse", "arrow_double_up"),
    Option("milder", "arrow_double_down"),
)
"""The options of people's votes on a finding."""

_STATEMENT_BALLOT = (Option("agree", "thumbsup"), Option("disagree", "thumbsdown"))
"""The options of people's votes on a seat's statement, which are shown next to it and do not affect
the verdict.
"""

_NAMES = {
    "✅": "white_check_mark", "❌": "x", "⏫": "arrow_double_up", "⏬": "arrow_double_down",
    "💬": "speech_balloon", "👍": "thumbsup",
    "👎": "thumbsdown", "🛑": "octagonal_sign", "⚠": "warning", "🔁": "repeat", "🔟": "keycap_ten",
    "🚫": "no_entry_sign", "🤷": "shrug",
    "🚀": "rocket", "🧪": "test_tube", "⏸": "double_vertical_bar", "⏳": "hourglass_flowing_sand",
    "✏": "pencil2",
    "↩": "leftwards_arrow_with_hook", "❓": "question",
}  # fmt: skip
_SAME = {
    "+1": "thumbsup",
    "-1": "thumbsdown",
    "heavy_check_mark": "white_check_mark",
    "speech_left": "speech_balloon",
}
_NUMBERS = {
    n: i
    for i, n in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten"), 1
    )
}
Z95 = 1.959963984540054
"""The standard deviations on each side of the mean that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % Wilson interval of a share."""

    low: float
    high: float


def find_option(text: str, ballot: Sequence[Option]) -> str | None:
    """Returns the option that ``text`` means, or None: its name however spelled, its emoji, its
    number, or a beginning that fits only one.

    Nothing is guessed: a text that fits no option, or two, is no vote.
    """
    wanted = _key(text)
    if not wanted:
        return None
    for option in ballot:
        if wanted == _key(option.option) or (option.emoji and wanted == _key(option.emoji)):
            return option.option
    number = _number(wanted)
    if number is not None:
        return dict(enumerate((o.option for o in ballot), 1)).get(number)
    begun = [o.option for o in ballot if len(wanted) >= 3 and _key(o.option).startswith(wanted)]
    return begun[0] if len(begun) == 1 else None


def find_emoji(emoji: str, ballot: Sequence[Option]) -> str | None:
    """Returns the option that has this emoji, by whichever of its names, or None."""
    wanted = _key(emoji)
    return next((o.option for o in ballot if o.emoji and _key(o.emoji) == wanted), None)


@lru_cache(maxsize=4096)  # the same few options are read over and over
def _key(text: str) -> str:
    bare = text.strip().replace("\ufe0f", "").strip(":'\"`*_ ").casefold()
    bare = _NAMES.get(bare, bare)
    return _SAME.get(bare, re.sub(r"[\s\-]+", "_", bare).rstrip(".!"))


def _number(key: str) -> int | None:
    if key in _NUMBERS:
        return _NUMBERS[key]
    digits = re.fullmatch(r"#?([0-9]{1,2})\u20e3?[.)]?", key)
    if digits:
        return int(digits[1])
    return None


def independent_votes(debate: Debate) -> dict[SeatId, str]:
    """Returns the option that each entitled seat held before it had read any other judging seat;
    ``none`` if it made no such statement.
    """
    held: dict[SeatId, Stance] = {}
    for turn, statement in debate.statements(debate.voters):
        if turn.independent and statement.stance is not None:
            held.setdefault(turn.seat, statement.stance)
    return _of_everyone(debate, held)


def final_votes(debate: Debate) -> dict[SeatId, str]:
    """Returns the option that each entitled seat holds now: its last readable stance in script
    order, so that the order of arrival changes nothing.
    """
    return _of_everyone(debate, {seat: held for seat, (_, held) in debate.stances().items()})


def _of_everyone(debate: Debate, held: Mapping[SeatId, Stance]) -> dict[SeatId, str]:
    ballot = debate.open.template.ballot
    options = {seat: find_option(stance.option, ballot) or NONE for seat, stance in held.items()}
    return {seat: options.get(seat, NONE) for seat in debate.voters}


def tally(choices: Iterable[str], ballot: Sequence[Option], *, none: bool = True) -> dict[str, int]:
    """Counts how often each option was chosen, in ballot order. With ``none`` the counts add up to
    the number of ``choices``.
    """
    chosen = list(choices)
    counts = {o.option: chosen.count(o.option) for o in ballot}
    if none:
        return counts | {NONE: len(chosen) - sum(counts.values())}
    return counts


def ballot_of(debate: Debate, subject: str) -> tuple[Option, ...]:
    """Returns the options for a subject: "" is the verdict, a turn's id its statement, anything
    else a finding.
    """
    if not subject:
        return debate.open.template.ballot
    if subject in debate.finished:
        return _STATEMENT_BALLOT
    return FINDING_BALLOT


def count_people(debate: Debate, *subjects: str, author: bool = False) -> dict[str, int]:
    """Counts people's votes on the verdict, a statement, or a finding by the ids of all its
    wordings: the last vote of each person; the pull request's author only with ``author``.
    """
    about = subjects or ("",)
    ballot = ballot_of(debate, about[0])
    cast = {
        voter: find_option(vote.option, ballot) or NONE
        for (subject, voter), vote in debate.votes.items()
        if subject in about and (vote.role == AUTHOR) is author
    }
    return tally(cast.values(), ballot, none=False)


def leaders(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Returns the options with the most votes, ``none`` aside; several in a tie, none if nobody
    voted.
    """
    real = {option: n for option, n in counts.items() if option != NONE and n > 0}
    most = max(real.values(), default=0)
    return tuple(option for option, n in real.items() if n == most)


def has_majority(counts: Mapping[str, int], option: str) -> bool:
    """True if people's votes take effect: a strict majority of the voters, and at least two of
    them.
    """
    return counts.get(option, 0) >= 2 and 2 * counts[option] > sum(counts.values())


def wilson(votes: int, cast: int) -> Interval:
    """Returns the 95 % interval of the share ``votes / cast``; [0, 1] when nobody voted. Raises
    ``ValueError`` for impossible counts.
    """
    if not 0 <= votes <= cast:
        raise ValueError(f"{votes} of {cast} votes cannot be")
    if cast == 0:
        return Interval(0.0, 1.0)
    share, z2 = votes / cast, Z95**2
    middle = share + z2 / (2 * cast)
    spread = Z95 * sqrt(share * (1 - share) / cast + z2 / (4 * cast**2))
    low, high = (middle - spread) / (1 + z2 / cast), (middle + spread) / (1 + z2 / cast)
    # exact ends, which rounding would miss
    return Interval(low if votes else 0.0, high if votes < cast else 1.0)


def too_few(cast: int) -> bool:
    """True if even a unanimous vote of ``cast`` people could not show that a majority of such
    people agrees: three or fewer.
    """
    return wilson(cast, cast).low <= 0.5
