"""Permissions as the operator configured them, over the connected chats, and the stores that depend
on them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from adapters.models import Vendors
from adapters.ports.chat import Chat
from bot.platforms import PLACES, add_chats
from bot.plugins import load_plugins
from bot.settings import Settings
from bot.wire.base import open_stores
from core.application.permissions import Permissions
from core.application.permissions.policy import Policy
from core.application.place import workspace_key
from core.debate.ports import Clock
from storage.stores import Stores


@asynccontextmanager
async def open_permitted(
    settings: Settings,
    clock: Clock,
    lease: timedelta,
    models: Vendors,
    chats: Mapping[str, Chat],
    *,
    shell: bool = False,
) -> AsyncIterator[tuple[Permissions, Stores]]:
    """Opens the permissions and the stores; ``chats`` may be filled later.

    A ``shell`` connects no chats, so it doesn't know the number of workspaces: unless they are
    named, it believes the stored bindings.
    """
    add_chats(load_plugins(settings.plugins).chats)
    permissions = _permissions(settings, models, chats)

    def may_see_private(place: str) -> bool:
        known = settings.private_workspaces or not shell
        return not known or permissions.may_see_private(place)

    async with open_stores(settings, clock, lease, may_see_private) as stores:
        yield permissions, stores


def _permissions(settings: Settings, models: Vendors, chats: Mapping[str, Chat]) -> Permissions:
    def allowed_models() -> tuple[str, ...]:
        return settings.allowed_models or settings.models or tuple(models.default())

    def only_workspace() -> str:
        """Returns the one workspace that all chats together are in, "" for several."""
        if len(chats) != 1:
            return ""
        ((platform, chat),) = chats.items()
        return workspace_key(platform, getattr(chat, "workspace", ""))

    policy = Policy(
        settings.workspaces,
        settings.private_workspaces,
        settings.starters,
        settings.moderators,
        settings.same_person,
        allowed_models,
        only_workspace,
    )
    return Permissions(policy, chats, PLACES)
