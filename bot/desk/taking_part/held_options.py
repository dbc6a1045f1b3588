"""What each person holds of a vote: by which reactions, on which messages, and by what they typed.

One thing can be voted on in several ways: the verdict by reactions on the root and on the verdict's
own message, in every place where the debate is told, by command and by button. All that a person
holds is kept in its order; the last one standing is their vote. A reaction is stored under the
message it stands on, so that a later count touches the votes of this message alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from adapters.posts.ballot import NUMBERS
from core.commands import CastVote, WithdrawVote
from core.template import Option
from core.verdict.votes import find_option
from storage.commands import QueuedCommand
from storage.messages import Message

_REACTION = "reaction:"
TYPED = ""
"""Where a vote stands that is no reaction."""


@dataclass(frozen=True, slots=True)
class HeldOption:
    """An option that a person holds: ``where`` is the message of the reaction, or ``TYPED``;
    ``role`` is how it was counted.
    """

    where: str
    option: str
    role: str = field(default="", compare=False)


def held_options(
    commands: Iterable[QueuedCommand], subject: str, ballot: Sequence[Option]
) -> dict[str, list[HeldOption]]:
    """What everybody holds of a subject by all commands so far, the last one last.

    Of what was typed, only the last counts.
    """
    held: dict[str, list[HeldOption]] = {}
    for queued in commands:
        where = _message_of(queued.source_key)
        match queued.command:
            case CastVote(voter, option, about, role) if about == subject:
                cast = HeldOption(where, find_option(option, ballot) or option, role)
                kept = [x for x in held.get(voter, []) if x != cast and (where or x.where)]
                held[voter] = [*kept, cast]
            case WithdrawVote(voter, option, about) if about == subject:
                gone = HeldOption(where, option)
                held[voter] = [x for x in held.get(voter, []) if x != gone]
            case _:
                pass
    return {person: options for person, options in held.items() if options}


def mending_votes(
    held: Sequence[HeldOption], where: str, now: Sequence[str], vote: str, cast: CastVote
) -> list[tuple[str, CastVote | WithdrawVote]]:
    """What brings what a person holds in line with the options ``now`` shown on one message, and
    under what each of it is kept.

    ``vote`` is what counts of theirs, "" if nothing does: a crash may have left it behind what they
    hold. ``cast`` is a vote of theirs on this message without an option.
    """
    counted = [x.option for x in held if x.where == where]
    gone = [option for option in counted if option not in now]
    added = [HeldOption(where, option, cast.role) for option in now if option not in counted]
    left = left_standing(held, [HeldOption(where, option) for option in gone])
    if not (added or gone) and held and vote != held[-1].option:
        left = held[-1]
    if not added and left is not None:
        added = [left]
    withdrawn = [(where, WithdrawVote(cast.voter, option, cast.subject)) for option in gone]
    return [*withdrawn, *((x.where, replace(cast, option=x.option, role=x.role)) for x in added)]


def left_standing(held: Sequence[HeldOption], gone: Collection[HeldOption]) -> HeldOption | None:
    """What must be voted again once ``gone`` are taken back: the last one left, where that took the
    vote away; else None.

    ``held`` is in the order it came. A vote is taken back by its option, so the same option held
    elsewhere loses its vote too.
    """
    left = [x for x in held if x not in gone]
    if not left or all(x.option != held[-1].option for x in gone):
        return None
    return left[-1]


def option_of(emoji: str, ballot: Sequence[Option]) -> str | None:
    """The option that a reaction means on this ballot; an option without an emoji has its number.

    None: no vote.
    """
    for number, option in enumerate(ballot):
        if not option.emoji and number < len(NUMBERS) and emoji == NUMBERS[number]:
            return option.option
    named = find_option(emoji, [o for o in ballot if o.emoji])
    if any(o.emoji and o.option == named for o in ballot):
        return named
    return None


def reaction_source(message: Message, event: str) -> str:
    """The source key of a vote that is a reaction on ``message``: such votes are told from typed
    ones, and per message.
    """
    return f"{_REACTION}{message.place} {message.message} {event}"


def _message_of(source: str) -> str:
    """The beginning of a source key that names the message of a reaction; ``TYPED`` for any other
    vote.
    """
    if not source.startswith(_REACTION):
        return TYPED
    return " ".join([*source.split(" ", 2)[:2], ""])
