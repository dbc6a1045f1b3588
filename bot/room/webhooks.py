"""Implements ``adapters.room.port.Webhooks`` over the desk's part for webhooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adapters.ports.chat import Chat
from adapters.room.port import DeliveryEntry, WebhookEntry
from bot.desk.channels import shown_channel
from bot.desk.hooks import STATES, HookDesk
from bot.permissions import Permissions
from core.application.commands.actions import Action
from core.application.desk import Caller


@dataclass(frozen=True, slots=True)
class RoomWebhooks:
    desk: HookDesk
    permissions: Permissions
    chats: Mapping[str, Chat]

    async def listed(self, caller: Caller) -> Sequence[WebhookEntry]:
        await self.permissions.require(caller, Action.BIND)
        return [
            WebhookEntry(
                hook.id,
                hook.address,
                await shown_channel(hook.place, self.chats) if hook.place else "every place",
                tuple(map(str, hook.kinds)),
                hook.full,
                hook.ended,
            )
            for hook in await self.desk.load(caller)
        ]

    async def deliveries(self, id: str, caller: Caller) -> Sequence[DeliveryEntry]:
        await self.permissions.require(caller, Action.BIND)
        return [
            DeliveryEntry(
                one.kind,
                one.debate,
                STATES.get(one.state, one.state),
                one.attempts,
                one.reason,
                one.at,
            )
            for one in await self.desk.load_deliveries(id, caller)
        ]
