"""Votes by reaction: what an event says, and what the messages show when events were missed.

A reaction that is ours to count becomes a stored command under the message it stands on, so that a later count touches the votes of this
message alone: what was typed or pressed stays. When a missed reaction was given, nobody can tell: while the vote is open, it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from adapters.desk import Caller
from adapters.posts import Chat, Reaction, Sending
from adapters.telling import NUMBERS, name_of
from core import commands as c
from core.debate import Debate
from core.template import Option
from core.votes import AUTHOR, FINDING_BALLOT, resolve
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

    async def reacted(self, place: str, message: str, caller: Caller, emoji: str, added: bool) -> None:
        """``adapters.desk.Desk.reacted``"""
        found = await self.house.messages.at(place, message)
        if found is None or found.subject is None:
            return
        debate = await self.house.load(found.debate)
        if debate.final or debate.opened is None:
            return
        option = meant(emoji, FINDING_BALLOT if found.subject else debate.open.template.ballot)
        if option is None:
            return
        person = self.house.person(caller.person)
        command: c.Command = c.WithdrawVote(person, option, found.subject)
        if added:
            command = c.CastVote(person, option, found.subject, role=role_of(debate, caller.person, caller.name))
        await self.house.give(found.debate, command, reaction_source(found, caller.source))

    async def recount(self, platform: str) -> None:
        """``adapters.desk.Desk.recount``"""
        for message in await self.house.messages.live(platform):
            await self._recount(message)

    async def recount_debate(self, id: str) -> None:
        """Reads all that people show on a debate's messages, wherever it is told: what counts in the end is what stands there."""
        for message in await self.house.messages.of(id):
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
        ballot = FINDING_BALLOT if message.subject else debate.open.template.ballot
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
                await self._settle(message, who, counted.get(who, []), now.get(who, []), roles.get(who, ""))

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

    async def _settle(self, message: Message, who: str, counted: Sequence[str], now: Sequence[str], role: str) -> None:
        subject = message.subject or ""
        gone: list[c.Command] = [c.WithdrawVote(who, option, subject) for option in counted if option not in now]
        fresh: list[c.Command] = [c.CastVote(who, option, subject, role) for option in now if option not in counted]
        stamp = self.house.clock.now().isoformat()
        for number, command in enumerate(gone + fresh):
            await self.house.give(message.debate, command, reaction_source(message, f"recount:{who}:{stamp}:{number}"))


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
