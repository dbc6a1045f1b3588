"""The vote's legend as our own reactions, in order, so that people need only click."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from slack_sdk.errors import SlackApiError

from adapters.ports.place import Place
from adapters.slack import places
from adapters.slack.outgoing.failures import refusal
from adapters.slack.outgoing.pace import Pace

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_SECONDS = 1.2  # between two: Slack grants ``reactions.add`` fifty times a minute in a workspace
_BURST = 20  # after a rest, so that a verdict's legend is there with the verdict
_UNSEEDED = frozenset({"invalid_name", "too_many_emoji", "too_many_reactions"})

log = logging.getLogger(__name__)


class ReactionAdder:
    """Reactions at the pace that Slack grants a workspace.

    ``pace`` is 1.0 for Slack itself, 0.0 for no waiting.
    """

    def __init__(self, pace: float) -> None:
        self._pace = Pace(_SECONDS * pace, saved=_BURST * _SECONDS * pace)

    async def add(self, client: AsyncWebClient, where: Place, ts: str, name: str) -> None:
        """Adds one reaction of ours; on a message that somebody deleted nobody misses it."""
        await self._pace.turn(places.place(where.workspace, ""))
        try:
            await react(client, where.channel, ts, name)
        except SlackApiError as error:
            if refusal(error) != "message_not_found":
                raise


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
        log.warning(
            "a reaction could not be seeded", extra=told
        )  # the legend's text still says what to press
