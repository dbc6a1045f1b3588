"""Who can read a place, and the one rule for whatever is made of a debate elsewhere: a copy's
audience is never wider than its origin's.

``may_hold`` is the rule, a pure function. ``Copy`` is the leave to make something of a debate in a
place; only ``rule_copy`` gives one, so whatever takes a ``Copy`` has been ruled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.permissions.actions import Action
from core.debate import Debate


class Reach(StrEnum):
    """How far a place is read."""

    MACHINE = "whoever sits at the bot's machine"
    PERSON = "one person and the bot"
    MEMBERS = "those who are in the place"
    WORKSPACE = "every full member of the workspace"
    SHARED = "those who are in the place, other organisations among them"
    ANYBODY = "whoever has the link"
    UNKNOWN = "nobody knows who"


@dataclass(frozen=True, slots=True)
class Audience:
    """Who can read a place now. ``workspace`` is whose place it is."""

    reach: Reach
    place: str = ""
    workspace: str = ""


ANYBODY = Audience(Reach.ANYBODY)


def may_hold(
    copy: Audience, origins: Iterable[Audience], *, sealed: bool, abroad: bool = False
) -> bool:
    """Whether ``copy`` may hold what is told in all ``origins``, by somebody who reads it there.

    ``sealed`` material never moves. ``abroad``: the person names a place of another workspace, in
    which they may write themself. What nobody knows counts as the narrowest origin and as the
    widest copy.
    """
    known = list(origins)
    here = copy.place != "" and any(copy.place == origin.place for origin in known)
    if here or copy.reach is Reach.MACHINE:
        return True
    return not sealed and any(_holds(origin, copy, abroad=abroad) for origin in known)


def _holds(origin: Audience, copy: Audience, *, abroad: bool) -> bool:
    """Whether everybody who reads ``copy``, another place, may read ``origin``."""
    if copy.reach is Reach.PERSON:
        return True  # whoever asks, who reads the origin
    if origin.reach is not Reach.WORKSPACE:
        return False
    if copy.reach is Reach.ANYBODY:
        return True  # the operator lets what a workspace reads go out by a link
    inside = copy.reach in (Reach.WORKSPACE, Reach.MEMBERS)
    return inside and (abroad or copy.workspace == origin.workspace)


def refusal(copy: Audience, action: Action, *, sealed: bool) -> str:
    """Why a copy is not made, without a word of what it is a copy of."""
    if sealed:
        return STAYS
    if copy.reach is Reach.UNKNOWN:
        return f"I can't tell who would read it there, so nobody may {action} there now."
    return (
        f"Nobody may {action} where more people would read it than where it was held. Do it in its "
        "own channel, or start a new debate with what may be told there."
    )


STAYS = "This debate is about private material and stays where it is."
_RULED = object()


@dataclass(frozen=True, slots=True)
class Copy:
    """Leave to make something of ``debate`` in ``place``, whose audience was held against that of
    the debate. ``place`` is "" for a link.
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
    """The leave, or why there is none. ``by_shell``: whoever sits at the machine asks, who may
    do everything with what is not sealed.
    """
    sealed = debate.private
    allowed = by_shell and not sealed
    abroad = action is Action.MIRROR
    if allowed or may_hold(copy, origins, sealed=sealed, abroad=abroad):
        return Copy(debate, action, copy.place, copy, _RULED)
    return refusal(copy, action, sealed=sealed)
