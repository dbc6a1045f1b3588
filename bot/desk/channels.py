"""Channels that a person names from elsewhere, and the names by which people see them."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.ports.chat import Chat
from bot.platforms import CHATS, workspace_of
from core.application.desk import Caller
from core.application.place import Place, platform_of
from core.application.presence import ChannelNames, DeliveryError
from core.debate.errors import BadInput, Refused
from core.debate.material.plaintext import neutral


def channel_named(text: str, caller: Caller, chats: Mapping[str, Chat]) -> Place:
    """Returns the full place of ``slack:CHANNEL`` or ``discord:CHANNEL``. A person reaches their
    own workspace, and on the other platform the only workspace of the bot. Raises ``BadInput`` or
    ``Refused``.
    """
    named = Place.parse(text)
    platform, workspace = named.platform, named.workspace
    rules = CHATS.get(platform)
    channel = ""
    if rules is not None:
        channel = rules.channel_named(named.channel)
    if not channel:
        raise BadInput("A place is slack:CHANNEL or discord:CHANNEL.")
    if caller.shell and workspace:
        return Place(platform, workspace, channel)
    chat = chats.get(platform)
    if chat is None:
        raise BadInput("{platform} is not connected here.", platform=platform.title())
    here, _, own = workspace_of(caller.place).partition(":")
    home = own
    if here != platform:
        home = getattr(chat, "workspace", "")
    if not home:
        raise BadInput(
            "I am in several workspaces on {platform}, or in none, and can't tell which you mean.",
            platform=platform.title(),
        )
    if workspace not in ("", home):
        raise Refused(
            "A debate stays in its own workspace or goes to the other platform, never to "
            "a stranger's."
        )
    return Place(platform, home, channel)


async def shown_channel(place: str, chats: Mapping[str, Chat]) -> str:
    """Names a place for people: by the channel's name if its platform gives it now."""
    chat: object = chats.get(platform_of(place))
    if not isinstance(chat, ChannelNames):
        return place
    try:
        name = await chat.channel_name(place)
    except DeliveryError:
        return place
    return f"{neutral(name)} ({place})" if name else place
