"""The one rule of who may do what.

It is a pure function of the person, their surface and workspace, how near they are to the place of
a thing, and the operator's configuration. An action that no row of the table allows is refused. A
person outside the place of a private thing gets the same answer as for a thing that does not exist.
``docs/permissions.md`` is the same table for people; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.application.commands.actions import Action
from core.application.permissions.policy import MACHINE, Policy
from core.languages import msgid, say


class Surface(StrEnum):
    """The surface through which a person asks."""

    SHELL = "shell"
    CHAT = "chat"
    WEB = "web"
    FORGE = "forge"
    PROGRAM = "program"


class Standing(StrEnum):
    """A person's standing in the workspace from which they ask."""

    ADMIN = "admin"
    MEMBER = "member"
    GUEST = "guest"
    BOT = "bot"
    SERVICE = "service"


class Nearness(StrEnum):
    """A person's nearness to the place of a thing: inside it; outside, but free to enter; or
    neither of these, as far as the platform says.
    """

    INSIDE = "inside"
    NEAR = "near"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks. ``person`` is their only name; ``workspace`` is the workspace of the
    request ("slack:T1"); ``moderates`` means that the platform lets them moderate there.
    """

    surface: Surface
    person: str
    workspace: str
    standing: Standing = Standing.MEMBER
    moderates: bool = False


@dataclass(frozen=True, slots=True)
class Thing:
    """The facts about a thing on which the rule depends.

    ``own``: the asker started it. ``here``: the asker is in its own place. ``sealed``: it is about
    private material. ``home``: it lives in the asker's workspace, whose admins may control it.
    """

    own: bool
    nearness: Nearness
    here: bool = False
    sealed: bool = False
    home: bool = True


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer of the rule. ``refusal`` is "" if the action is allowed; with ``hidden`` the thing
    does not exist for the asker.
    """

    refusal: str = ""
    hidden: bool = False

    @property
    def allowed(self) -> bool:
        return not (self.refusal or self.hidden)


@dataclass(frozen=True, slots=True)
class _Row:
    """The people who may do an action.

    ``inside``: only people in the place of the thing. ``guests``: also guests. ``own``: only the
    person who started it, admins there and moderators. ``admin``: only admins. ``starts``: it
    begins something that costs money. ``private``: only in a workspace that may see private
    repositories. ``forge``: also people of a forge. ``program``: also a program with a person's
    token, ``service`` a program with its own token.
    """

    inside: bool = False
    guests: bool = False
    own: bool = False
    admin: bool = False
    starts: bool = False
    private: bool = False
    forge: bool = False
    program: bool = False
    service: bool = False


_TABLE: Mapping[Action, _Row] = {
    Action.ASK: _Row(guests=True, program=True, service=True),
    Action.SEE: _Row(guests=True, program=True, service=True),
    Action.VOTE: _Row(inside=True, guests=True, program=True),
    Action.CHALLENGE: _Row(inside=True, forge=True, program=True, service=True),
    Action.HOT_SEAT: _Row(inside=True),
    Action.PROVE: _Row(inside=True),
    Action.SPEAK: _Row(inside=True, guests=True, program=True, service=True),
    Action.RESOLVE: _Row(inside=True),
    Action.RATE: _Row(inside=True, guests=True),
    Action.REPOST: _Row(inside=True),
    Action.APPROVE: _Row(inside=True),
    Action.PAUSE: _Row(inside=True, own=True),
    Action.RESUME: _Row(inside=True, own=True),
    Action.STOP: _Row(inside=True, own=True, program=True, service=True),
    Action.MIRROR: _Row(inside=True, own=True),
    Action.SHARE: _Row(inside=True, own=True),
    Action.START: _Row(starts=True, forge=True, program=True, service=True),
    Action.FORK: _Row(starts=True),
    Action.RERUN: _Row(starts=True),
    Action.SCHEDULE: _Row(starts=True),
    Action.SEE_SCHEDULE: _Row(guests=True, program=True, service=True),
    Action.RUN_SCHEDULE: _Row(inside=True, own=True, starts=True),
    Action.PAUSE_SCHEDULE: _Row(inside=True, own=True),
    Action.RESUME_SCHEDULE: _Row(inside=True, own=True, starts=True),
    Action.REMOVE_SCHEDULE: _Row(inside=True, own=True),
    Action.BIND: _Row(admin=True, private=True),
    Action.HOOKS: _Row(admin=True),
    Action.LANGUAGE: _Row(admin=True),
    Action.LEND: _Row(),
    Action.SERVICE: _Row(admin=True),
}
"""The row of each action; an action without a row is only for the shell."""

_OWN = msgid("Only the person who started it, or an admin, may {action}.")
_SHELL_ONLY = _Row()
_HIDDEN = Ruling(hidden=True)
_ALLOWED = Ruling()


def needs_inside(action: Action) -> bool:
    """True if an action is only for people in the place, so that being free to enter is
    not enough.
    """
    return action in _TABLE and _TABLE[action].inside


def rule(action: Action, asker: Asker, thing: Thing | None, policy: Policy) -> Ruling:
    """Decides whether ``asker`` may do ``action``; without a ``thing``, whether they may do it in
    their place at all.
    """
    if asker.surface is Surface.SHELL:
        return _ALLOWED
    row = _TABLE.get(action, _SHELL_ONLY)
    refusal = _refuse(action, row, asker, policy)
    if refusal or thing is None:
        return Ruling(refusal)
    return _rule_on(thing, action, row, asker, policy)


def _refuse(action: Action, row: _Row, asker: Asker, policy: Policy) -> str:
    """Returns why the asker may not do the action at all; "" if they may."""
    if asker.standing is Standing.BOT:
        return say("I take nothing from bots.")
    if not policy.admits(asker.workspace):
        return say(
            "I may not work in this workspace. The operator names those where I may in "
            "DEBATE_WORKSPACES."
        )
    if row is _SHELL_ONLY:
        return say("Only in a shell on my machine can somebody {action}.", action=say(action))
    if asker.surface is Surface.FORGE and not row.forge:
        return say(
            "From a pull request nobody may {action}: do it in the chat.", action=say(action)
        )
    if asker.surface is Surface.PROGRAM and not row.program:
        return say(
            "With a token nobody may {action}: do it in the chat or on the page.",
            action=say(action),
        )
    if asker.standing is Standing.SERVICE and not row.service:
        return say("A service may not {action}: that is for people.", action=say(action))
    admin, here = asker.standing is Standing.ADMIN, asker.workspace == MACHINE
    if row.admin and not admin:
        return say("Only an admin can {action}.", action=say(action))
    if asker.standing is Standing.GUEST and not row.guests:
        if row.own:
            return say(_OWN, action=say(action))
        return say(
            "Guests may read and vote in their channels; a member may {action}.", action=say(action)
        )
    if row.starts and not (here or policy.may_start(asker.person, admin)):
        return say("Only people whom DEBATE_STARTERS names may {action} here.", action=say(action))
    if row.private and not policy.may_bind(asker.workspace):
        return say(
            "The operator has not let this workspace see private repositories: they name it in "
            "DEBATE_PRIVATE_WORKSPACES ({workspace}).",
            workspace=asker.workspace,
        )
    return ""


def _rule_on(thing: Thing, action: Action, row: _Row, asker: Asker, policy: Policy) -> Ruling:
    """Decides about one thing, for an asker who may do the action in general."""
    if not (thing.home or thing.own):
        return _HIDDEN  # what is asked in another workspace is answered among its people
    near = thing.nearness
    guest = asker.standing is Standing.GUEST
    if near is Nearness.OUTSIDE or (guest and near is not Nearness.INSIDE):
        return _HIDDEN
    if thing.sealed and not thing.here:
        if near is not Nearness.INSIDE:
            return _HIDDEN
        if asker.surface is not Surface.WEB:
            return Ruling(say("It is about private material and is shown only in its own place."))
    if row.inside and near is not Nearness.INSIDE:
        return Ruling(
            say("Only people in its channel may {action}: join it first.", action=say(action))
        )
    if not row.own or thing.own or asker.person in policy.moderators:
        return _ALLOWED
    if thing.home and (asker.moderates or asker.standing is Standing.ADMIN):
        return _ALLOWED
    return Ruling(say(_OWN, action=say(action)))
