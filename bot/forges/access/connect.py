"""Connections to forges with the right credential: that of the workspace's own installation of the
GitHub App, else the operator's token.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cachetools import LRUCache

from adapters.forges.api import ForgeApi, github_headers, gitlab_headers
from adapters.forges.github.app import AppCredentials, InstallationTokens, account_of
from adapters.forges.github.reading import GitHub
from adapters.forges.github.replies import named
from adapters.forges.github.writing import APP_TOKEN, GitHubPoster
from adapters.forges.gitlab.replies import Project, path_of
from adapters.forges.gitlab.writing import GitLabPoster
from adapters.forges.links import ChangeLink, ForgeKind, parse_change, title_of
from adapters.forges.refusals import NotAllowed
from adapters.forges.wire import Wire, open_wire
from adapters.forges.writing import ReviewPoster
from adapters.material.settings import LibrarySettings
from bot.forges.names import host_and_repo
from bot.platforms import workspace_of
from core.debate.errors import BadInput
from storage.forges.installations import ForgeInstallations
from storage.places import Places, repository_key

_MANY = 10_000
RECHECKED = timedelta(hours=1)
"""How long the forge's word is believed that the person who gave an installation may do so."""


AppOf = Callable[[str], Awaitable[AppCredentials | None]]
"""Returns the App that is registered on a host (``bot.forges.access.app.app_of``)."""


@dataclass(frozen=True, slots=True)
class ForgeConnections:
    """Opens connections. ``library`` has the hosts and their time-outs. With ``shared`` the bot
    serves many workspaces, which are strangers to each other.
    """

    library: LibrarySettings
    installations: ForgeInstallations
    places: Places
    tokens: InstallationTokens
    app_of: AppOf
    shared: bool = False
    _administered: LRUCache[tuple[str, str, str], datetime] = field(
        default_factory=lambda: LRUCache(_MANY)
    )

    async def token(self, host: str, repo: str, place: str) -> str:
        """Returns the credential with which ``place`` reads and writes a repository, or "" for
        none. An installation serves only the workspace that proved to own it; the operator's own
        token serves one team.
        """
        configured = self.library.hosts[host]
        shell = not place or place.startswith("shell:")
        workspace, app, installation, id = "", None, None, ""
        if not shell:
            workspace = workspace_of(place)
        if configured.forge == "github":
            app = await self.app_of(host)
        if app is not None:
            key = repository_key(host, repo)
            for bound in await self.places.bindings(place=place, repository=key):
                repo, id = host_and_repo(bound.repository, self.kinds)[1], bound.repository_id
            owner = repo.partition("/")[0]
            installation = await self.installations.serving(host, owner, workspace)
        if app is None or installation is None:
            if shell or not self.shared:
                return configured.token
            return ""
        number, giver = installation
        async with self.wire(host) as wire:
            token = await self.tokens.token(wire, app, number, repo, id)
            if workspace:
                await self._require_giver(wire, host, repo, giver, token)
            return token

    async def _require_giver(
        self, wire: Wire, host: str, repo: str, giver: str, token: str
    ) -> None:
        """Ask the forge, once an hour, whether the person who gave the installation administers
        this repository now. Repositories may have been added to it since, and people leave.

        Raises ``NotAllowed``.
        """
        key, now = (host, repo.lower(), giver), self.library.now()
        if now - self._administered.get(key, datetime.min.replace(tzinfo=UTC)) > RECHECKED:
            api = ForgeApi(wire, github_headers(token), linked=True)
            poster = GitHubPoster(api, app=True)
            if not (giver and await poster.may_administer(repo, giver)):
                who = "Nobody known"
                if giver:
                    who = f"{giver}, who linked the GitHub App here,"
                raise NotAllowed(
                    "{who} administers {repo} on {host} now. An admin of it can link the App "
                    "again: /debate setup github.",
                    who=who,
                    repo=repo,
                    host=host,
                )
            self._administered[key] = now

    async def follow_account(self, host: str, account: str) -> None:
        """Stores the present name of an account on which the App is installed: one of its
        repositories has another owner now, and either may have been renamed or transferred.
        """
        app = await self.app_of(host)
        for number in await self.installations.of(host, account):
            if app is not None:
                async with self.wire(host) as wire:
                    now = await account_of(wire, app, number)
                await self.installations.rename(host, number, now)

    @property
    def kinds(self) -> dict[str, ForgeKind]:
        """Returns the kind of each configured host."""
        return self.library.kinds

    async def named(self, host: str, repo: str, place: str) -> tuple[str, str]:
        """Returns the name and the id by which the forge itself knows a repository, as ``place``
        sees it; "" for what it does not name. Raises ``BadInput`` if it shows none of that name.
        """
        async with self.api(host, repo, place) as api:
            if self.kinds[host] != "gitlab":
                return named(await GitHub(api).repository(repo))
            project = api.decoded(await api.get(path_of(repo)), Project)
            return project.path_with_namespace, f"{project.id or ''}"

    @asynccontextmanager
    async def change(
        self, address: str, place: str
    ) -> AsyncIterator[tuple[ReviewPoster, ChangeLink]]:
        """Opens the repository of a change for reading and writing on behalf of ``place``."""
        link = parse_change(address, self.kinds)
        async with self.poster(link.host, link.repo, place) as poster:
            yield poster, link

    async def reading(self, host: str, repo: str, place: str) -> str:
        """Returns the credential for public repositories, for which the operator's token only
        raises limits (``adapters.material.settings.TokenOf``).
        """
        return await self.token(host, repo, place) or self.library.hosts[host].token

    def wire(self, host: str) -> AbstractAsyncContextManager[Wire]:
        configured = self.library.hosts.get(host)
        if configured is None:
            raise BadInput("{host} is no forge that is configured here.", host=host)
        if host in self.library.forges:
            raise BadInput("{forge} is not asked for that here.", forge=title_of(configured.forge))
        return open_wire(
            self.library.resolver,
            configured.api,
            title_of(configured.forge),
            self.library.limits,
            self.library.now(),
        )

    @asynccontextmanager
    async def api(self, host: str, repo: str, place: str) -> AsyncIterator[ForgeApi]:
        """Opens a forge's API with the credential of the requesting place."""
        async with self._linked(host, repo, place) as (api, _token):
            yield api

    @asynccontextmanager
    async def _linked(
        self, host: str, repo: str, place: str
    ) -> AsyncIterator[tuple[ForgeApi, str]]:
        """Opens the API and returns its credential, which is dropped when the forge refuses it."""
        async with self.wire(host) as wire:
            token = await self.token(host, repo, place)
            headers = github_headers
            if self.library.hosts[host].forge == "gitlab":
                headers = gitlab_headers
            try:
                yield ForgeApi(wire, headers(token), linked=bool(token)), token
            except NotAllowed:
                self.tokens.drop(token)
                raise

    @asynccontextmanager
    async def poster(self, host: str, repo: str, place: str) -> AsyncIterator[ReviewPoster]:
        """Opens one repository for reading and writing on behalf of ``place``."""
        plugged = self.library.forges.get(host)
        if plugged is not None:
            if plugged.write is None:
                raise BadInput(
                    "{forge} is read here, and not written to.", forge=plugged.links.title
                )
            async with plugged.write() as plugged_poster:
                yield plugged_poster
            return
        async with self._linked(host, repo, place) as (api, token):
            if self.library.hosts[host].forge == "gitlab":
                yield GitLabPoster(api)
            else:
                yield GitHubPoster(api, token.startswith(APP_TOKEN))
