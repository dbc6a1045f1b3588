"""The one representation every format compiles into: a list of turns, each naming the earlier turns
that it reads.

That single relation defines the order of turns, which of them run at the same time and what each
reads. It can be checked, shown and priced before a token is spent. There is no graph library and
nothing to walk but a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NewType

TurnId = NewType("TurnId", str)
SeatId = NewType("SeatId", str)

MAX_TURNS = 120
"""The most turns of a script: a price must be shown before a run, and a person must be able to read
the thread.
"""


AGAIN = ("reconsider", "restate")
"""The tasks of the seats that decide again after an objection: over findings, or without any."""
AFTER_VERDICT = ("explain", *AGAIN)
"""The tasks of the seats that answer an objection to the verdict: the answer in words, then the
decision again, over findings or without any.
"""
CONTESTED: Final = "contested"
"""The format of a review that argues over what its openings contest."""
ANSWER, DEBATE, DECISION = "author_response", "debate", "decision"
"""The phases of its argument, whose rounds stay empty if nothing is contested."""
ARGUED: Final = "contested"
"""The guard of its closing turns: they take place if something was argued."""
LEFT_TO_CODE: Final = "left_to_code"
"""The guard of a closing turn that never takes place, because code writes the report."""
MOVED: Final = "moved"
"""The guard of the turns that close a debate again after an objection: they take place if it
changed a seat's position.
"""


class Duty(StrEnum):
    """The duty of a seat; only debaters are entitled to vote."""

    DEBATER = "debater"
    AUTHOR = "author"  # argues for the change, and has no vote on it
    CHAIR = "chair"  # closes the debate: writes the report's sections, takes no side
    JUDGE = "judge"  # scores and adjudicates, never at the table
    MODERATOR = "moderator"  # steers, takes no side
    AUDIENCE = "audience"  # people: challenges are spoken from here


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table. ``brief`` is the role's own instruction (description, objectives,
    criteria) for the prompt.
    """

    id: SeatId
    role: str
    duty: Duty = Duty.DEBATER
    brief: str = ""

    @property
    def votes(self) -> bool:
        return self.duty is Duty.DEBATER

    @property
    def argues(self) -> bool:
        """Whether it takes a side."""
        return self.duty in (Duty.DEBATER, Duty.AUTHOR)


@dataclass(frozen=True, slots=True)
class Round:
    """The turns that are shown and voted together. ``goal`` holds the phase's objectives and
    outputs for the prompt.
    """

    number: int
    title: str
    phase: str = ""
    goal: str = ""


class Topic(StrEnum):
    """The kind of subject that a turn can be about, and how it is named."""

    CHALLENGE = "challenge"  # a person's objection that the seat must answer: its id
    SEAT = "seat"  # whom a question is put to: the seat's id
    CATEGORY = "category"  # the kind of attack that is made, parried or pressed
    ARGUMENT = "argument"  # the type of argument that is due
    LENS = "lens"  # the way of thinking of the round
    ROLE = "role"  # the brief of another role, argued for in its place
    PART = "part"  # what of a large change is read: its number, from 1
    HOT_SEAT = "hot_seat"  # what a seat must defend: the id of its statement or finding
    FINDING = "finding"  # what is cross-examined: ids of findings, with spaces between
    SWAPPED = "swapped"  # the case is read in reversed order; has no name


@dataclass(frozen=True, slots=True)
class About:
    """The subject of a turn. Two topics may share a name: an attack called "x1" is no challenge."""

    topic: Topic
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.topic.value


@dataclass(frozen=True, slots=True)
class Turn:
    """One contribution.

    ``task`` names the prompt and the typed reply; ``when`` names a guard (``due.guards``) or
    is empty. ``closing`` turns always get their chance, even after a stop. ``independent`` marks a
    first statement that was made before its seat read any other judging seat.
    """

    id: TurnId
    seat: SeatId
    task: str
    reads: tuple[TurnId, ...] = ()
    round: int = 0
    when: str = ""
    closing: bool = False
    independent: bool = False
    about: About | None = None

    @property
    def alike(self) -> Turn:
        """The turn without its seat: equal for all seats with the same task on the same subject."""
        return replace(self, id=TurnId(""), seat=SeatId(""), independent=False)

    def about_the(self, topic: Topic) -> str:
        """Returns the name of the turn's subject, if that is a ``topic``; else empty."""
        if self.about is not None and self.about.topic is topic:
            return self.about.name
        return ""

    @property
    def answers_person(self) -> bool:
        """True if the turn answers a person's challenge or question, between the rounds."""
        return self.about is not None and self.about.topic in (Topic.CHALLENGE, Topic.HOT_SEAT)

    @property
    def after_verdict(self) -> bool:
        """True if the turn answers an objection to a verdict, or closes the debate again then."""
        return self.task in AFTER_VERDICT or self.when == MOVED

    @property
    def swapped(self) -> bool:
        """True if the case is read in reversed order."""
        return self.about is not None and self.about.topic is Topic.SWAPPED


@dataclass(frozen=True, slots=True)
class Script:
    """The compiled plan. Construction refuses a plan that cannot be played.

    ``aliases`` is the draw of blind labels (seat id -> "P1"), made once at compile time and stored;
    ``blind`` is True if model names stay hidden from people until the end (they are always hidden
    from the seats).
    """

    format: str
    seats: tuple[Seat, ...]
    rounds: tuple[Round, ...]
    turns: tuple[Turn, ...]
    aliases: tuple[tuple[SeatId, str], ...] = ()
    blind: bool = False

    def __post_init__(self) -> None:
        seats = [s.id for s in self.seats]
        if len(set(seats)) != len(seats):
            raise ValueError(
                f"two seats share a name: {sorted(s for s in seats if seats.count(s) > 1)}"
            )
        if not self.turns:
            raise ValueError("a script without turns cannot be played")
        if len(self.turns) > MAX_TURNS:
            raise ValueError(
                f"{len(self.turns)} turns are more than the {MAX_TURNS} a debate may have"
            )
        seen: set[TurnId] = set()
        for turn in self.turns:
            if turn.id in seen:
                raise ValueError(f"two turns are called {turn.id!r}")
            if missing := set(turn.reads) - seen:
                raise ValueError(
                    f"{turn.id!r} reads {sorted(missing)}, which do not come before it"
                )
            if turn.seat not in seats:
                raise ValueError(f"{turn.id!r} is spoken by {turn.seat!r}, who has no seat")
            if not 0 <= turn.round < len(self.rounds):
                raise ValueError(
                    f"{turn.id!r} is in round {turn.round}, but there are {len(self.rounds)}"
                )
            seen.add(turn.id)
        if not any(t.closing for t in self.turns):
            raise ValueError("a script needs a closing turn")

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    def turn(self, id: TurnId) -> Turn:
        return next(t for t in self.turns if t.id == id)

    def seat(self, id: SeatId) -> Seat:
        return next(s for s in self.seats if s.id == id)

    def alias(self, id: SeatId) -> str:
        return dict(self.aliases).get(id, id)

    def label(self, id: SeatId) -> str:
        """Returns the seat's blind label as people read it: "participant 2" for P2."""
        return spelled(self.alias(id))

    @property
    def seats_by_name(self) -> Mapping[str, SeatId]:
        """The arguing seats by their ids, labels and roles in small letters, with spaces too. An id
        comes before a label, a label before a role, and the first seat of a role before the others.
        """
        ids = [s.id for s in reversed(self.seats) if s.argues]
        kinds = (
            [self.seat(id).role for id in ids],
            [self.label(id) for id in ids],
            [self.alias(id) for id in ids],
            ids,
        )
        return {
            spelt.lower(): id
            for names in kinds
            for name, id in zip(names, ids, strict=True)
            for spelt in (name, name.replace("_", " "))
        }

    @property
    def voters(self) -> tuple[SeatId, ...]:
        """The seats entitled to vote: the denominator of every tally, whether they answer or
        not.
        """
        return tuple(s.id for s in self.seats if s.votes)


def spelled(alias: str) -> str:
    """Writes a blind label as people read it: "participant 2" for P2; any other as it is."""
    drawn = re.fullmatch(r"P(\d+)", alias)
    return f"participant {drawn[1]}" if drawn else alias
