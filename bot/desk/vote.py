"""Votes by reaction: what an event says, and what the messages show when events were missed.

A reaction that is ours to count becomes a stored command under the message it stands on, so that a
later count touches the votes of this message alone: what was typed or pressed stays. When a missed
reaction was given, nobody can tell: while the vote is open, it counts.

One thing can be voted on in several ways: the verdict by reactions on the root and on the verdict's
own message, in every place where the debate is told, by command and by button. All that a person
holds is kept in its order; the last one standing is their vote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from adapters.ports.chat import Chat, DeliveryError, Reaction
from adapters.ports.desk import Caller
from adapters.posts.words import NUMBERS, name_of
from core import commands as c
from core.debate import Debate
from core.template import Option
from core.verdict.votes import AUTHOR, ballot_of, find_option
from storage.messages import Message

if TYPE_CHECKING:
    from bot.wire import House

PATIENCE = 5
"""Tries to read one message's reactions from a platform that asks to slow down."""
LOOKS, PAUSE = 400, 0.3
"""How often, and with how many seconds in between, a message is looked for that may stand although
nobody has noted it yet.
"""
REACTION, TYPED = "reaction:", ""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Held:
    """An option that a person holds: ``where`` is the message of the reaction, or ``TYPED``;
    ``role`` is how it was counted.
    """

    where: str
    option: str
    role: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Reactions:
    """Keeps each person's reactions in their order."""

    house: House
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        """``adapters.ports.desk.Desk.reacted``.

        One person's reactions are taken one by one: the last counts, however quick they were.
        """
        async with self._turns.setdefault(caller.person, asyncio.Lock()):
            await self._reacted(place, message, caller, emoji, added)

    async def _reacted(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        found = await noted(self.house, place, lambda: self.house.messages.find(place, message))
        if found is None or found.subject is None:
            return
        debate = await self.house.load(found.debate)
        if debate.final or debate.opened is None:
            return
        ballot = ballot_of(debate, found.subject)
        option = meant(emoji, ballot)
        if option is None:
            return
        person = self.house.person(caller.person)
        command: c.Command = c.WithdrawVote(person, option, found.subject)
        if added:
            command = c.CastVote(
                person, option, found.subject, role=role_of(debate, caller.person, caller.name)
            )
        before = (
            [] if added else (await self._held(found.debate, found.subject, ballot)).get(person, [])
        )
        fresh = await self.house.enqueue(
            found.debate, command, reaction_source(found, caller.source)
        )
        if (
            fresh
            and (left := standing(before, [Held(reaction_source(found, ""), option)])) is not None
        ):
            again = c.CastVote(person, left.option, found.subject, left.role)
            await self.house.enqueue(found.debate, again, f"{left.where}{caller.source}:left")

    async def recount(self, platform: str) -> None:
        """``adapters.ports.desk.Desk.recount``"""
        for message in sorted(await self.house.messages.load_live(platform), key=weight):
            await self._recount(message)

    async def recount_debate(self, id: str) -> None:
        """Reads all that people show on a debate's messages, wherever it is told: what counts in
        the end is what stands there.
        """
        for message in sorted(await self.house.messages.load(id), key=weight):
            if message.subject is not None:
                await self._recount(message)

    async def _recount(self, message: Message) -> None:
        """Brings the votes by reaction on one message in line with what it shows.

        Votes that were typed or pressed are not touched.
        """
        chat = self.house.chat_of(message.place)
        if chat is None:
            return
        debate = await self.house.load(message.debate)
        if debate.opened is None or debate.final:
            return
        where, subject = reaction_source(message, ""), message.subject or ""
        ballot = ballot_of(debate, subject)
        counted = await self._held(message.debate, subject, ballot)
        shown = await self._shown(chat, message)
        if shown is None:
            return  # the message is gone or out of reach: what was counted stands
        now: dict[str, list[str]] = {}
        roles: dict[str, str] = {}
        for reaction in shown:
            if (option := meant(reaction.emoji, ballot)) is not None:
                for account, name in zip_longest(reaction.people, reaction.names, fillvalue=""):
                    who = self.house.person(account)
                    now.setdefault(who, []).append(option)
                    roles[who] = role_of(debate, account, name)
        meanwhile = await self._held(message.debate, subject, ballot)
        debate = await self.house.load(message.debate)
        for who in {**counted, **now}:
            if counted.get(who) == meanwhile.get(
                who
            ):  # else an event of theirs came in while we looked, and is the newer word
                cast = c.CastVote(who, "", subject, roles.get(who, ""))
                vote = debate.votes.get((subject, who))
                commands = due(
                    counted.get(who, []), where, now.get(who, []), vote.option if vote else "", cast
                )
                await self._give(message.debate, commands)

    async def _shown(self, chat: Chat, message: Message) -> Sequence[Reaction] | None:
        """What stands on a message now; None where that can't be known. A platform that asks to
        slow down is waited for.
        """
        for _ in range(PATIENCE):
            try:
                return await chat.read_reactions(message.place, message.message)
            except DeliveryError as problem:
                if problem.kind != "retry":
                    return None
                await self.house.clock.sleep(problem.after)
        return None

    async def _held(
        self, debate: str, subject: str, ballot: Sequence[Option]
    ) -> dict[str, list[Held]]:
        """What everybody holds of a subject by what was taken so far, the last one last.

        Of what was typed, only the last counts.
        """
        held: dict[str, list[Held]] = {}
        for signal in await self.house.signals.find_from(debate, ""):
            where = message_of(signal.source_key)
            match signal.command:
                case c.CastVote(voter, option, about, role) if about == subject:
                    fresh = Held(where, find_option(option, ballot) or option, role)
                    held[voter] = [
                        *(x for x in held.get(voter, []) if x != fresh and (where or x.where)),
                        fresh,
                    ]
                case c.WithdrawVote(voter, option, about) if about == subject:
                    held[voter] = [x for x in held.get(voter, []) if x != Held(where, option)]
                case _:
                    pass
        return {who: options for who, options in held.items() if options}

    async def _give(
        self, debate: str, commands: Iterable[tuple[str, c.CastVote | c.WithdrawVote]]
    ) -> None:
        stamp = self.house.clock.now().isoformat()
        for number, (where, command) in enumerate(commands):
            await self.house.enqueue(
                debate, command, f"{where}recount:{command.voter}:{stamp}:{number}"
            )


def due(
    held: Sequence[Held], where: str, now: Sequence[str], vote: str, cast: c.CastVote
) -> list[tuple[str, c.CastVote | c.WithdrawVote]]:
    """What brings what a person holds in line with the options ``now`` shown on one message, and
    under what each of it is kept.

    ``vote`` is what counts of theirs, "" if nothing does: a crash may have left it behind what they
    hold. ``cast`` is a vote of theirs on this message without an option.
    """
    counted = [x.option for x in held if x.where == where]
    gone = [option for option in counted if option not in now]
    fresh = [Held(where, option, cast.role) for option in now if option not in counted]
    left = standing(held, [Held(where, option) for option in gone])
    if not (fresh or gone) and held and vote != held[-1].option:
        left = held[-1]
    if not fresh and left is not None:
        fresh = [left]
    withdrawn = [(where, c.WithdrawVote(cast.voter, option, cast.subject)) for option in gone]
    return [*withdrawn, *((x.where, replace(cast, option=x.option, role=x.role)) for x in fresh)]


def standing(held: Sequence[Held], gone: Collection[Held]) -> Held | None:
    """What must be voted again once ``gone`` are taken back: the last one left, where that took the
    vote away; else None.

    ``held`` is in the order it came. A vote is taken back by its option, so the same option held
    elsewhere loses its vote too.
    """
    left = [x for x in held if x not in gone]
    if not left or all(x.option != held[-1].option for x in gone):
        return None
    return left[-1]


async def noted(house: House, place: str, find: Callable[[], Awaitable[T | None]]) -> T | None:
    """What ``find`` gives.

    A message that is just being posted to ``place`` is waited for: people can answer it before it
    is noted.
    """
    for _ in range(LOOKS):
        if (found := await find()) is not None:
            return found
        if not await house.outbox.is_sending(place):
            break
        await asyncio.sleep(PAUSE)
    return await find()


def weight(message: Message) -> int:
    """What is read first where there is little time: the verdict, then findings, then
    statements.
    """
    return 0 if not message.subject else 1 if ".f" in message.subject else 2


def meant(emoji: str, ballot: Sequence[Option]) -> str | None:
    """The option that a reaction means on this ballot; an option without an emoji has its number.

    None: no vote.
    """
    for number, option in enumerate(ballot):
        if not option.emoji and number < len(NUMBERS) and emoji == NUMBERS[number]:
            return option.option
    named = find_option(emoji, [o for o in ballot if o.emoji])
    return named if any(o.emoji and o.option == named for o in ballot) else None


def reaction_source(message: Message, event: str) -> str:
    """The source key of a vote that is a reaction on ``message``: such votes are told from typed
    ones, and per message.
    """
    return f"{REACTION}{message.place} {message.message} {event}"


def message_of(source: str) -> str:
    """The beginning of a source key that names the message of a reaction; ``TYPED`` for any other
    vote.
    """
    return " ".join([*source.split(" ", 2)[:2], ""]) if source.startswith(REACTION) else TYPED


def role_of(debate: Debate, person: str, name: str) -> str:
    """The role in which a person votes: whoever wrote the change is shown apart and not counted."""
    author = debate.open.material.author if debate.opened is not None else ""
    mine = {name.lower(), name_of(person).lower()} - {""}
    return AUTHOR if author and author.lower() in mine else ""
