"""Builds the browser room over the parts that answer people on other surfaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from adapters.mcp.http import McpEndpoint
from adapters.mcp.session import CallerDebates
from adapters.processes.workers import Work
from adapters.room.app import Room
from adapters.room.live import Live
from adapters.room.outgoing.view import view_of
from adapters.room.settings import RoomSettings
from adapters.room.setup.discord import DISCORD, DiscordSignIn, client_id_of
from adapters.room.setup.providers import SignInProvider
from adapters.room.setup.slack import SLACK, SlackSignIn
from bot.debates.service import parent_outcome
from bot.desk.hooks import StoredHooks
from bot.desk.reading.records import StoredRecords
from bot.desk.reading.stored import StoredDebates
from bot.mcp.local import LocalHost
from bot.mcp.remote import RemoteAccess
from bot.room.holders import Holders
from bot.room.links import RoomLinks
from bot.room.people import RoomPeople
from bot.room.tokens import TokenDesk
from bot.room.waiting import Waiting
from bot.settings import Settings
from bot.wire.parts import Parts
from core.application.desk import Caller
from core.application.interface import Application
from core.application.presence import Membership
from storage.people.invitations import Invitations
from storage.people.sessions import Links, Sessions
from storage.people.tokens import Tokens as StoredTokens
from storage.stores import Stores

EXAMPLE = Path(__file__).parents[2] / "examples" / "04-pictures-in-folders.diff"


def make_live(settings: Settings, stores: Stores, waiting: Waiting) -> Live:
    """Returns the pages that people follow; they exist before the advancer that feeds them."""
    show = partial(view_of, _room_settings(settings))
    parent = partial(parent_outcome, stores.debates)
    return Live(stores.debates.load, parent, show, waiting.line)


def make_application(parts: Parts, platforms: Mapping[str, object], work: Work) -> Application:
    """Returns what surfaces can ask for. ``platforms`` by name are the connected chats, which know
    who belongs to them. ``work`` checks texts that people bring, in its own process.
    """
    clock, desk = parts.clock, parts.desk
    holders = Holders(_memberships(platforms), clock)
    tokens = TokenDesk(StoredTokens(parts.stores.database), holders, desk.permissions, clock)
    debates = StoredDebates(desk, parts.models.choice)
    return Application(desk, debates, tokens, StoredHooks(desk), StoredRecords(desk, work))


def make_room(
    parts: Parts, live: Live, application: Application, platforms: Mapping[str, object], work: Work
) -> Room:
    """Returns the room. ``work`` checks texts that people bring, in its own process."""
    settings, stores, clock = parts.settings, parts.stores, parts.clock
    people = RoomPeople(
        Sessions(stores.database), Invitations(stores.database), _memberships(platforms), clock
    )
    links = RoomLinks(Links(stores.database), parts.desk)
    ways = tuple(_providers(settings))
    return Room(_room_settings(settings), application, people, links, live, ways, work)


def make_mcp(
    parts: Parts, application: Application, platforms: Mapping[str, object]
) -> McpEndpoint | None:
    """Returns the tools for coding assistants, None if the protocol's library is not installed."""
    if find_spec("mcp") is None:
        return None
    settings, holders = parts.settings, Holders(_memberships(platforms), parts.clock)
    access = RemoteAccess(application.tokens, holders, application.debates, parts.desk)
    keys = [key for key in (settings.signing_key, *settings.secret_keys) if key]
    return McpEndpoint(access, keys, settings.public_url)


@asynccontextmanager
async def open_tools(parts: Parts, caller: Caller, folder: Path) -> AsyncIterator[CallerDebates]:
    """Returns the debates of the person at this shell, whose tools may read ``folder``."""
    host = LocalHost(parts.desk, caller, parts.player, folder)
    debates = StoredDebates(parts.desk, parts.models.choice)
    try:
        yield CallerDebates(debates, host, caller, parts.settings.public_url, folder)
    finally:
        await host.close()


def _memberships(platforms: Mapping[str, object]) -> Mapping[str, Membership]:
    return {name: one for name, one in platforms.items() if isinstance(one, Membership)}


def _room_settings(settings: Settings) -> RoomSettings:
    signs = bool(settings.signing_key)
    return RoomSettings(
        public_url=settings.public_url,
        templates=settings.templates,
        receipts=signs,
        links=signs and settings.room_links and bool(settings.public_url),
        example=EXAMPLE,
    )


def _providers(settings: Settings) -> Iterator[SignInProvider]:
    if settings.slack_client_id and settings.slack_client_secret:
        yield SlackSignIn(
            settings.slack_client_id, settings.slack_client_secret, settings.slack_api_url or SLACK
        )
    application = settings.discord_client_id or client_id_of(settings.discord_token)
    if application and settings.discord_client_secret:
        yield DiscordSignIn(
            application, settings.discord_client_secret, settings.discord_api_url or DISCORD
        )
