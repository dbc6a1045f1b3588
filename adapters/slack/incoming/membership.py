"""Who is in a channel: whether we may post there, and whether a person may see what stands there,
for the Home tab, which shows debates of many channels to one person.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cachetools import TTLCache

from adapters.ports.place import Place
from adapters.slack.outgoing.failures import reason_of
from adapters.slack.workspaces import Workspaces
from core.errors import BadInput

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_KEPT = 300.0
"""Seconds for which an answer of Slack is believed."""
_MOST = 5_000
_PAGES = 10  # of 1000 people
_PATIENCE = 5.0  # seconds
_UNREACHABLE = (
    "I am not in this channel, so I could not post there. Invite me with /invite @debate and "
    "repeat the command."
)


async def require_member(client: AsyncWebClient, where: Place) -> None:
    """Raises ``BadInput`` when a debate started here could not post: better said before anything is
    stored and paid.
    """
    from slack_sdk.errors import SlackApiError, SlackClientError

    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await client.conversations_info(channel=where.channel)
    except SlackApiError as error:
        if reason_of(error) in ("channel_not_found", "not_in_channel"):
            raise BadInput(_UNREACHABLE) from error
        return  # Slack did not say: posting will tell
    except (SlackClientError, TimeoutError, OSError):
        return
    channel = answer.get("channel") or {}
    if channel.get("is_archived"):
        raise BadInput("This channel is archived. Start the debate somewhere else.")
    if not (channel.get("is_member") or channel.get("is_im") or channel.get("is_mpim")):
        raise BadInput(_UNREACHABLE)


class Memberships:
    """Public channels are everybody's; a private one is shown to the people in it.

    What Slack does not say is not shown.
    """

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._known: TTLCache[Place, frozenset[str] | None] = TTLCache(_MOST, _KEPT)

    async def sees(self, where: Place, user: str) -> bool:
        from slack_sdk.errors import SlackApiError

        if where not in self._known:
            try:
                self._known[where] = await self._people(where)
            except SlackApiError:
                return False
        people = self._known[where]
        return people is None or user in people

    async def _people(self, where: Place) -> frozenset[str] | None:
        """The people of a private channel, None for a public one. Raises ``SlackApiError``."""
        client = await self._workspaces.client(where.workspace)
        channel = (await client.conversations_info(channel=where.channel)).get("channel") or {}
        if not (channel.get("is_private") or channel.get("is_im") or channel.get("is_mpim")):
            return None
        people: set[str] = set()
        cursor = None
        for _ in range(_PAGES):
            answer = await client.conversations_members(
                channel=where.channel, limit=1000, cursor=cursor
            )
            people |= set(answer.get("members") or ())
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
        return frozenset(people)
