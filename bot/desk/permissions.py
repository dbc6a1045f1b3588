"""Who may change a debate, as whom a debate knows them, and which places they may name: decided
once, for every surface.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.desk import Caller
from bot.wire import House
from core.debate import Debate
from core.errors import BadInput, Refused


def permit(house: House, owner: str, caller: Caller, what: str) -> None:
    """Raises ``Refused`` unless the caller started it, is an admin here or is configured to
    moderate.
    """
    person = house.person(caller.person)
    if person == owner or caller.admin or person in house.settings.moderators or caller.shell:
        return
    raise Refused(f"Only the person who started it, or an admin, may {what}.")


def named_place(house: House, text: str, caller: Caller) -> str:
    """``slack:CHANNEL`` as the person types it, as a full place. Raises ``BadInput`` or
    ``Refused``: a chat reaches its own workspace, and on the other platform the only one there is.
    """
    platform, _, rest = text.partition(":")
    workspace, _, channel = rest.rpartition("/")
    channel = channel.strip().removeprefix("<#").partition("|")[0].rstrip(">").lstrip("#")
    if platform not in ("slack", "discord") or not channel:
        raise BadInput("A place is slack:CHANNEL or discord:CHANNEL.")
    if platform == "discord" and not channel.isdecimal():
        raise BadInput(
            "A Discord channel is named by its number: right-click it and choose Copy Channel ID."
        )
    if caller.shell and workspace:
        return f"{platform}:{workspace}/{channel}"
    chat = house.chats.get(platform)
    if chat is None:
        raise BadInput(f"{platform} is not connected here.")
    own = (
        caller.place.partition(":")[2].rpartition("/")[0]
        if caller.place.startswith(f"{platform}:")
        else ""
    )
    home = own or getattr(chat, "workspace", "")
    if not home:
        raise BadInput(
            f"I am in several places on {platform} or in none and can't tell which you mean."
        )
    if workspace not in ("", home):
        raise Refused(
            "A debate is mirrored within its own workspace or to the other platform, never to a "
            "stranger's."
        )
    return f"{platform}:{home}/{channel}"


def as_known(caller: Caller, debate: Debate) -> Caller:
    """The caller as the debate's own guild knows them: an account of Discord is one person in every
    guild and in direct messages.

    What somebody may do as an admin elsewhere counts for nothing here.
    """
    here, _, account = caller.person.rpartition("/")
    homes = [
        workspace_of(place)
        for place in debate.places
        if place.startswith("discord:") and not direct(place)
    ]
    if not here.startswith("discord:") or not homes or here in homes:
        return caller
    return replace(caller, person=f"{homes[0]}/{account}", admin=False)


def workspace_of(place: str) -> str:
    """A Slack workspace or a Discord guild; every direct message on Discord is one of its own."""
    return (
        place
        if "/" not in place or (place.startswith("discord:") and direct(place))
        else place.rpartition("/")[0]
    )


def direct(place: str) -> bool:
    """Whether a place is a conversation between one person and the bot."""
    platform, _, where = place.partition(":")
    return (platform == "slack" and where.rpartition("/")[2].startswith("D")) or (
        platform == "discord" and where.startswith("@me/")
    )
