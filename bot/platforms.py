"""The chats that a debate can live in, and what their places mean: the same whether a chat is
connected here or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters.discord import places as discord_places
from adapters.ports.place import Place, PlaceRules
from adapters.room import places as room_places
from adapters.slack import places as slack_places

CHATS: Mapping[str, PlaceRules] = {
    slack_places.PLATFORM: slack_places,
    discord_places.PLATFORM: discord_places,
}
"""Platforms with threads to post into; a shell and a room read the events themselves."""

_RULES: Mapping[str, PlaceRules] = {**CHATS, room_places.PLATFORM: room_places}


def is_direct(place: str) -> bool:
    """Whether a place is a conversation between one person and the bot."""
    where = Place.parse(place)
    rules = _RULES.get(where.platform)
    return rules is not None and rules.is_direct(where)


def workspace_of(place: str) -> str:
    """Whose place it is: what is shown to one person there may be shown to all of them."""
    where = Place.parse(place)
    rules = _RULES.get(where.platform)
    if rules is not None:
        return rules.workspace_of(where)
    return where.workspace_key or place
