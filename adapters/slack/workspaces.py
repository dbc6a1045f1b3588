"""The tokens by workspace, the bot's identity there, and the people.

With one bot token every workspace is that token's. With OAuth the token is read from the store of
installations when it is first needed and kept in memory, so that no answer that Slack waits for
depends on the database.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache, TTLCache

from adapters.slack import places
from adapters.slack.settings import SlackSettings, Vault
from core.debate.errors import CouldNotFinish
from core.languages import accepted

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from slack_sdk.web.async_client import AsyncWebClient

_MEMBER = "organisation:"
"""Begins what the vault keeps instead of a token for a workspace of an organisation."""
_PERSON_KEPT = 600.0  # seconds for which a profile is believed
_MOST_PEOPLE = 5_000


class NotInstalled(CouldNotFinish):
    """The app is not installed in this workspace (any more)."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The bot in one workspace: its user, the bot id on its messages, its scopes, and the
    workspace's address.
    """

    team: str
    user: str
    bot: str
    scopes: frozenset[str] = frozenset()
    url: str = ""

    def wrote(self, message: Mapping[str, Any]) -> bool:
        """True if a message is the bot's; one under a seat's name has no user."""
        return message.get("user") == self.user or bool(
            self.bot and message.get("bot_id") == self.bot
        )


@dataclass(frozen=True, slots=True)
class SlackPerson:
    name: str
    admin: bool
    bot: bool
    guest: bool = False
    language: str = ""


NOBODY = SlackPerson("", admin=False, bot=False, guest=True)
"""A person who is not known: without a name, and with no more rights than a guest."""


class Workspaces:
    """Clients by team id.

    They never retry by themselves: the SDK's silent second try after a broken connection doubles
    messages.
    """

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings
        self._session: ClientSession | None = None
        self._clients: dict[str, AsyncWebClient] = {}
        self._identities: dict[str, Identity] = {}
        self._organisations: dict[str, str] = {}  # of workspaces that were granted the app so
        self._names: TTLCache[tuple[str, str], str] = TTLCache(_MOST_PEOPLE, _PERSON_KEPT)
        self._people: LRUCache[tuple[str, str], tuple[float, SlackPerson]] = LRUCache(_MOST_PEOPLE)

    async def open(self) -> None:
        from aiohttp import ClientTimeout

        from adapters.network.session import session

        if self._session is None:
            timeout = ClientTimeout(total=self._settings.timeout)
            self._session = session(self._settings.reach, timeout=timeout)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None
        self._clients.clear()

    @property
    def session(self) -> ClientSession:
        if self._session is None:
            raise RuntimeError("the Slack app has not been started")
        return self._session

    def make_client(self, token: str | None = None) -> AsyncWebClient:
        """Returns a client with our base URL and without retries, once we are open: without a
        session the SDK makes one that goes anywhere.
        """
        from adapters.slack.client import SlackClient

        return SlackClient(
            token=token,
            base_url=self._settings.api_url,
            timeout=int(self._settings.timeout),
            session=self.session,
            retry_handlers=[],
        )

    async def client(self, team: str) -> AsyncWebClient:
        """Returns the client that speaks in ``team``. Raises ``NotInstalled``."""
        if team in self._clients:
            return self._clients[team]
        vault = self._settings.vault
        token: str | None = self._settings.bot_token
        if not token and vault is not None:
            token = await self._token(vault, team)
        if not token:
            raise NotInstalled(
                "The app is not installed in this workspace. Install it again and repeat the "
                "command."
            )
        client = self._clients[team] = self.make_client(token)
        return client

    async def _token(self, vault: Vault, team: str) -> str | None:
        """Returns the token of a workspace, or of the organisation that it belongs to; the vault
        remembers which one that is.
        """
        kept = await vault.token(places.workspace(team))
        if kept is not None and not kept.startswith(_MEMBER):
            return kept
        known = kept.removeprefix(_MEMBER) if kept else ""
        organisation = self._organisations.get(team) or known
        token = await vault.token(places.workspace(organisation)) if organisation else None
        if token is not None:
            self._organisations[team] = organisation
            if known != organisation:
                await vault.keep(places.workspace(team), f"{_MEMBER}{organisation}")
        return token

    def belongs(self, team: str, organisation: str) -> None:
        """Remembers that a workspace has the app by its organisation's installation."""
        if team and team != organisation:
            self._organisations[team] = organisation

    async def members(self, organisation: str) -> Sequence[str]:
        """Returns the workspaces that have the app by an organisation's installation."""
        vault = self._settings.vault
        kept = await vault.holders(f"{_MEMBER}{organisation}") if vault is not None else ()
        teams = (workspace.partition(":")[2] for workspace in kept)
        here = (team for team, whose in self._organisations.items() if whose == organisation)
        return list(dict.fromkeys((*teams, *here)))

    def cached_identity(self, team: str) -> Identity | None:
        """Returns the bot's identity in ``team`` if it is known already; never waits."""
        return self._identities.get(team)

    async def identity(self, team: str) -> Identity:
        """Returns the bot's identity in ``team``, asked of Slack once."""
        if team not in self._identities:
            client = await self.client(team)
            answer = await client.auth_test()
            self._identities[team] = Identity(
                team,
                str(answer["user_id"]),
                str(answer.get("bot_id") or ""),
                granted_scopes(answer.headers),
                str(answer.get("url") or ""),
            )
        return self._identities[team]

    async def person(self, team: str, user: str, patience: float = 5.0) -> SlackPerson:
        """Returns a person's profile, believed for ten minutes.

        If Slack does not answer in time (``patience``), the person has no name, no language and a
        guest's rights.
        """
        from slack_sdk.errors import SlackClientError

        known = self._people.get((team, user))
        if known and time.monotonic() - known[0] < _PERSON_KEPT:
            return known[1]
        try:
            client = await self.client(team)
            async with asyncio.timeout(patience):
                answer = await client.users_info(user=user, include_locale=True)
        except (SlackClientError, TimeoutError, OSError, NotInstalled):
            if known:
                return known[1]
            return NOBODY
        person = person_of(answer.get("user") or {})
        self._people[team, user] = (time.monotonic(), person)
        return person

    async def name(self, team: str, what: str) -> str:
        """Returns the name of ``@USER``, ``#CHANNEL`` or ``!subteam^GROUP``, believed for ten
        minutes; "" if Slack does not tell it, for a group without the scope usergroups:read.
        """
        from slack_sdk.errors import SlackClientError

        if what.startswith("@"):
            return (await self.person(team, what[1:])).name
        known = self._names.get((team, what))
        if known is not None:
            return known
        try:
            client = await self.client(team)
            async with asyncio.timeout(5):
                if what.startswith("#"):
                    answer = await client.conversations_info(channel=what[1:])
                    names = {what: str((answer.get("channel") or {}).get("name") or "")}
                else:
                    answer = await client.usergroups_list(team_id=team)
                    groups = answer.get("usergroups") or ()
                    names = {f"!subteam^{one['id']}": str(one["handle"]) for one in groups}
        except (SlackClientError, TimeoutError, OSError, NotInstalled):
            names = {}
        for each, name in {what: "", **names}.items():
            self._names[team, each] = name
        return self._names[team, what]

    def forget(self, team: str) -> None:
        """Drops everything that is remembered of ``team``; the vault's token is the desk's to
        purge.
        """
        self._clients.pop(team, None)
        self._identities.pop(team, None)
        self._organisations.pop(team, None)
        for name in [name for name in self._names if name[0] == team]:
            del self._names[name]
        for key in [key for key in self._people if key[0] == team]:
            del self._people[key]


def granted_scopes(headers: Mapping[str, Any]) -> frozenset[str]:
    """Returns the token's scopes as the headers of Slack's answers name them; empty if
    they do not.
    """
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    named = (scope.strip() for scope in lower.get("x-oauth-scopes", "").split(","))
    return frozenset(filter(None, named))


def person_of(user: Mapping[str, Any]) -> SlackPerson:
    """Returns the person in an answer of Slack's ``users.info``."""
    profile = user.get("profile") or {}
    names = (
        profile.get("display_name"),
        user.get("real_name"),
        profile.get("real_name"),
        user.get("name"),
    )
    name = next((str(name) for name in names if name), "")
    return SlackPerson(
        name,
        bool(user.get("is_admin") or user.get("is_owner")),
        bool(user.get("is_bot") or user.get("id") == "USLACKBOT"),
        any(user.get(each) for each in ("is_restricted", "is_ultra_restricted", "is_stranger")),
        accepted(str(user.get("locale") or ""), ""),
    )
