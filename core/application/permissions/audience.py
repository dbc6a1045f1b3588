"""The audience of a place, and the one rule for everything that is made of a debate elsewhere: a
copy's audience is never wider than its origin's.

``may_hold`` is the rule, a pure function. ``Copy`` is the permission to make something of a debate
in a place; only ``rule_copy`` returns one, so every function that takes a ``Copy`` has been ruled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.application.commands.actions import Action, Makes
from core.application.place import ROOM, SHELL, Place, Places
from core.application.presence import DeliveryError, Presence, SharedChannels
from core.debate.state import Debate
from core.languages import msgid, say


class Reach(StrEnum):
    """The width of a place's audience."""

    MACHINE = "the people at the bot's machine"
    PERSON = "one person and the bot"
    MEMBERS = "those who are in the place"
    WORKSPACE = "every full member of the workspace"
    SHARED = "those who are in the place, other organisations among them"
    ANYBODY = "everybody with the link"
    UNKNOWN = "nobody knows who"


@dataclass(frozen=True, slots=True)
class Audience:
    """The people who can read a place now; ``workspace`` is the place's workspace."""

    reach: Reach
    place: str = ""
    workspace: str = ""


ANYBODY = Audience(Reach.ANYBODY)


def may_hold(
    copy: Audience, origins: Iterable[Audience], *, sealed: bool, abroad: bool = False
) -> bool:
    """True if ``copy`` may hold the text of all ``origins``, on behalf of a person who reads it
    there.

    ``sealed`` material never moves. With ``abroad`` the person names a place of another workspace,
    in which they may write themself. An unknown audience counts as the narrowest for an origin and
    as the widest for a copy.
    """
    known = list(origins)
    here = copy.place != "" and any(copy.place == origin.place for origin in known)
    if here or copy.reach is Reach.MACHINE:
        return True
    return not sealed and any(_holds(origin, copy, abroad=abroad) for origin in known)


def _holds(origin: Audience, copy: Audience, *, abroad: bool) -> bool:
    """True if everybody who reads ``copy``, another place, may read ``origin``."""
    if copy.reach is Reach.PERSON:
        return True  # whoever asks, who reads the origin
    if origin.reach is not Reach.WORKSPACE:
        return False
    if copy.reach is Reach.ANYBODY:
        return True  # the operator lets what a workspace reads go out by a link
    inside = copy.reach in (Reach.WORKSPACE, Reach.MEMBERS)
    return inside and (abroad or copy.workspace == origin.workspace)


def refusal(copy: Audience, action: Action, *, sealed: bool) -> str:
    """Returns why a copy is not made, without naming the original."""
    if sealed:
        return say(STAYS)
    if copy.reach is Reach.UNKNOWN:
        return say(
            "I can't see who reads that place, so nobody may {action} there now. Invite me there, "
            "if I am not in it.",
            action=say(action),
        )
    return say(
        "Nobody may {action} there, because more people would read it than in its own channel. Do "
        "it in its own channel, or start a new debate with material that may be read there.",
        action=say(action),
    )


STAYS = msgid("This debate is about private material and stays in its place.")
_RULED = object()


@dataclass(frozen=True, slots=True)
class Copy:
    """The permission to make something of ``debate`` in ``place``, whose audience was compared with
    the debate's. ``place`` is "" for a link.
    """

    debate: Debate
    action: Action
    place: str
    by: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.by is not _RULED:
            raise TypeError("Only the rule of audiences gives leave to copy a debate.")


def rule_copy(
    debate: Debate,
    action: Action,
    copy: Audience,
    origins: Iterable[Audience],
    *,
    by_shell: bool,
) -> Copy | str:
    """Returns the permission, or why there is none. With ``by_shell`` the person at the machine
    asks, who may do everything with material that is not sealed.
    """
    sealed = debate.private
    allowed = by_shell and not sealed
    abroad = action is Action.MIRROR
    if allowed or may_hold(copy, origins, sealed=sealed, abroad=abroad):
        return Copy(debate, action, copy.place, _RULED)
    return refusal(copy, action, sealed=sealed)


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
        copy = ANYBODY
        if action.makes is not Makes.LINK:
            copy = await self.of(place)
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
        if await chat.is_open(place):
            return Reach.WORKSPACE
        return Reach.MEMBERS
