"""Decides who may do what, where and with which models: every command, button, form, menu,
suggestion, mention, schedule and stored command is checked here.

``Permissions`` collects the facts that the rule needs (``core.application.permissions.rule``): it
asks the platform who is in a place now, and turns the ruling into an answer. A fact that a platform
does not give counts as no.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from core.application.commands.actions import COPIES, Action
from core.application.desk import Caller
from core.application.listing import DebateLine
from core.application.permissions.audience import Audiences, Copy
from core.application.permissions.policy import MACHINE, Policy
from core.application.permissions.rule import (
    Asker,
    Nearness,
    Ruling,
    Standing,
    Surface,
    Thing,
    needs_inside,
    rule,
)
from core.application.place import FORGES, PROGRAM, SHELL, Person, Place, Places, platform_of
from core.application.presence import DeliveryError, Presence
from core.application.schedules import Schedule
from core.debate.errors import Refused
from core.debate.state import Debate
from core.debate.verdict.votes import AUTHOR
from core.words.views.language.people import person_name

__all__ = ["Action", "Copy", "NotVisible", "Permissions", "Policy"]

_SURFACES: Mapping[str, Surface] = {
    SHELL: Surface.SHELL,
    "room": Surface.WEB,
    PROGRAM: Surface.PROGRAM,
    # "forge" has people without a name; no platform has the least rights there are
    **dict.fromkeys(("", "forge", *FORGES), Surface.FORGE),
}
"""The surface of each platform that is no chat; every other platform is one, also a plugin's."""

_Thing = Debate | DebateLine | Schedule | None
"""The thing that an action is done to; None if it does not exist yet."""
_Line = TypeVar("_Line", bound=DebateLine | Schedule)


class NotVisible(Refused):
    """The caller may not know that the thing exists: they get the answer for a thing that does not
    exist.
    """


@dataclass(frozen=True, slots=True)
class Permissions:
    """``chats`` are the connected ones, each with the ports of ``core.application.presence`` that
    its platform allows.
    """

    policy: Policy
    chats: Mapping[str, Any]
    places: Places

    @property
    def audiences(self) -> Audiences:
        """Returns the ``Audiences``: who can read which place, and which copies of a debate may be
        made there.
        """
        return Audiences(self.chats, self.places)

    def person(self, account: str) -> str:
        """Returns the one name of a person (``Policy.person``)."""
        return self.policy.person(account)

    def person_in(self, debate: Debate, caller: Caller) -> str:
        """Returns the caller's one name as a debate's own workspace knows them."""
        person = Person.parse(caller.person)
        if rules := self.places.chats.get(person.platform):
            person = rules.known_as(person, [Place.parse(place) for place in debate.places])
        return self.person(str(person))

    def role_in(self, debate: Debate, person: str, name: str) -> str:
        """Returns the role in which a person votes. The author of the change is listed apart and
        not counted, whether known by their name or by the login that the configuration gives them.
        """
        if debate.opened is None or not (author := debate.open.material.author):
            return ""
        own = {name.lower(), person_name(person).lower()} - {""}
        accounts = map(Person.parse, self.policy.accounts(person))
        own |= {each.account.lower() for each in accounts if each.platform in FORGES}
        return AUTHOR if author.lower() in own else ""

    async def require(self, caller: Caller, action: Action, thing: _Thing = None) -> None:
        """Raises ``NotVisible`` if the caller may not know of the thing, else ``Refused`` if the
        action is not allowed.
        """
        if isinstance(thing, Debate) and action.makes in COPIES:
            raise TypeError(f"Use Permissions.copy to check whether somebody may {action}.")
        _require(await self._ruling(caller, action, thing))

    async def may(self, caller: Caller, action: Action, thing: _Thing = None) -> bool:
        """True if ``require`` raises nothing."""
        try:
            await self.require(caller, action, thing)
        except Refused:
            return False
        return True

    async def copy(self, caller: Caller, action: Action, debate: Debate, place: str = "") -> Copy:
        """Returns the permission to make something of a debate in a place, the caller's own if none
        is named. Raises ``NotVisible`` or ``Refused``.
        """
        _require(await self._ruling(caller, action, debate))
        ruled = await self.audiences.rule(
            debate, action, place or caller.place, by_shell=caller.shell
        )
        if isinstance(ruled, str):
            raise Refused(ruled)
        return ruled

    async def visible(self, caller: Caller, lines: Iterable[_Line]) -> list[_Line]:
        """Returns the things that the caller may see; with one request to the platform for each
        place.
        """
        known: dict[object, bool] = {}
        seen = []
        for line in lines:
            if caller.shell:
                seen.append(line)
                continue
            key = (_places(line), _is_sealed(line), _owner(line))
            if key not in known:
                known[key] = await self._is_shown(caller, line)
            if known[key]:
                seen.append(line)
        return seen

    def require_models(self, caller: Caller, models: Sequence[str]) -> None:
        """Raises ``Refused`` for a model that only a shell may name."""
        if caller.shell:
            return
        allowed = self.policy.allowed_models()
        if other := [name for name in models if name not in allowed]:
            raise Refused(
                "{model} may not be named here. Allowed: {allowed} (the operator decides, in "
                "DEBATE_ALLOWED_MODELS).",
                model=repr(other[0][:60]),
                allowed=", ".join(allowed),
            )

    def may_see_private(self, place: str) -> bool:
        """True if the operator now lets the workspace of a place see private repositories."""
        return self.policy.may_bind(self._workspace(place))

    async def is_in(self, person: str, debate: Debate) -> bool:
        """True if a person, under any of their names, is in a place of a debate now."""
        own = self.places.same_account(self.person(person), debate.request.asker)
        near = await self._nearest(person, debate.places, own=own, inside=True)
        return near is Nearness.INSIDE

    def refusal_of(self, person: str, action: Action, place: str) -> str:
        """Returns the operator's reason why a person may not do this at all now, "" if they may.
        People of a forge act in the ``place`` that follows the change.
        """
        refusals = []
        for account in map(Person.parse, self.policy.accounts(person)):
            surface = _SURFACES.get(account.platform, Surface.CHAT)
            workspace, standing = account.workspace_key, Standing.MEMBER
            if surface is Surface.FORGE:
                workspace = self._workspace(place)
            elif surface is Surface.PROGRAM:
                workspace, standing = account.workspace or MACHINE, Standing.SERVICE
            asker = Asker(surface, self.person(person), workspace, standing)
            refusals.append(rule(action, asker, None, self.policy).refusal)
        if "" in refusals:
            return ""
        return refusals[0]

    def require_on_forge(self, person: str, place: str) -> None:
        """Checks that a debate may begin in a place because of a person's act on a forge. Raises
        ``Refused``.
        """
        asker = Asker(Surface.FORGE, self.person(person), self._workspace(place))
        ruling = rule(Action.START, asker, None, self.policy)
        if not ruling.allowed:
            raise Refused(ruling.refusal)

    async def require_firing(self, schedule: Schedule, models: Sequence[str]) -> None:
        """Checks that a schedule may still start debates: its owner must be allowed to, and must
        still be in the place where it posts, if the chat knows who is there. Raises ``Refused``,
        and ``DeliveryError`` while the chat can't be reached.
        """
        caller = Caller(schedule.owner, schedule.place, f"schedule:{schedule.id}")
        if platform_of(schedule.owner) == SHELL:
            return
        await self.require(caller, Action.START)
        self.require_models(caller, models)
        where = Place.parse(schedule.place)
        chat: object = self.chats.get(where.platform)
        unknowable = chat is not None and not isinstance(chat, Presence)
        direct = self.places.is_direct(schedule.place)
        inside = direct or unknowable  # the schedule posts only in this place
        if isinstance(chat, Presence):
            for known in self._names_at(schedule.owner, where):
                inside = inside or await chat.is_inside(schedule.place, known)
        if not inside:
            raise Refused(
                "Its owner is not in this channel any more: somebody who is can schedule it anew."
            )

    async def _ruling(self, caller: Caller, action: Action, thing: _Thing) -> Ruling:
        asker = self._asker(caller)
        ruling = rule(action, asker, None, self.policy)
        if thing is None or caller.shell or not ruling.allowed:
            return ruling
        return rule(action, asker, await self._facts(caller, action, thing), self.policy)

    def _asker(self, caller: Caller) -> Asker:
        standing = Standing.MEMBER
        if caller.bot:
            standing = Standing.BOT
        elif platform_of(caller.person) == PROGRAM:
            standing = Standing.SERVICE
        elif caller.guest:
            standing = Standing.GUEST
        elif caller.admin:
            standing = Standing.ADMIN
        surface = _SURFACES.get(platform_of(caller.place), Surface.CHAT)
        if caller.program:
            surface = Surface.PROGRAM
        return Asker(
            surface,
            self.person(caller.person),
            self._workspace(caller.place),
            standing,
            caller.moderates,
        )

    async def _is_shown(self, caller: Caller, line: DebateLine | Schedule) -> bool:
        """True if a list shows a thing; of private material it shows no more than that the thing
        exists.
        """
        action = Action.SEE_SCHEDULE
        if isinstance(line, DebateLine):
            action = Action.SEE
        asker = self._asker(caller)
        if not rule(action, asker, None, self.policy).allowed:
            return False
        facts = await self._facts(caller, action, line)
        return not rule(action, asker, facts, self.policy).hidden

    async def _facts(
        self, caller: Caller, action: Action, thing: Debate | DebateLine | Schedule
    ) -> Thing:
        owner, places, sealed = _owner(thing), _places(thing), _is_sealed(thing)
        own = self.places.same_account(self.person(caller.person), owner)
        here = caller.place in places
        near = Nearness.INSIDE
        if not here:
            inside = sealed or caller.guest or needs_inside(action)
            near = await self._nearest(caller.person, places, own=own, inside=inside)
        if own and isinstance(thing, Schedule):
            near = Nearness.INSIDE  # their own words, which they may always take back
        workspace = self.places.workspace_of(caller.place)
        home = any(self.places.workspace_of(place) == workspace for place in places)
        return Thing(own, near, here, sealed, home)

    async def _nearest(
        self, person: str, places: Sequence[str], *, own: bool, inside: bool
    ) -> Nearness:
        degrees = {await self._near(person, place, own=own, inside=inside) for place in places}
        return next((near for near in Nearness if near in degrees), Nearness.OUTSIDE)

    async def _near(self, person: str, place: str, *, own: bool, inside: bool) -> Nearness:
        """Returns how near a person is to one place. Without ``inside``, being free to enter is
        enough and membership is not checked.
        """
        if self.places.is_direct(place):
            return Nearness.INSIDE if own else Nearness.OUTSIDE
        where = Place.parse(place)
        chat: object = self.chats.get(where.platform)
        if where.platform not in self.places.chats or not isinstance(chat, Presence):
            return Nearness.OUTSIDE
        accounts = self._accounts(person, where.platform)
        belongs = any(account.workspace_key == where.workspace_key for account in accounts)
        if not belongs and platform_of(person) == PROGRAM:  # a service sees what every member may
            belongs = Person.parse(person).workspace == where.workspace_key != ""
        try:
            may_enter = belongs and await chat.is_open(place)
            if may_enter and not inside:
                return Nearness.NEAR
            for known in self._names_at(person, where):
                if await chat.is_inside(place, known):
                    return Nearness.INSIDE
        except DeliveryError:
            return Nearness.OUTSIDE
        if may_enter:
            return Nearness.NEAR
        return Nearness.OUTSIDE

    def _accounts(self, person: str, platform: str) -> Sequence[Person]:
        names = map(Person.parse, self.policy.accounts(person))
        return [account for account in names if account.platform == platform]

    def _names_at(self, person: str, where: Place) -> Iterator[str]:
        """Yields the names by which a chat with places knows a person's accounts there."""
        if rules := self.places.chats.get(where.platform):
            for account in self._accounts(person, where.platform):
                yield str(rules.known_as(account, [where]))

    async def require_post(self, caller: Caller, place: Place) -> None:
        """Raises ``Refused`` if a person has something posted in a place in which they may not
        write themself.
        """
        if caller.shell or await self.may_write(caller.person, str(place)):
            return
        raise Refused(
            "As far as I can see, you may not write in {platform}:{channel}, so no debate of yours "
            "is posted there. Join it, and invite me there too. DEBATE_SAME_PERSON lists the names "
            "of one person.",
            platform=place.platform,
            channel=place.channel,
        )

    async def may_write(self, person: str, place: str) -> bool:
        """True if a person, under any of their names, may write in a place now."""
        where = Place.parse(place)
        chat: object = self.chats.get(where.platform)
        if isinstance(chat, Presence):
            with suppress(DeliveryError):
                for known in self._names_at(person, where):
                    if await chat.may_write(place, known):
                        return True
        return False

    def _workspace(self, place: str) -> str:
        """Returns the workspace of a place as the operator names it; direct messages of a platform
        whose accounts belong to no workspace are ``discord:@me``.
        """
        if platform_of(place) == PROGRAM:
            return MACHINE
        if self.places.is_direct(place):
            return Place.parse(place).workspace_key
        return self.places.workspace_of(place)


def _require(ruling: Ruling) -> None:
    if ruling.hidden:
        raise NotVisible("There is no such thing here.")
    if not ruling.allowed:
        raise Refused(ruling.refusal)


def _owner(thing: Debate | DebateLine | Schedule) -> str:
    match thing:
        case Debate():
            return thing.request.asker
        case DebateLine():
            return thing.asker
        case Schedule():
            return thing.owner


def _is_sealed(thing: Debate | DebateLine | Schedule) -> bool:
    return not isinstance(thing, Schedule) and thing.private


def _places(thing: Debate | DebateLine | Schedule) -> Sequence[str]:
    match thing:
        case Debate():
            return thing.places
        case DebateLine():
            return (thing.place, *thing.mirrors)
        case Schedule():
            return (thing.place,)
