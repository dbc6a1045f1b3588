"""The desk's part for mirroring a debate into a second place."""

from __future__ import annotations

from bot.desk.channels import channel_named, shown_channel
from bot.desk.commanding import store_command
from bot.desk.handlers import handles
from bot.desk.lookup import find_copy
from bot.desk.parts import DeskParts
from core.application.commands import Mirror
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import AddPlace
from core.languages import say


@handles(Mirror)
async def mirror(desk: DeskParts, request: Mirror, caller: Caller) -> DeskAnswer:
    """Mirrors a debate into a place, which is written as the person types it. Raises
    ``BadInput`` or ``Refused``.
    """
    where = channel_named(request.place, caller, desk.chats)
    permissions = desk.permissions
    debate = (await find_copy(desk, request.debate, caller, Action.MIRROR, str(where))).debate
    await permissions.require_post(caller, where)
    language = await desk.stores.places.language(str(where))
    command = AddPlace(str(where), permissions.person_in(debate, caller), language)
    await store_command(desk, debate, command, caller)
    name = await shown_channel(str(where), desk.chats)
    text = say("Debate {id} will appear in {place} as well.", id=f"`{debate.id}`", place=name)
    return DeskAnswer(text, debate=debate.id)
