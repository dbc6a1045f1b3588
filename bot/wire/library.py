"""The library of material, and the connections to forges through which it reads."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from adapters.forges.github.app import InstallationTokens
from adapters.forges.plugged import Forge
from adapters.forges.port import Host
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from adapters.processes.workers import Workers
from bot.forges.access.app import app_of
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import host_and_repo
from bot.plugins import load_plugins
from bot.settings import Settings
from core.application.place import SHELL, platform_of
from core.debate.ports import Clock
from storage.database import Database
from storage.forges.installations import ForgeInstallations
from storage.places import Places, repository_id


def make_library(
    readable: LibrarySettings, settings: Settings, places: Places, database: Database
) -> tuple[MaterialLibrary, ForgeConnections]:
    """Returns the library, and the connections that give it the credential of the requesting
    place.
    """
    connections = ForgeConnections(
        readable,
        ForgeInstallations(database),
        places,
        InstallationTokens(readable.now),
        app_of(settings, database),
        shared=bool(settings.slack_client_secret),
    )

    async def bound(place: str, repository: str, id: str) -> bool:
        if platform_of(place) == SHELL:
            return True
        host, name = host_and_repo(repository, connections.kinds)
        known = repository_id(host, id)
        if not await places.bindings(place=place, repository=repository, id=known):
            return False
        return not connections.shared or bool(await connections.token(host, name, place))

    library = replace(readable, token=connections.reading, bound=bound)
    return MaterialLibrary(library), connections


def make_reader(settings: Settings, clock: Clock, workers: Workers) -> MaterialLibrary:
    """Returns the library of a program that keeps no store: it reads only with its own credentials,
    and records none of the program's requests.
    """

    async def readable(_place: str, _repository: str, _id: str) -> bool:
        return True

    as_a_shell = library_settings(settings, clock, workers, shell=True)  # noqa: S604  no process is started
    return MaterialLibrary(replace(as_a_shell, bound=readable))


def library_settings(
    settings: Settings,
    clock: Clock,
    workers: Workers,
    *,
    shell: bool,
    forge: Forge | None = None,
) -> LibrarySettings:
    """Returns what the library reads, with the ``workers`` that read foreign text for it; ``forge``
    is read in addition to the configured ones.
    """
    plugins = load_plugins(settings.plugins)
    hosts = {**plugins.hosts, **settings.hosts}
    forges = {name: one for name, one in plugins.forges.items() if name not in settings.hosts}
    if forge is not None:
        hosts[forge.host], forges[forge.host] = Host(forge.links, ""), forge
    return LibrarySettings(
        hosts=hosts,
        forges=forges,
        work=workers,
        allow_files=shell,
        stdin=_standard_input(settings, shell=shell),
        cwd=Path.cwd(),
        now=clock.now,
        scanners=plugins.scanners,
        not_reviewed=settings.not_reviewed,
    )


def _standard_input(settings: Settings, *, shell: bool) -> BinaryIO | None:
    if not shell:
        return None
    if settings.piped is not None:
        return BytesIO(settings.piped)
    return getattr(sys.stdin, "buffer", None)
