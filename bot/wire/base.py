"""The base of all other parts: the open database and its stores, the models, the library, and the
permissions as the operator configured them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from adapters.forges.plugged import Forge
from adapters.material.library import MaterialLibrary
from adapters.models import Vendors
from adapters.ports.chat import Chat
from adapters.processes.workers import Work, Workers
from adapters.redaction import clean
from bot.debates.owners import this_process
from bot.debates.search_texts import SearchTextKeeper
from bot.forges.access.connect import ForgeConnections
from bot.platforms import PLACES, add_chats
from bot.plugins import load_plugins
from bot.settings import Settings
from bot.wire.library import library_settings, make_library
from bot.wire.workers import open_workers
from core.application.permissions import Permissions
from core.application.permissions.policy import Policy
from core.application.place import workspace_key
from core.debate.errors import BadInput, brought_by
from core.debate.ports import Clock
from storage.claims import LEASE
from storage.database.clock import utc_now
from storage.schema import open_database
from storage.stores import Stores

if TYPE_CHECKING:
    from adapters.models.search import Find


class SystemClock:
    """``core.debate.ports.Clock`` over the system's time."""

    now = staticmethod(utc_now)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class MakeModels(Protocol):
    """``adapters.models.Vendors``, or a subclass of it."""

    def __call__(
        self,
        *,
        env: Mapping[str, str],
        configured: Sequence[str],
        redact: Callable[[str], str],
        find: Find | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> Vendors: ...


@dataclass(frozen=True, slots=True)
class Base:
    """The dependencies of most parts. ``owner`` names this process; ``work`` reads foreign text in
    its own process.
    """

    settings: Settings
    clock: Clock
    stores: Stores
    models: Vendors
    library: MaterialLibrary
    connections: ForgeConnections
    permissions: Permissions
    owner: str
    work: Work

    @property
    def chats(self) -> Mapping[str, Chat]:
        """Returns the connected chats."""
        return self.permissions.chats

    @property
    def search_texts(self) -> SearchTextKeeper:
        return SearchTextKeeper(self.stores.debates, self.stores.search, self.clock)


@asynccontextmanager
async def open_base(
    settings: Settings,
    *,
    chats: Mapping[str, Chat],
    clock: Clock | None,
    make_models: MakeModels,
    lease: timedelta = LEASE,
    shell: bool = False,
    workers: Workers | None = None,
    forge: Forge | None = None,
) -> AsyncIterator[Base]:
    """Opens the base. ``chats`` may be filled later; ``lease`` is how long a delivery is claimed;
    the others are as in ``open_parts``. Raises ``BadInput`` or ``CouldNotFinish`` if the database
    can't be opened.

    A ``shell`` connects no chats, so it doesn't know the number of workspaces: unless they are
    named, it believes the stored bindings.
    """
    clock = clock or SystemClock()
    add_chats(load_plugins(settings.plugins).chats)
    async with open_models(settings, make_models) as models:
        permissions = _permissions(settings, models, chats)

        def may_see_private(place: str) -> bool:
            known = settings.private_workspaces or not shell
            return not known or permissions.may_see_private(place)

        async with (
            open_stores(settings, clock, lease, may_see_private) as stores,
            nullcontext(workers) if workers else open_workers(own=shell) as readers,
        ):
            readable = library_settings(settings, clock, readers, shell=shell, forge=forge)
            library, connections = make_library(readable, settings, stores.places, stores.database)
            yield Base(
                settings,
                clock,
                stores,
                models,
                library,
                connections,
                permissions,
                this_process(),
                readers,
            )


@asynccontextmanager
async def open_stores(
    settings: Settings, clock: Clock, lease: timedelta, may_see_private: Callable[[str], bool]
) -> AsyncIterator[Stores]:
    """Opens the stores; ``may_see_private`` is True if the workspace of a place may have private
    repositories.
    """
    async with AsyncExitStack() as stack:
        database = await open_database(
            settings.database_url,
            clock.now,
            settings.database_direct_url,
            migrates=settings.migrates,
        )
        stack.push_async_callback(database.close)
        stores = Stores(database, lease, may_see_private)
        await stack.enter_async_context(stores.queue)
        yield stores


@asynccontextmanager
async def open_models(settings: Settings, make_models: MakeModels) -> AsyncIterator[Vendors]:
    models = make_models(
        env=settings.env,
        configured=settings.models,
        redact=clean,
        find=_search(settings),
        progress=settings.progress,
    )
    plugins = load_plugins(settings.plugins)
    described = [name for name in plugins.models if models.catalogue.entry(name) is not None]
    brought = {name: each for name, each in plugins.models.items() if name not in described}
    models.own, models.own_prices = {**brought, **models.own}, plugins.prices
    try:
        yield models
    finally:
        await models.aclose()


def _search(settings: Settings) -> Find | None:
    if not settings.search:
        return None
    if find_spec("ddgs") is None:
        raise BadInput(
            "DEBATE_SEARCH needs a part that is not installed. It comes with: "
            f"{brought_by('search')}. Or unset DEBATE_SEARCH."
        )
    from adapters.models.search import duckduckgo

    return duckduckgo


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
