"""Applies the same rule once more when a stored command is applied, because a workspace can lose
its permission and a person their channel after the command was given.

Facts that only the platform knew then (who is an admin, who is a guest) are not asked again; for a
second place, which shows a debate to other people, everything is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from core.application.commands.actions import Action
from core.application.permissions import Permissions
from core.application.permissions.actions import applied_as
from core.application.permissions.audience import Copy
from core.application.place import SHELL, platform_of
from core.application.presence import DeliveryError
from core.debate.commands import AddPlace, Command
from core.debate.state import Debate


async def refusal_now(
    permissions: Permissions,
    load: Callable[[str], Awaitable[Debate]],
    debate: str,
    command: Command,
) -> str:
    """Returns why a stored command is not applied to a debate after all, "" if it is. The person
    who gave it gets a message.
    """
    applied = applied_as(command)
    if applied is None or platform_of(applied[1]) in (SHELL, ""):
        return ""
    action, person = applied
    if not isinstance(command, AddPlace) and platform_of(person) in permissions.places.chats:
        return permissions.refusal_of(person, action, "")
    held = await load(debate)
    why = permissions.refusal_of(person, action, held.request.place)
    if not why and isinstance(command, AddPlace):
        why = await _mirror_refusal(permissions, held, command)
        if why:
            await _tell(permissions, held, command, why)
    return why


async def _mirror_refusal(permissions: Permissions, debate: Debate, command: AddPlace) -> str:
    ruled = await permissions.audiences.rule(debate, Action.MIRROR, command.place)
    if not isinstance(ruled, Copy):
        return ruled
    if not await permissions.is_in(command.by, debate):
        return "The person who asked for it is no longer in the debate's channel."
    if not await permissions.may_write(command.by, command.place):
        return "The person who asked for it may not write in the other channel."
    return ""


async def _tell(permissions: Permissions, debate: Debate, command: AddPlace, why: str) -> None:
    platform = platform_of(command.by)
    chat = permissions.chats.get(platform)
    places = (each for each in (*debate.places, command.place) if platform_of(each) == platform)
    place = next(places, "")
    if chat is None or not place:
        return
    text = f"Debate `{debate.id}` is not told in {command.place}: {why}"
    with suppress(DeliveryError):  # the command's own answer says it too
        await chat.send_private(place, command.by, text)
