"""The vote's legend as the bot's own reactions, in order, so that people need only click; and the
people behind each reaction.

A message holds at most twenty different emoji and the bot may lack the permission: then one line in
the thread explains how else to vote, and the post itself counts as delivered.
"""

from __future__ import annotations

from collections.abc import Sequence

import discord
from cachetools import LRUCache

from adapters.discord import places
from adapters.discord.outgoing import channels, failures
from adapters.discord.outgoing.layout import marks
from adapters.ports.chat import Post, Reaction, ReactionOption, Shape
from adapters.text import emoji
from core.application.presence import DeliveryError, DeliveryFailure
from core.languages import msgid, say

_REMEMBERED = 2_000
_WHY = {
    failures.REACTIONS_FULL: msgid(
        "That message has all the different reactions that Discord allows."
    ),
    failures.MISSING_PERMISSIONS: msgid(
        "I may not add reactions here: my role lacks Add Reactions or Read Message History."
    ),
    failures.UNKNOWN_EMOJI: msgid("Discord does not know one of the vote's emoji."),
}


class ReactionAdder:
    """Adds reactions and remembers them, so that editing a root costs nothing; after a restart they
    are added once more, without effect.
    """

    def __init__(self) -> None:
        self._added: LRUCache[str, tuple[ReactionOption, ...]] = LRUCache(_REMEMBERED)
        self._said: LRUCache[tuple[str, int], bool] = LRUCache(_REMEMBERED)

    async def add(self, client: discord.Client, place: str, ids: Sequence[str], post: Post) -> None:
        """Puts the options of ``post`` on the message that its votes are counted on: a root's
        first, else the last text.
        """
        texts = [each for each in ids if not places.parts(each)[2]]
        if not post.reaction_options or post.poll or not texts:
            return
        message = texts[0] if post.shape is Shape.ROOT else texts[-1]
        if self._added.get(message) == post.reaction_options:
            return
        try:
            for option in post.reaction_options:
                if emoji.character(option.emoji):
                    await react(client, place, message, option.emoji)
        except discord.HTTPException as error:
            if error.code not in _WHY:
                raise
            await self._explain(client, place, message, error.code)
        self._added[message] = post.reaction_options

    async def _explain(self, client: discord.Client, place: str, message: str, code: int) -> None:
        channel = places.parts(message)[0]
        if (str(channel), code) in self._said:
            return
        self._said[str(channel), code] = True
        home = channels.home_of(client, place, channel)
        nonce, _ = marks(f"unseeded:{code}", 0, channel)
        text = f"{say(_WHY[code])} {say('Vote with `/debate vote` instead.')}"
        await home.send(
            text,
            nonce=nonce,
            suppress_embeds=True,
            silent=True,
            allowed_mentions=channels.NO_MENTIONS,
        )


async def react(client: discord.Client, place: str, message: str, name: str) -> None:
    """Adds one reaction of the bot; one that is there already changes nothing.

    Raises ``DeliveryError`` for a name without an emoji.
    """
    character = emoji.character(name)
    if not character:
        raise DeliveryError(DeliveryFailure.DEAD, f"Discord has no emoji named {name!r}")
    channel, number, _ = places.parts(message)
    home = channels.home_of(client, place, channel)
    partial = home.get_partial_message(number)
    await channels.with_open_thread(client, home, lambda: partial.add_reaction(character))


async def read_reactions(message: discord.Message, guild: int | None) -> list[Reaction]:
    """Returns the choices of people, never bots, on a message: its reactions, or the answers of its
    poll.
    """
    merged: dict[str, dict[str, str]] = {}
    for answer in message.poll.answers if message.poll is not None else ():
        voters = {
            str(places.person(guild, user.id)): user.display_name
            async for user in answer.voters()
            if not user.bot
        }
        merged.setdefault(answer_name(answer), {}).update(voters)
    for reaction in message.reactions:
        if reaction.count > reaction.me:  # one that only the bot holds is not worth a request
            people = {
                str(places.person(guild, user.id)): user.display_name
                async for user in reaction.users()
                if not user.bot
            }
            merged.setdefault(reaction_name(reaction.emoji), {}).update(people)
    return [Reaction.of(name, people) for name, people in merged.items() if people]


def answer_name(answer: discord.PollAnswer) -> str:
    """Returns the short name of the emoji that an answer of our polls has."""
    if answer.emoji is None:
        return str(answer.id)
    return reaction_name(answer.emoji)


def reaction_name(given: discord.PartialEmoji | discord.Emoji | str) -> str:
    """Returns the bare short name of a reaction; a server's own emoji keeps its name."""
    if isinstance(given, str):
        return emoji.short_name(given)
    if given.id:
        return given.name
    return emoji.short_name(given.name)
