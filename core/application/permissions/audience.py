"""The audience of a place, and the one rule for everything that is made of a debate elsewhere: a
copy's audience is never wider than its origin's.

``may_hold`` is the rule, a pure function. ``Copy`` is the permission to make something of a debate
in a place; only ``rule_copy`` returns one, so every function that takes a ``Copy`` has been ruled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.application.commands.actions import Action
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
            "I do not know its readers there, so nobody may {action} there now.",
            action=say(action),
        )
    return say(
        "Nobody may {action} where more people would read it than where it was held. Do it in its "
        "own channel, or start a new debate with material that may be read there.",
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
    audience: Audience
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
    by_shell: bool = False,
) -> Copy | str:
    """Returns the permission, or why there is none. With ``by_shell`` the person at the machine
    asks, who may do everything with material that is not sealed.
    """
    sealed = debate.private
    allowed = by_shell and not sealed
    abroad = action is Action.MIRROR
    if allowed or may_hold(copy, origins, sealed=sealed, abroad=abroad):
        return Copy(debate, action, copy.place, copy, _RULED)
    return refusal(copy, action, sealed=sealed)
