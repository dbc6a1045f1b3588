"""The person behind a token, as the platform knows them now: a token does no more than its person
may, and nothing once they have left.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime

from cachetools import LRUCache

from adapters.room import places
from bot.room.people import CHECKED, TRUSTED
from core.application.place import PROGRAM, SHELL, Person
from core.application.presence import DeliveryError, Member, Membership
from core.application.tokens import Bearer, Token
from core.debate.errors import CouldNotFinish
from core.debate.ports import Clock

_MANY = 10_000


def _unknown() -> MutableMapping[str, tuple[datetime, Member | None]]:
    return LRUCache(_MANY)


def place_of(person: str) -> str:
    """Returns the place of a token's debates: the room of its workspace, which every member reads;
    a service of this machine has a separate place.
    """
    who = Person.parse(person)
    workspace = who.workspace if who.platform == PROGRAM else who.workspace_key
    return str(places.place(workspace)) if workspace else person


@dataclass(frozen=True, slots=True)
class Holders:
    """Looks up the holders of tokens. ``platforms`` by name know who belongs to them; a person is
    checked once an hour.
    """

    platforms: Mapping[str, Membership]
    clock: Clock
    _known: MutableMapping[str, tuple[datetime, Member | None]] = field(default_factory=_unknown)

    async def bearer(self, token: Token) -> Bearer | None:
        """Returns the token's holder, or None if they are no full member any more. Raises
        ``CouldNotFinish`` while that can't be known.
        """
        who = Person.parse(token.person)
        if who.platform == PROGRAM:
            return Bearer(token, Member(token.name, admin=False))
        if who.platform == SHELL:
            return None  # made before tokens were somebody of their own
        member = await self.member(token.person)
        if member is None:
            return None
        return Bearer(token, member)

    async def member(self, person: str) -> Member | None:
        """Returns the person as a full member of their workspace, None if they are not one. Raises
        ``CouldNotFinish`` while that can't be known.
        """
        now, who = self.clock.now(), Person.parse(person)
        at, known = self._known.get(person, (None, None))
        if at is not None and now - at < CHECKED:
            return known
        platform = self.platforms.get(who.platform)
        away = f"{who.platform.title()} can't confirm who you are. Try it again in a moment."
        if platform is None:
            raise CouldNotFinish(away)
        try:
            member = await platform.member(who.workspace_key, who.account)
        except DeliveryError as error:
            if at is not None and now - at < TRUSTED:
                return known
            raise CouldNotFinish(away) from error
        self._known[person] = now, member
        return member
