"""The options that each person holds in a vote: the reactions they gave, on which messages, and the
options they typed.

The same question can be voted on in several ways: the verdict by reactions on the root and on the
verdict's own message, in every place of the debate, by command and by button. All options of a
person are kept in their order; the last one left is their vote. A reaction is stored under its
message, so that a later count changes only the votes of this message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from adapters.posts.verdict import NUMBERS
from core.debate.commands import CastVote, WithdrawVote
from core.debate.template import Option
from core.debate.verdict.votes import find_emoji, find_option
from storage.commands import QueuedCommand
from storage.messages import SentMessage

_REACTION = "reaction:"
TYPED = ""
"""The ``where`` of an option that was typed or pressed, and so has no message."""


@dataclass(frozen=True, slots=True)
class HeldOption:
    """An option that a person holds. ``where`` is the message of the reaction, or ``TYPED``;
    ``role`` is the role in which it was counted.
    """

    where: str
    option: str
    role: str = field(default="", compare=False)


def held_options(
    commands: Iterable[QueuedCommand], subject: str, ballot: Sequence[Option]
) -> dict[str, list[HeldOption]]:
    """Returns the options that each person holds in the vote on ``subject`` after all commands so
    far, the latest last.

    Of their typed options, only the last counts.
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
    """Returns the commands that make a person's stored options equal to the options ``now`` shown
    on one message, each with the message it belongs to.

    ``vote`` is their counted vote, "" if there is none: after a crash it may differ from the
    options that they hold. ``cast`` is the person's vote on this message, still without an option.
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
    """Returns the option that must be voted again once ``gone`` are withdrawn: the last one left,
    if the withdrawal took the vote away; else None.

    ``held`` is in the order of the votes. A vote is withdrawn by its option, so the same option
    held elsewhere loses its vote too.
    """
    left = [x for x in held if x not in gone]
    if not left or all(x.option != held[-1].option for x in gone):
        return None
    return left[-1]


def option_of(emoji: str, ballot: Sequence[Option]) -> str | None:
    """Returns the option of this ballot for a reaction, or None if it is no vote; an option without
    an emoji is chosen by its number.
    """
    for number, option in enumerate(ballot):
        if not option.emoji and number < len(NUMBERS) and emoji == NUMBERS[number]:
            return option.option
    return find_emoji(emoji, ballot)


def reaction_source(message: SentMessage, event: str) -> str:
    """Returns the source key of a vote by reaction on ``message``, which sets it apart from typed
    votes and from other messages.
    """
    return f"{_REACTION}{message.place} {message.message} {event}"


def _message_of(source: str) -> str:
    """Returns the part of a source key that names a reaction's message, or ``TYPED`` for any other
    vote.
    """
    if not source.startswith(_REACTION):
        return TYPED
    return " ".join([*source.split(" ", 2)[:2], ""])
