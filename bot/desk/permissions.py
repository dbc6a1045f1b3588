"""Who may do what, where, with what: decided here, once, for every surface.

Every part of the desk asks ``Permissions.require`` before it shows or stores anything, with the
person, the surface and the place (a ``Caller`` is all three), the action and what it is done to.
Anyone may start; whoever is in a debate's place may see it, vote and challenge; whoever started it,
an admin there or a configured person may steer it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, runtime_checkable

from adapters.ports.chat import Chat
from adapters.ports.desk import Caller
from adapters.ports.place import Person, Place
from bot.platforms import CHATS, is_direct, workspace_of
from core.debate import Debate
from core.errors import Refused
from storage.schedules import Schedule


class Action(StrEnum):
    """What a person wants to do; the words stand in refusals."""

    START = "start a debate"
    SEE = "see this debate"
    CHALLENGE = "challenge this debate"
    VOTE = "vote on this debate"
    PAUSE = "pause this debate"
    RESUME = "resume this debate"
    STOP = "stop this debate"
    MIRROR = "mirror this debate"
    FORK = "fork this debate"
    RERUN = "start this debate again"
    RESOLVE = "say whether this verdict held"
    POST = "post a debate there"
    BIND = "let this channel see a private repository"
    SCHEDULE = "add a schedule"
    SEE_SCHEDULE = "see this schedule"
    RUN_SCHEDULE = "run this schedule"
    PAUSE_SCHEDULE = "pause this schedule"
    RESUME_SCHEDULE = "resume this schedule"
    REMOVE_SCHEDULE = "remove this schedule"


_STEERING = frozenset({Action.PAUSE, Action.RESUME, Action.STOP, Action.MIRROR})

_Thing = Debate | Schedule | Place | None
"""What something is done to; None where it does not exist yet or is the place itself."""


class NotThere(Refused):
    """Whoever asks is not to know of it: they get the answer of a thing that does not exist."""


@runtime_checkable
class _Admitting(Protocol):
    """A chat that knows who may write where."""

    async def may_write(self, place: str, person: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Permissions:
    """``moderators`` may steer every debate; ``same_person`` names accounts that count as one."""

    moderators: frozenset[str]
    same_person: Mapping[str, str]
    chats: Mapping[str, Chat]

    def person(self, account: str) -> str:
        """One name for one person: accounts that the configuration says are the same count as one
        voter.
        """
        return self.same_person.get(account, account)

    async def require(self, caller: Caller, action: Action, thing: _Thing = None) -> Caller:
        """The caller as whatever they act on knows them.

        Raises ``NotThere`` for what they are not to know of, else ``Refused``.
        """
        match thing:
            case Debate():
                known = _known_to(thing, caller)
                if action is Action.SEE:
                    self._require_sight(caller, known, thing)
                elif action in _STEERING:
                    self._require_owner(known, thing.request.asker, action)
                return known
            case Schedule():
                self._require_schedule(caller, action, thing)
            case Place():
                await self._require_admission(caller, thing)
            case None:
                if action is Action.BIND and not (caller.admin or caller.shell):
                    raise Refused(f"Only an admin can {action}.")
        return caller

    def sees_schedule(self, caller: Caller, schedule: Schedule) -> bool:
        """A schedule is seen where it posts, by its owner anywhere, and in the shell."""
        here = schedule.place == caller.place
        return caller.shell or here or schedule.owner == self.person(caller.person)

    def _require_owner(self, caller: Caller, owner: str, action: Action) -> None:
        person = self.person(caller.person)
        if person == owner or caller.admin or person in self.moderators or caller.shell:
            return
        raise Refused(f"Only the person who started it, or an admin, may {action}.")

    def _require_sight(self, caller: Caller, known: Caller, debate: Debate) -> None:
        """Debates of other workspaces are not there; what is private is shown where it was held."""
        if caller.shell or caller.place in debate.places:
            return
        own = self.person(known.person) == debate.request.asker
        here = workspace_of(caller.place)
        if not own and all(workspace_of(place) != here for place in debate.places):
            raise NotThere(f"There is no debate {debate.id} here.")
        direct = is_direct(debate.request.place)
        private = debate.opened is not None and debate.opened.material.private
        if private or (direct and not own):
            what = "was held in a direct message" if direct else "is about private material"
            raise Refused(f"Debate {debate.id} {what} and is shown only where it was held.")

    def _require_schedule(self, caller: Caller, action: Action, schedule: Schedule) -> None:
        if not self.sees_schedule(caller, schedule):
            raise NotThere(f"There is no schedule {schedule.id} here.")
        if action is not Action.SEE_SCHEDULE:
            self._require_owner(caller, schedule.owner, action)

    async def _require_admission(self, caller: Caller, place: Place) -> None:
        chat: object = self.chats.get(place.platform)
        if isinstance(chat, _Admitting) and not await chat.may_write(str(place), caller.person):
            raise Refused(
                f"You may not write in {place.platform}:{place.channel} yourself, so no debate of "
                "yours is told there."
            )


def _known_to(debate: Debate, caller: Caller) -> Caller:
    """The caller as the debate's own workspace knows them.

    What somebody may do as an admin elsewhere counts for nothing here.
    """
    person = Person.parse(caller.person)
    rules = CHATS.get(person.platform)
    if rules is None:
        return caller
    known = rules.known_as(person, [Place.parse(place) for place in debate.places])
    if known == person:
        return caller
    return replace(caller, person=str(known), admin=False)
