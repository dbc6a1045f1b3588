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
from core.application.place import PlaceRules, Places
from core.debate.stored import stored

_OURS: Mapping[str, PlaceRules] = {
    slack_places.PLATFORM: slack_places,
    discord_places.PLATFORM: discord_places,
}
_PLUGGED: dict[str, PlaceRules] = {}
CHATS: Mapping[str, PlaceRules] = ChainMap({**_OURS}, _PLUGGED)
"""The platforms with threads to post into; a shell and a room read the events themselves."""

NO_KEY = (
    "Workspaces install the app by SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, and there is no key to "
    "seal their tokens with. Set DEBATE_SECRET_KEY: debate db key makes one."
)

WORKSPACE_GONE = stored("the workspace removed the bot")
"""The reason why the debates of a workspace are stopped."""

PLACES = Places(CHATS, room_places, frozenset({discord_places.PLATFORM}))
"""How to read places, for permissions and for everything else that names one."""
is_direct, workspace_of, shared_with = PLACES.is_direct, PLACES.workspace_of, PLACES.shared_with
account_of, same_account = PLACES.account_of, PLACES.same_account


def add_chats(chats: Iterable[ChatPlatform]) -> None:
    """Registers plugins' chats for the life of the process, since their code is part of it from
    then on.
    """
    _PLUGGED.update({each.name: each.rules for each in chats})
