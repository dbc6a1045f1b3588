"""Asks Slack who is in a channel, and believes the answer for seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cachetools import TTLCache

from adapters.slack import places
from adapters.slack.outgoing.failures import delivering, delivery_error
from adapters.slack.workspaces import Workspaces
from core.application.place import Person, Place
from core.application.presence import Ref

_KEPT = 15.0
"""Seconds for which an answer of Slack is believed: one list asks for many debates of a channel."""
_MOST = 5_000
_PAGES = 20  # of 1000 people


class Presences:
    """Answers the questions of ``core.application.presence``."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._channels: TTLCache[Place, Mapping[str, Any]] = TTLCache(_MOST, _KEPT)
        self._people: TTLCache[Place, frozenset[str]] = TTLCache(_MOST, _KEPT)

    async def is_open(self, place: str) -> bool:
        """True if the channel is public and not shared with other organisations."""
        channel = await self._channel(place)
        closed = ("is_private", "is_im", "is_mpim", "is_ext_shared")
        return bool(channel) and not any(channel.get(each) for each in closed)

    async def is_shared(self, place: str) -> bool:
        return bool((await self._channel(place)).get("is_ext_shared"))

    async def channel_name(self, place: str) -> str:
        name = (await self._channel(place)).get("name")
        return f"#{name}" if name else ""

    async def require_open(self, ref: Ref) -> None:
        self._channels.pop(places.parse(ref.place), None)  # people may just have opened it
        channel = await self._channel(ref.place)
        if channel.get("is_archived"):
            raise delivery_error({"error": "is_archived"})
        if not any(channel.get(each) for each in ("is_member", "is_im", "is_mpim")):
            raise delivery_error({"error": "not_in_channel"})

    async def _channel(self, place: str) -> Mapping[str, Any]:
        where = places.parse(place)
        if where not in self._channels:
            async with delivering():
                client = await self._workspaces.client(where.workspace)
                answer = await client.conversations_info(channel=where.channel)
            self._channels[where] = answer.get("channel") or {}
        return self._channels[where]

    async def is_inside(self, place: str, person: str) -> bool:
        where = places.parse(place)
        who = Person.parse(person)
        if who.platform != places.PLATFORM or who.workspace != where.workspace:
            return False
        if where not in self._people:
            async with delivering():
                self._people[where] = await self._read_people(where)
        return who.account in self._people[where]

    async def _read_people(self, where: Place) -> frozenset[str]:
        client = await self._workspaces.client(where.workspace)
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
