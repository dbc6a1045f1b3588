"""The chats that a debate can live in and how to read their places, whether or not a chat is
connected here.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping

from adapters.discord import places as discord_places
from adapters.ports.platform import ChatPlatform
from adapters.room import places as room_places
from adapters.slack import places as slack_places
from core.application.place import Person, Place, PlaceRules

_OURS: Mapping[str, PlaceRules] = {
    slack_places.PLATFORM: slack_places,
    discord_places.PLATFORM: discord_places,
}
_PLUGGED: dict[str, PlaceRules] = {}
CHATS: Mapping[str, PlaceRules] = ChainMap({**_OURS}, _PLUGGED)
"""The platforms with threads to post into; a shell and a room read the events themselves."""

_RULES: Mapping[str, PlaceRules] = ChainMap({**_OURS, room_places.PLATFORM: room_places}, _PLUGGED)

NO_KEY = (
    "Workspaces install the app by SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, and there is no key to "
    "seal their tokens with. Set DEBATE_SECRET_KEY: debate db key makes one."
)

_ACCOUNTS_EVERYWHERE = frozenset({discord_places.PLATFORM})
"""The platforms on which an account is one person in every workspace."""


def add_chats(chats: Iterable[ChatPlatform]) -> None:
    """Registers plugins' chats for the life of the process, since their code is part of it from
    then on.
    """
    _PLUGGED.update({each.name: each.rules for each in chats})


def is_direct(place: str) -> bool:
    """True if a place is a conversation between one person and the bot."""
    where = Place.parse(place)
    rules = _RULES.get(where.platform)
    return rules is not None and rules.is_direct(where)


def workspace_of(place: str) -> str:
    """Returns the workspace of a place: text shown to one person there may be shown to all its
    members.
    """
    where = Place.parse(place)
    rules = _RULES.get(where.platform)
    if rules is not None:
        return rules.workspace_of(where)
    return where.workspace_key or place


def shared_with(place: str) -> tuple[str, ...]:
    """Returns the prefixes of places in the same workspace, in its chat and in the browser's
    room.
    """
    workspace = workspace_of(place)
    return f"{workspace}/", f"{room_places.PLATFORM}:{workspace}/"


def account_of(person: str) -> tuple[str, str]:
    """Returns the beginning and the end of every name of an account; on some platforms it is the
    same person in every workspace.
    """
    who = Person.parse(person)
    if who.platform in _ACCOUNTS_EVERYWHERE:
        return f"{who.platform}:", f"/{who.account}"
    return person, ""


def same_account(one: str, other: str) -> bool:
    """True if two names of persons are of one account."""
    return account_of(one) == account_of(other)
