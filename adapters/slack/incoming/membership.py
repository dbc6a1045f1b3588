"""Who may see what stands in a channel: for the Home tab, which shows debates of many channels to
one person.
"""

from __future__ import annotations

import time

from adapters.ports.place import Place
from adapters.slack.setup.workspaces import Workspaces

KEPT = 300.0
"""Seconds for which an answer of Slack is believed."""
_MOST = 5_000
_PAGES = 10  # of 1000 people


class Memberships:
    """Public channels are everybody's; a private one is shown to the people in it.

    What Slack does not say is not shown.
    """

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._known: dict[Place, tuple[float, frozenset[str] | None]] = {}

    async def sees(self, where: Place, user: str) -> bool:
        from slack_sdk.errors import SlackApiError

        now = time.monotonic()
        kept = self._known.get(where)
        if kept is None or now - kept[0] > KEPT:
            try:
                kept = (now, await self._people(where))
            except SlackApiError:
                return False
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[where] = kept
        return kept[1] is None or user in kept[1]

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
