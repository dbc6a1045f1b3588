"""Adds the vote's legend as the bot's own reactions, in order, so that people need only click; and
reads people's reactions.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from slack_sdk.errors import SlackApiError

from adapters.ports.chat import Reaction
from adapters.slack import places
from adapters.slack.outgoing.failures import reason_of
from adapters.slack.outgoing.pace import Pace
from adapters.slack.workspaces import Workspaces
from adapters.text.emoji import plain_name
from core.application.place import Place

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_SECONDS = 1.2  # between two: Slack grants ``reactions.add`` fifty times a minute in a workspace
_BURST = 20  # after a rest, so that a verdict's legend is there with the verdict
_IMPOSSIBLE = frozenset({"invalid_name", "too_many_emoji", "too_many_reactions"})

log = logging.getLogger(__name__)


class ReactionAdder:
    """Reactions at the pace that Slack grants a workspace.

    ``pace`` is 1.0 for Slack itself, 0.0 for no waiting.
    """

    def __init__(self, pace: float) -> None:
        self._pace = Pace(_SECONDS * pace, saved=_BURST * _SECONDS * pace)

    async def add(self, client: AsyncWebClient, where: Place, ts: str, name: str) -> None:
        """Adds one reaction of the bot; does nothing on a message that was deleted."""
        await self._pace.wait(places.place(where.workspace, ""))
        try:
            await react(client, where.channel, ts, name)
        except SlackApiError as error:
            if reason_of(error) != "message_not_found":
                raise


async def react(client: AsyncWebClient, channel: str, ts: str, name: str) -> None:
    """Adds one of our reactions; an existing reaction changes nothing."""
    try:
        await client.reactions_add(channel=channel, timestamp=ts, name=name)
    except SlackApiError as error:
        if reason_of(error) == "already_reacted":
            return
        if reason_of(error) not in _IMPOSSIBLE:
            raise
        fields = {"action": "slack.react", "emoji": name, "error": reason_of(error)}
        # the legend's text still says what to press
        log.warning("a reaction could not be added", extra=fields)


async def read_reactions(
    client: AsyncWebClient, workspaces: Workspaces, where: Place, ts: str
) -> list[Reaction]:
    """Returns the people on each emoji now, without the bot and other bots; skin tones and aliases
    count as one emoji.
    """
    us = await workspaces.identity(where.workspace)
    answer = await client.reactions_get(channel=where.channel, timestamp=ts, full=True)
    held: dict[str, dict[str, str]] = {}
    for reaction in (answer.get("message") or {}).get("reactions") or ():
        people = held.setdefault(plain_name(str(reaction["name"])), {})
        for user in reaction.get("users") or ():
            person = await workspaces.person(where.workspace, user)
            if user != us.user and not person.bot:
                people[str(places.person(where.workspace, user))] = person.name
    return [Reaction.of(name, people) for name, people in held.items() if people]
