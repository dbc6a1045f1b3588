"""The base of all other parts: the open database and its stores, the models, the library."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from adapters.forges.github.app import InstallationTokens
from adapters.forges.plugged import Forge
from adapters.forges.port import Host
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings, standard_hosts
from adapters.models import Vendors
from adapters.ports.chat import Chat
from adapters.processes.workers import Work, Workers
from adapters.redaction import clean
from bot.forges.access.app import app_of
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import host_and_repo
from bot.plugins import load_plugins
from bot.settings import Settings
from core.application.permissions import Permissions
from core.application.place import SHELL, platform_of
from core.debate.errors import BadInput, brought_by
from core.debate.ports import Clock
from storage.database.clock import utc_now
from storage.forges.installations import ForgeInstallations
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


def make_library(
    settings: Settings,
    stores: Stores,
    clock: Clock,
    workers: Workers,
    *,
    shell: bool,
    forge: Forge | None = None,
) -> tuple[MaterialLibrary, ForgeConnections]:
    """Returns the library, with the ``workers`` that read foreign text for it and the connections
    that give it the credential of the requesting place. ``forge`` is read in addition to the
    configured ones.
    """
    readable = _readable(settings, clock, workers, shell=shell)
    if forge is not None:
        hosts = {**readable.hosts, forge.host: Host(forge.links, "")}
        forges = {**readable.forges, forge.host: forge}
        readable = replace(readable, hosts=hosts, forges=forges)
    connections = ForgeConnections(
        readable,
        ForgeInstallations(stores.database),
        InstallationTokens(clock.now),
        app_of(settings, stores.database),
        shared=bool(settings.slack_client_secret),
    )

    async def bound(place: str, repository: str) -> bool:
        if platform_of(place) == SHELL:
            return True
        if repository.lower() not in await stores.places.repositories(place):
            return False
        hosts = {name: host.forge for name, host in readable.hosts.items()}
        host, name = host_and_repo(repository, hosts)
        return not connections.shared or bool(await connections.token(host, name, place))

    library = replace(readable, token=connections.reading, bound=bound)
    return MaterialLibrary(library), connections


def make_reader(settings: Settings, clock: Clock, workers: Workers) -> MaterialLibrary:
    """Returns the library of a program that keeps no store: it reads only with its own credentials,
    and records none of the program's requests.
    """

    async def readable(_place: str, _repository: str) -> bool:
        return True

    as_a_shell = _readable(settings, clock, workers, shell=True)  # noqa: S604  no process is started
    return MaterialLibrary(replace(as_a_shell, bound=readable))


def _readable(
    settings: Settings, clock: Clock, workers: Workers, *, shell: bool
) -> LibrarySettings:
    hosts = standard_hosts(
        github_token=settings.github_token,
        github_api=settings.github_api_url,
        gitlab_token=settings.gitlab_token,
        gitlab_api=settings.gitlab_api_url,
        more=settings.hosts,
    )
    plugins = load_plugins(settings.plugins)
    return LibrarySettings(
        hosts={**plugins.hosts, **hosts},
        forges={name: each for name, each in plugins.forges.items() if name not in hosts},
        work=workers,
        allow_files=shell,
        stdin=_standard_input(settings) if shell else None,
        cwd=Path.cwd(),
        now=clock.now,
        scanners=plugins.scanners,
        not_reviewed=settings.not_reviewed,
    )


def _standard_input(settings: Settings) -> BinaryIO | None:
    if settings.piped is not None:
        return BytesIO(settings.piped)
    return sys.stdin.buffer if sys.stdin is not None else None  # None where it was closed


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
