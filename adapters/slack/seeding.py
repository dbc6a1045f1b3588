"""The vote's legend as our own reactions, in order, so that people need only click."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from slack_sdk.errors import SlackApiError

from adapters.posts import Post, Seed
from adapters.slack.reading import Spot
from adapters.slack.sending import refusal

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_REMEMBERED = 2_000
_UNSEEDED = frozenset({"invalid_name", "too_many_emoji", "too_many_reactions"})

log = logging.getLogger(__name__)


class Seeder:
    """Remembers what it has seeded, so that the edits of a root cost nothing; a restart seeds once more, without effect."""

    def __init__(self) -> None:
        self._seeded: OrderedDict[tuple[Spot, str], tuple[Seed, ...]] = OrderedDict()

    async def seed(self, client: AsyncWebClient, where: Spot, ts: str, post: Post) -> None:
        if not post.seeds or self._seeded.get((where, ts)) == post.seeds:
            return
        for seed in post.seeds:
            await react(client, where.channel, ts, seed.emoji)
        self._seeded[where, ts] = post.seeds
        if len(self._seeded) > _REMEMBERED:
            self._seeded.popitem(last=False)


async def react(client: AsyncWebClient, channel: str, ts: str, name: str) -> None:
    """Adds one reaction of ours; one that is there already changes nothing."""
    try:
        await client.reactions_add(channel=channel, timestamp=ts, name=name)
    except SlackApiError as error:
        if refusal(error) == "already_reacted":
            return
        if refusal(error) not in _UNSEEDED:
            raise
        told = {"action": "slack.seed", "emoji": name, "error": refusal(error)}
        log.warning("a reaction could not be seeded", extra=told)  # the legend's text still says what to press
