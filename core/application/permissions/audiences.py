"""Reads who can see a place from its platform, at this moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.application.commands.actions import Action, Makes
from core.application.permissions.audience import (
    ANYBODY,
    Audience,
    Copy,
    Reach,
    may_hold,
    rule_copy,
)
from core.application.place import ROOM, SHELL, Place, Places
from core.application.presence import DeliveryError, Presence, SharedChannels
from core.debate.state import Debate


@dataclass(frozen=True, slots=True)
class Audiences:
    chats: Mapping[str, Any]
    places: Places

    async def rule(
        self, debate: Debate, action: Action, place: str, *, by_shell: bool = False
    ) -> Copy | str:
        """Returns the permission to make something of a debate in a place, or why there is none; a
        link has no place.
        """
        copy = ANYBODY if action.makes is Makes.LINK else await self.of(place)
        origins = [await self.of(each) for each in debate.places]
        return rule_copy(debate, action, copy, origins, by_shell=by_shell)

    async def may_read(self, debate: Debate, place: str) -> bool:
        """True if everybody who reads a place may read the debate."""
        origins = [await self.of(each) for each in debate.places]
        return may_hold(await self.of(place), origins, sealed=debate.private)

    async def of(self, place: str) -> Audience:
        where = Place.parse(place)
        try:
            reach = await self._reach(where)
        except DeliveryError:
            reach = Reach.UNKNOWN
        return Audience(reach, place, self.places.workspace_of(place))

    async def _reach(self, where: Place) -> Reach:
        """Returns how widely a place is read. Raises ``DeliveryError`` while that can't be
        known.
        """
        place = str(where)
        if where.platform == SHELL:
            return Reach.MACHINE
        if where.platform == ROOM:
            return Reach.WORKSPACE
        if self.places.is_direct(place):
            return Reach.PERSON
        chat: object = self.chats.get(where.platform)
        if not isinstance(chat, Presence):
            return Reach.UNKNOWN
        if isinstance(chat, SharedChannels) and await chat.is_shared(place):
            return Reach.SHARED
        return Reach.WORKSPACE if await chat.is_open(place) else Reach.MEMBERS
