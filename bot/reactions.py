"""Votes by reaction: what an event says, and what the messages show when events were missed.

A reaction that is ours to count becomes a stored command under the message it stands on, so that a later count touches the votes of this
message alone: what was typed or pressed stays. When a missed reaction was given, nobody can tell: while the vote is open, it counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from adapters.desk import Caller
from adapters.posts import Chat, Reaction, Sending
from adapters.telling.words import NUMBERS, name_of
from core import commands as c
from core import events as e
from core.debate import Debate
from core.template import Option
from core.verdict.votes import AUTHOR, ballot_of, resolve
from storage.messages import Message

if TYPE_CHECKING:
    from bot.wiring import House

PATIENCE = 5
"""Tries to read one message's reactions from a platform that asks to slow down."""


@dataclass(frozen=True, slots=True)
class Reactions:
    """``chats`` are the connected platforms by name."""

    house: House
    chats: Mapping[str, Chat]
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def reacted(self, place: str, message: str, caller: Caller, emoji: str, added: bool) -> None:
        """``adapters.desk.Desk.reacted``. One person's reactions are taken one by one: the last counts, however quick they were."""
        async with self._turns.setdefault(caller.person, asyncio.Lock()):
            await self._reacted(place, message, caller, emoji, added)

    async def _reacted(self, place: str, message: str, caller: Caller, emoji: str, added: bool) -> None:
        found = await self.house.messages.at(place, message)
        if found is None or found.subject is None:
            return
        debate = await self.house.load(found.debate)
        if debate.final or debate.opened is None:
            return
        option = meant(emoji, ballot_of(debate, found.subject))
        if option is None:
            return
        person = self.house.person(caller.person)
        command: c.Command = c.WithdrawVote(person, option, found.subject)
        if added:
            command = c.CastVote(person, option, found.subject, role=role_of(debate, caller.person, caller.name))
        before = [] if added else (await self._counted(found)).get(person, [])
        fresh = await self.house.give(found.debate, command, reaction_source(found, caller.source))
        if fresh and (left := standing(before, [option], debate.votes.get((found.subject, person)))) is not None:
            again = c.CastVote(person, left, found.subject, role_of(debate, caller.person, caller.name))
            await self.house.give(found.debate, again, reaction_source(found, f"{caller.source}:left"))

    async def recount(self, platform: str) -> None:
        """``adapters.desk.Desk.recount``"""
        for message in sorted(await self.house.messages.live(platform), key=weight):
            await self._recount(message)

    async def recount_debate(self, id: str) -> None:
        """Reads all that people show on a debate's messages, wherever it is told: what counts in the end is what stands there."""
        for message in sorted(await self.house.messages.of(id), key=weight):
            if message.subject is not None:
                await self._recount(message)

    async def _recount(self, message: Message) -> None:
        """Brings the votes by reaction on one message in line with what it shows. Votes that were typed or pressed are not touched."""
        chat = self.chats.get(message.place.partition(":")[0])
        if chat is None:
            return
        counted = await self._counted(message)
        held = await self._shown(chat, message)
        if held is None:
            return  # the message is gone or out of reach: what was counted stands
        debate = await self.house.load(message.debate)
        if debate.opened is None or debate.final:
            return
        ballot = ballot_of(debate, message.subject or "")
        now: dict[str, list[str]] = {}
        roles: dict[str, str] = {}
        for reaction in held:
            if (option := meant(reaction.emoji, ballot)) is not None:
                for account, name in zip_longest(reaction.people, reaction.names, fillvalue=""):
                    who = self.house.person(account)
                    now.setdefault(who, []).append(option)
                    roles[who] = role_of(debate, account, name)
        meanwhile = await self._counted(message)
        for who in {**counted, **now}:
            if counted.get(who) == meanwhile.get(who):  # else an event of theirs came in while we looked, and is the newer word
                vote = debate.votes.get((message.subject or "", who))
                commands = due(counted.get(who, []), now.get(who, []), vote, c.CastVote(who, "", message.subject or "", roles.get(who, "")))
                await self._give(message, who, commands)

    async def _shown(self, chat: Chat, message: Message) -> Sequence[Reaction] | None:
        """What stands on a message now; None where that can't be known. A platform that asks to slow down is waited for."""
        for _ in range(PATIENCE):
            try:
                return await chat.reactions(message.place, message.message)
            except Sending as problem:
                if problem.kind != "retry":
                    return None
                await self.house.clock.sleep(problem.after)
        return None

    async def _counted(self, message: Message) -> dict[str, list[str]]:
        """Who holds which options on a message, by the reactions that were taken so far."""
        held: dict[str, list[str]] = {}
        for signal in await self.house.signals.given(message.debate, reaction_source(message, "")):
            match signal.command:
                case c.CastVote(voter, option):
                    held[voter] = [*(x for x in held.get(voter, ()) if x != option), option]
                case c.WithdrawVote(voter, option):
                    held[voter] = [x for x in held.get(voter, ()) if x != option]
                case _:
                    pass
        return {who: options for who, options in held.items() if options}

    async def _give(self, message: Message, who: str, commands: Iterable[c.Command]) -> None:
        stamp = self.house.clock.now().isoformat()
        for number, command in enumerate(commands):
            await self.house.give(message.debate, command, reaction_source(message, f"recount:{who}:{stamp}:{number}"))


def due(counted: Sequence[str], now: Sequence[str], vote: e.VoteCast | None, cast: c.CastVote) -> list[c.Command]:
    """What brings a person's counted reactions on a message in line with what stands there. ``cast`` is their vote without an option."""
    gone = [option for option in counted if option not in now]
    fresh = [option for option in now if option not in counted]
    if not fresh and (left := standing(counted, gone, vote)) is not None:
        fresh = [left]
    return [*(c.WithdrawVote(cast.voter, option, cast.subject) for option in gone), *(replace(cast, option=option) for option in fresh)]


def standing(held: Sequence[str], gone: Collection[str], vote: e.VoteCast | None) -> str | None:
    """The option that is a person's vote again once ``gone`` are taken back; None where none is left or the last one was not among them.

    ``held`` are their options on the message in the order they came; ``vote`` is what counts now, which may have been typed elsewhere.
    """
    left = [option for option in held if option not in gone]
    if not left or held[-1] not in gone or (vote is not None and vote.option not in held):
        return None
    return left[-1]


def weight(message: Message) -> int:
    """What is read first where there is little time: the verdict, then findings, then statements."""
    return 0 if not message.subject else 1 if ".f" in message.subject else 2


def meant(emoji: str, ballot: Sequence[Option]) -> str | None:
    """The option that a reaction means on this ballot; an option without an emoji has its number. None: no vote."""
    for number, option in enumerate(ballot):
        if not option.emoji and number < len(NUMBERS) and emoji == NUMBERS[number]:
            return option.option
    named = resolve(emoji, [o for o in ballot if o.emoji])
    return named if any(o.emoji and o.option == named for o in ballot) else None


def reaction_source(message: Message, event: str) -> str:
    """The source key of a vote that is a reaction on ``message``: such votes are told from typed ones, and per message."""
    return f"reaction:{message.place} {message.message} {event}"


def role_of(debate: Debate, person: str, name: str) -> str:
    """The role in which a person votes: whoever wrote the change is shown apart and not counted."""
    author = debate.open.material.author if debate.opened is not None else ""
    mine = {name.lower(), name_of(person).lower()} - {""}
    return AUTHOR if author and author.lower() in mine else ""
