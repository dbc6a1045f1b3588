"""Who may change a debate, as whom a debate knows them, and which places they may name: decided
once, for every surface.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.desk import Caller
from adapters.ports.place import Person, Place
from bot.platforms import CHATS
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
    named = Place.parse(text)
    platform, workspace = named.platform, named.workspace
    rules = CHATS.get(platform)
    channel = rules.channel_named(named.channel) if rules is not None else ""
    if not channel:
        raise BadInput("A place is slack:CHANNEL or discord:CHANNEL.")
    if caller.shell and workspace:
        return str(Place(platform, workspace, channel))
    chat = house.chats.get(platform)
    if chat is None:
        raise BadInput(f"{platform} is not connected here.")
    here = Place.parse(caller.place)
    own = here.workspace if here.platform == platform else ""
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
    return str(Place(platform, home, channel))


def as_known(caller: Caller, debate: Debate) -> Caller:
    """The caller as the debate's own workspace knows them.

    What somebody may do as an admin elsewhere counts for nothing here.
    """
    person = Person.parse(caller.person)
    rules = CHATS.get(person.platform)
    known = rules.known_as(person, [Place.parse(p) for p in debate.places]) if rules else person
    return caller if known == person else replace(caller, person=str(known), admin=False)
