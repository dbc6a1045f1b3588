"""The desk's part for votes by reaction: it takes their events, and reads the messages again if
events were missed.

A reaction that counts becomes a stored command. When a missed reaction was given is unknown: while
the vote is open, it counts. Typed and pressed votes are not touched.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import TypeVar

from adapters.ports.chat import Chat, Reaction
from adapters.posts.root import unfolds
from bot.desk.commanding import require_readable
from bot.desk.language import person_language
from bot.desk.parts import DeskParts
from bot.desk.taking_part.held_options import (
    HeldOption,
    held_options,
    left_standing,
    mending_votes,
    option_of,
    reaction_source,
)
from bot.desk.taking_part.hot_seat import SEAT_EMOJI, ask_by_reaction
from bot.posting.private import tell
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure, Guests
from core.debate.commands import CastVote, Command, ShowWhole, WithdrawVote
from core.debate.errors import Refused
from core.debate.state import Debate
from core.debate.template import Option
from core.debate.verdict.votes import ballot_of
from core.languages import say, say_error, speaking
from storage.messages import SentMessage

_TRIES = 5
"""How often one message's reactions are read again while the platform wants fewer requests."""
_LOOKS, _PAUSE = 400, 0.3
"""The number of look-ups, and the seconds in between, of a message that may be posted although it
is not recorded yet.
"""
_ANSWERED_WITHIN = 1.0
"""Seconds that a person's request waits for the debate's own answer."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


async def take_reaction(
    desk: DeskParts, place: str, message: str, caller: Caller, emoji: str, added: bool
) -> None:
    """Implements ``core.application.desk.Desk.take_reaction``. One person's reactions are taken
    one by one, so that the last counts, however quick they were. A refused one is answered by a
    private message with the reason.
    """
    async with desk.reacting.setdefault(caller.person, asyncio.Lock()):
        target = await find_when_recorded(
            desk, place, lambda: desk.stores.messages.find(place, message)
        )
        if target is None or target.subject is None:
            return
        with speaking(await person_language(desk, caller)):
            try:
                await _react(desk, target, target.subject, caller, emoji, added)
            except Refused as refused:
                await _tell_refusal(desk, place, caller, say_error(refused))


async def recount_platform(desk: DeskParts, platform: str) -> None:
    """Implements ``core.application.desk.Desk.recount``."""
    for message in sorted(await desk.stores.messages.load_live(platform), key=_weight):
        await _recount(desk, message)


async def recount_debate(desk: DeskParts, id: str) -> None:
    """Reads all reactions on a debate's messages in all its places, because only the reactions
    at the end count.
    """
    for message in sorted(await desk.stores.messages.load(id), key=_weight):
        if message.subject is not None:
            await _recount(desk, message)


async def find_when_recorded(
    desk: DeskParts, place: str, find: Callable[[], Awaitable[T | None]]
) -> T | None:
    """Returns the result of ``find``. It waits for a message that is just being posted to
    ``place``, since people can answer it before it is recorded.
    """
    for _ in range(_LOOKS):
        if (message := await find()) is not None:
            return message
        if not await desk.stores.outbox.is_sending(place):
            break
        await asyncio.sleep(_PAUSE)
    return await find()


async def _react(
    desk: DeskParts, message: SentMessage, subject: str, caller: Caller, emoji: str, added: bool
) -> None:
    debate = await desk.service.load(message.debate)
    if added and unfolds(debate, message.key, emoji):
        await desk.permissions.require(caller, Action.SEE, debate)
        await _unfold(desk, debate, caller.person)
        return
    if emoji == SEAT_EMOJI and subject:
        if added:
            await _ask_seat(desk, debate, subject, caller)
        return
    if debate.final or debate.opened is None:
        return
    ballot = ballot_of(debate, subject)
    option = option_of(emoji, ballot)
    if option is None:
        return
    await desk.permissions.require(caller, Action.VOTE, debate)
    person = desk.permissions.person_in(debate, caller)
    before: list[HeldOption] = []
    command: Command
    if added:
        role = desk.permissions.role_in(debate, person, caller.name)
        command = CastVote(person, option, subject, role=role)
    else:
        before = (await _held(desk, debate.id, subject, ballot)).get(person, [])
        command = WithdrawVote(person, option, subject)
    source = reaction_source(message, caller.source)
    fresh = await desk.stores.queue.enqueue(debate.id, command, source)
    left = left_standing(before, [HeldOption(reaction_source(message, ""), option)])
    if fresh and left is not None:
        again = CastVote(person, left.option, subject, left.role)
        await desk.stores.queue.enqueue(debate.id, again, f"{left.where}{caller.source}:left")


async def _ask_seat(desk: DeskParts, debate: Debate, subject: str, caller: Caller) -> None:
    """Asks for the hot seat. Raises ``Refused``, also if the debate itself refuses it."""
    await desk.permissions.require(caller, Action.HOT_SEAT, debate)
    await require_readable(desk, debate, caller)
    person = desk.permissions.person_in(debate, caller)
    source = await ask_by_reaction(desk.stores.queue, debate, subject, person)
    if not source or debate.paused is not None:
        return
    with suppress(KeyError):  # the debate was deleted meanwhile, and the command with it
        if refusal := await desk.stores.queue.wait_for_answer(source, _ANSWERED_WITHIN):
            raise Refused(refusal)


async def _tell_refusal(desk: DeskParts, place: str, caller: Caller, why: str) -> None:
    """Sends the reason privately, at most once in a minute for each person."""
    if caller.person in desk.refused:
        return
    desk.refused[caller.person] = True
    try:
        await tell(
            desk.chats,
            place,
            caller.person,
            say("Your reaction changed nothing: {why}", why=why),
        )
    except DeliveryError as problem:
        facts = {"action": "reaction_refused", "place": place, "reason": str(problem)}
        logger.info("a refused reaction could not be explained", extra=facts)


async def _recount(desk: DeskParts, message: SentMessage) -> None:
    """Makes the votes by reaction on one message equal to the reactions on it. Typed and
    pressed votes are not touched.
    """
    chat = desk.chats.get(platform_of(message.place))
    if chat is None:
        return
    debate = await desk.service.load(message.debate)
    if debate.opened is None or debate.final:
        return
    subject = message.subject or ""
    ballot = ballot_of(debate, subject)
    counted = await _held(desk, debate.id, subject, ballot)
    reactions = await _read_reactions(desk, chat, message)
    if reactions is None:
        return  # the message is gone or out of reach: what was counted stands
    for reaction in reactions:
        if reaction.people and unfolds(debate, message.key, reaction.emoji):
            await _unfold(desk, debate, reaction.people[0])
        for account in reaction.people if reaction.emoji == SEAT_EMOJI and subject else ():
            if await _may_ask(desk, chat, message.place, account, debate):
                person = desk.permissions.person(account)
                with suppress(Refused):  # nobody waits for an answer to an old reaction
                    await ask_by_reaction(desk.stores.queue, debate, subject, person)
    now, roles = _read(desk, debate, reactions, ballot)
    if not counted and not now:
        return
    meanwhile = await _held(desk, debate.id, subject, ballot)
    debate = await desk.service.load(debate.id)
    for person in {**counted, **now}:
        if counted.get(person) != meanwhile.get(person):
            continue  # an event of theirs came in while we looked, and is the newer word
        vote = debate.votes.get((subject, person))
        commands = mending_votes(
            counted.get(person, []),
            reaction_source(message, ""),
            now.get(person, []),
            vote.option if vote else "",
            CastVote(person, "", subject, roles.get(person, "")),
        )
        await _enqueue(desk, debate.id, commands)


async def _may_ask(desk: DeskParts, chat: object, place: str, account: str, debate: Debate) -> bool:
    """Return whether a reaction that is found later may ask for the hot seat: it needs the same
    permission as a reaction that is seen at once.
    """
    guest = isinstance(chat, Guests) and await chat.is_guest(place, account)
    caller = Caller(account, place, "recount", guest=guest)
    return await desk.permissions.may(caller, Action.HOT_SEAT, debate)


async def _unfold(desk: DeskParts, debate: Debate, by: str) -> None:
    """Shows the whole statement, once for a debate however often people request it."""
    await desk.stores.queue.enqueue(debate.id, ShowWhole(by), f"whole:{debate.id}")


def _read(
    desk: DeskParts, debate: Debate, reactions: Sequence[Reaction], ballot: Sequence[Option]
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Returns the options that each person shows, and the role in which each of them votes."""
    now: dict[str, list[str]] = {}
    roles: dict[str, str] = {}
    for reaction in reactions:
        option = option_of(reaction.emoji, ballot)
        if option is None:
            continue
        for account, name in zip_longest(reaction.people, reaction.names, fillvalue=""):
            person = desk.permissions.person(account)
            now.setdefault(person, []).append(option)
            roles[person] = desk.permissions.role_in(debate, account, name)
    return now, roles


async def _read_reactions(
    desk: DeskParts, chat: Chat, message: SentMessage
) -> Sequence[Reaction] | None:
    """Returns the reactions on a message now, or None if they can't be read. It waits for a
    platform that wants fewer requests.
    """
    for _ in range(_TRIES):
        try:
            return await chat.read_reactions(message.place, message.message)
        except DeliveryError as problem:
            if problem.kind != DeliveryFailure.RETRY:
                return None
            await desk.clock.sleep(problem.after)
    return None


async def _held(
    desk: DeskParts, debate: str, subject: str, ballot: Sequence[Option]
) -> dict[str, list[HeldOption]]:
    return held_options(await desk.stores.queue.find_from(debate, ""), subject, ballot)


async def _enqueue(
    desk: DeskParts, debate: str, commands: Iterable[tuple[str, CastVote | WithdrawVote]]
) -> None:
    stamp = desk.clock.now().isoformat()
    for number, (where, command) in enumerate(commands):
        source = f"{where}recount:{command.voter}:{stamp}:{number}"
        await desk.stores.queue.enqueue(debate, command, source)


def _weight(message: SentMessage) -> int:
    """Orders messages if there is little time: the verdict is read first, then findings, then
    statements.
    """
    if not message.subject:
        return 0
    if ".f" in message.subject:
        return 1
    return 2
