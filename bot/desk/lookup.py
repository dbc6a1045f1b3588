"""Finds the debate that a person means, if they may see it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.desk.parts import DeskParts
from bot.platforms import shared_with
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.permissions import NotVisible
from core.application.permissions.audience import Copy
from core.debate.errors import BadInput
from core.debate.state import Debate, replay
from core.debate.status import LIVE

_ALIKE = 40
"""The most debates with the same beginning of their id among which the one meant is searched."""


def places_of(caller: Caller) -> Sequence[str] | None:
    """Returns the beginnings of the places whose debates and schedules the caller may look for,
    None for all.
    """
    if caller.shell:
        return None
    return shared_with(caller.place)


async def find(desk: DeskParts, id: str, caller: Caller, action: Action = Action.SEE) -> Debate:
    """Returns the debate with that id, or the only debate visible to the caller whose id begins
    with it. Raises ``BadInput`` if there is none or the caller may not know of it, and ``Refused``
    if they may not do ``action`` to it.
    """
    debate = await _named(desk, id, caller)
    try:
        await desk.permissions.require(caller, action, debate)
    except NotVisible:
        raise _unknown(id, caller) from None
    return debate


async def find_copy(
    desk: DeskParts, id: str, caller: Caller, action: Action, place: str = "", *, back: bool = False
) -> Copy:
    """Finds a debate as ``find`` does, and the permission to copy it into a place: the caller's
    own if none is named, or with ``back`` the debate's own. Raises as ``find``.
    """
    debate = await _named(desk, id, caller)
    if back:
        place = debate.request.place
    try:
        return await desk.permissions.copy(caller, action, debate, place)
    except NotVisible:
        raise _unknown(id, caller) from None


async def _named(desk: DeskParts, id: str, caller: Caller) -> Debate:
    """Returns the debate with that id, whether or not the caller may see it, or the only one
    visible to them whose id begins with it. Raises ``BadInput`` if there is none.
    """
    if events := await desk.stores.debates.load(id):
        return replay(events)
    alike = await desk.stores.debates.find_like(id, limit=_ALIKE)
    seen = await desk.permissions.visible(caller, alike)
    if len(seen) > 1:
        some = ", ".join(line.id for line in seen[:5])
        raise BadInput("{id} could be {some}: write more of the id.", id=repr(id[:40]), some=some)
    for line in seen:
        return await desk.service.load(line.id)
    raise _unknown(id, caller)


def _unknown(id: str, caller: Caller) -> BadInput:
    return BadInput(
        "There is no debate {id} here: `{prefix} list` shows those there are.",
        id=repr(id[:40]),
        prefix=caller.prefix,
    )


async def find_meant(desk: DeskParts, id: str, caller: Caller, action: Action) -> Debate:
    """Returns the debate of that id, else the thread's, else the newest of the place. Raises
    ``BadInput``, and ``Refused`` if the caller may not do ``action`` to it.
    """
    return await find(desk, id or await _meant(desk, caller), caller, action)


async def _meant(desk: DeskParts, caller: Caller) -> str:
    if caller.thread:
        debate = await desk.stores.messages.find_debate(caller.place, caller.thread)
        if debate is not None:
            return debate
    for line in await desk.stores.debates.find_recent(place=caller.place, statuses=LIVE, limit=1):
        return line.id
    raise BadInput(
        "Which debate? None is running here. Give its id: `{prefix} list` shows them.",
        prefix=caller.prefix,
    )
