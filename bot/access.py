"""Who may change a debate, and which places a caller may name: decided once, for every surface."""

from __future__ import annotations

from adapters.desk import Caller
from bot.wiring import House
from core.errors import BadInput, Refused


def permit(house: House, owner: str, caller: Caller, what: str) -> None:
    """Raises ``Refused`` unless the caller started it, is an admin here or is configured to moderate."""
    person = house.person(caller.person)
    if person == owner or caller.admin or person in house.settings.moderators or caller.place.startswith("shell:"):
        return
    raise Refused(f"Only the person who started it, or an admin, may {what}.")


def named_place(house: House, text: str, caller: Caller) -> str:
    """``slack:CHANNEL`` as the person types it, as a full place. Raises ``BadInput`` or ``Refused``: a chat reaches its own workspace, and
    on the other platform the only one there is."""
    platform, _, rest = text.partition(":")
    workspace, _, channel = rest.rpartition("/")
    channel = channel.strip().removeprefix("<#").partition("|")[0].rstrip(">").lstrip("#")
    if platform not in ("slack", "discord") or not channel:
        raise BadInput("A place is slack:CHANNEL or discord:CHANNEL.")
    if platform == "discord" and not channel.isdecimal():
        raise BadInput("A Discord channel is named by its number: right-click it and choose Copy Channel ID.")
    if caller.place.startswith("shell:") and workspace:
        return f"{platform}:{workspace}/{channel}"
    chat = house.chats.get(platform)
    if chat is None:
        raise BadInput(f"{platform} is not connected here.")
    own = caller.place.partition(":")[2].rpartition("/")[0] if caller.place.startswith(f"{platform}:") else ""
    home = own or getattr(chat, "workspace", "")
    if not home:
        raise BadInput(f"I am in several places on {platform} or in none and can't tell which you mean.")
    if workspace not in ("", home):
        raise Refused("A debate is mirrored within its own workspace or to the other platform, never to a stranger's.")
    return f"{platform}:{home}/{channel}"
