"""The parts that the desk's handlers work with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from cachetools import TTLCache

from adapters.material.library import MaterialLibrary
from adapters.ports.chat import Chat
from adapters.templates.sources import TemplateSources
from bot.debates.changes import Changes
from bot.debates.opening.history import History
from bot.debates.price import Pricing
from bot.debates.service import DebateService
from bot.forges.access.setup import AppSetup
from bot.forges.context import ForgeContext
from bot.forges.poll import Poll
from bot.forges.runs import Runs
from bot.quotas import Quotas
from bot.schedules.fire import Firings
from bot.settings import Settings
from core.application.permissions import Permissions
from core.debate.ports import Clock
from storage.stores import Stores

_ONCE_IN = 600.0
"""Seconds within which the same person's readings of the same debate in the same place are one
line of the audit log.
"""
_READINGS = 10_000
_PEOPLE, _NEXT_REFUSAL = 2000, 60.0
"""How many people's last refusals are remembered, and after how many seconds a person may be sent
the next one.
"""


@dataclass(frozen=True, slots=True)
class DeskParts:
    """``owner`` names this process. ``read`` holds who read what a short time ago, ``reacting`` a
    lock for each person whose reactions are being taken, ``refused`` whose reaction was refused a
    short time ago.
    """

    settings: Settings
    clock: Clock
    owner: str
    stores: Stores
    permissions: Permissions
    library: MaterialLibrary
    service: DebateService
    pricing: Pricing
    quotas: Quotas
    firings: Firings
    changes: Changes
    history: History
    forges: ForgeContext
    runs: Runs
    app: AppSetup
    poll: Poll
    read: MutableMapping[tuple[str, str, str], bool] = field(
        default_factory=lambda: TTLCache(_READINGS, _ONCE_IN)
    )
    reacting: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    refused: MutableMapping[str, bool] = field(
        default_factory=lambda: TTLCache(_PEOPLE, _NEXT_REFUSAL)
    )

    @property
    def chats(self) -> Mapping[str, Chat]:
        """The connected chats, by their platforms."""
        return self.permissions.chats

    @property
    def sources(self) -> TemplateSources:
        return self.settings.templates
