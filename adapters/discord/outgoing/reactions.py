"""The vote's legend as the bot's own reactions, in order, so that people need only click.

A message holds at most twenty different emoji and the bot may lack the permission: then the thread
is told once, in one line, how else to vote, and the post itself counts as delivered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeVar

import discord

from adapters.discord import places
from adapters.discord.outgoing import channels, emoji, failures
from adapters.discord.outgoing.layout import mark
from adapters.ports.chat import DeliveryError, Post, ReactionOption, Shape

K = TypeVar("K")
V = TypeVar("V")

REMEMBERED = 2000
WHY = {
    failures.REACTIONS_FULL: "That message has all the different reactions that Discord allows.",
    failures.MISSING_PERMISSIONS: "I may not add reactions here: my role lacks Add Reactions or "
    "Read Message History.",
    failures.UNKNOWN_EMOJI: "Discord does not know one of the vote's emoji.",
}


class ReactionAdder:
    """Remembers what it has seeded and said, so that the edits of a root cost nothing; a restart
    seeds once more, without effect.
    """

    def __init__(self) -> None:
        self._seeded: OrderedDict[str, tuple[ReactionOption, ...]] = OrderedDict()
        self._said: OrderedDict[tuple[str, int], None] = OrderedDict()

    async def seed(
        self, client: discord.Client, place: str, ids: Sequence[str], post: Post
    ) -> None:
        """Puts the seeds of ``post`` on the message that its votes are counted on: a root's first,
        else the last text.
        """
        texts = [each for each in ids if not places.parts(each)[2]]
        if not post.reaction_options or post.poll or not texts:
            return
        message = texts[0] if post.shape is Shape.ROOT else texts[-1]
        if self._seeded.get(message) == post.reaction_options:
            return
        try:
            for seed in post.reaction_options:
                if emoji.character(seed.emoji):
                    await add(client, place, message, seed.emoji)
        except discord.HTTPException as error:
            if error.code not in WHY:
                raise
            await self._say(client, place, message, error.code)
        _keep(self._seeded, message, post.reaction_options)

    async def _say(self, client: discord.Client, place: str, message: str, code: int) -> None:
        channel = places.parts(message)[0]
        if (str(channel), code) in self._said:
            return
        _keep(self._said, (str(channel), code), None)
        home = channels.home_of(client, place, channel)
        nonce = mark(f"unseeded:{code}", 0, channel).nonce
        text = f"{WHY[code]} Vote with `/debate vote` instead."
        await home.send(
            text,
            nonce=nonce,
            suppress_embeds=True,
            silent=True,
            allowed_mentions=channels.NO_MENTIONS,
        )


async def add(client: discord.Client, place: str, message: str, name: str) -> None:
    """Adds one reaction of the bot; one that is there already changes nothing.

    Raises ``DeliveryError`` for a name without an emoji.
    """
    character = emoji.character(name)
    if not character:
        raise DeliveryError("dead", f"Discord has no emoji named {name!r}")
    channel, number, _ = places.parts(message)
    home = channels.home_of(client, place, channel)
    partial = home.get_partial_message(number)
    await channels.unarchiving(client, home, lambda: partial.add_reaction(character))


def _keep(memory: OrderedDict[K, V], key: K, value: V) -> None:
    memory[key] = value
    while len(memory) > REMEMBERED:
        memory.popitem(last=False)
