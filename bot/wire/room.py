"""Builds the browser room over the parts that answer people on other surfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from adapters.api import ApiRoutes
from adapters.mcp.http import McpEndpoint
from adapters.processes.workers import Work
from adapters.room.app import Room
from adapters.room.live import Live
from adapters.room.outgoing.view import view_of
from adapters.room.port import RoomStore
from adapters.room.settings import RoomSettings
from adapters.room.setup.discord import DISCORD, DiscordSignIn, client_id_of
from adapters.room.setup.providers import SignInProvider
from adapters.room.setup.slack import SLACK, SlackSignIn
from adapters.templates.catalogue import read_catalogue
from bot.mcp.remote import RemoteAccess
from bot.room.holders import Holders
from bot.room.links import RoomLinks
from bot.room.making import TokenDesk
from bot.room.people import RoomPeople
from bot.room.records import RoomLog, RoomRecords
from bot.room.reports import RoomReports
from bot.room.tokens import TokenAccess
from bot.room.waiting import Waiting
from bot.room.webhooks import RoomWebhooks
from bot.settings import Settings
from bot.wire.base import Stores
from bot.wire.parts import Parts
from core.application.presence import Membership
from storage.people.invitations import Invitations
from storage.people.sessions import Links, Sessions
from storage.people.tokens import Tokens

EXAMPLE = Path(__file__).parents[2] / "examples" / "04-pictures-in-folders.diff"


def make_live(settings: Settings, stores: Stores, waiting: Waiting) -> Live:
    """Returns the pages that people follow; they exist before the advancer that feeds them."""
    show = partial(view_of, _room_settings(settings))
    return Live(RoomLog(stores.debates), show, waiting.line)


def make_records(parts: Parts) -> RoomRecords:
    """Returns the reader of debates as one caller may see them."""
    reads, sources = parts.desk.reads, parts.settings.templates
    return RoomRecords(
        reads,
        parts.service,
        parts.stores.debates,
        parts.desk.searches,
        reads.lookup.permissions,
        parts.models.choice,
        lambda: {one.id: one for one in read_catalogue(sources).templates},
    )


def make_room(parts: Parts, live: Live, platforms: Mapping[str, object], work: Work) -> Room:
    """Returns the room. ``platforms`` by name are the connected chats, which know who belongs to
    them. ``work`` checks texts that people bring, in its own process.
    """
    settings, stores, clock = parts.settings, parts.stores, parts.clock
    reads, permissions = parts.desk.reads, parts.desk.reads.lookup.permissions
    records = make_records(parts)
    reports = RoomReports(
        settings,
        clock,
        parts.desk.schedules,
        parts.desk.leaderboard,
        reads.receipts,
        stores.spending,
        permissions,
        reads.readings,
        work,
    )
    stored = RoomStore(
        records,
        reports,
        RoomPeople(
            Sessions(stores.database), Invitations(stores.database), _memberships(platforms), clock
        ),
        RoomLinks(
            Links(stores.database),
            clock,
            settings.signing_key,
            parts.service,
            permissions.audiences,
        ),
        TokenDesk(Tokens(stores.database), permissions, clock),
        RoomWebhooks(parts.desk.hooks, permissions, parts.desk.hooks.chats),
    )
    ways = tuple(_providers(settings))
    return Room(_room_settings(settings), parts.desk, stored, live, ways, work)


def make_api(parts: Parts, platforms: Mapping[str, object]) -> ApiRoutes:
    """Returns the interface for programs, over the room's reads. ``platforms`` is as for the
    room.
    """
    return ApiRoutes(parts.desk, _token_access(parts, platforms))


def make_mcp(parts: Parts, platforms: Mapping[str, object]) -> McpEndpoint | None:
    """Returns the tools for coding assistants, None if the protocol's library is not installed."""
    if find_spec("mcp") is None:
        return None
    settings = parts.settings
    tokens = _token_access(parts, platforms)
    access = RemoteAccess(
        *(tokens, parts.desk, parts.service, parts.pricing.consent, parts.clock),
        settings.public_url,
        settings.slack_signing_secret,
    )
    keys = [key for key in (settings.signing_key, *settings.secret_keys) if key]
    return McpEndpoint(access, keys, settings.public_url)


def _token_access(parts: Parts, platforms: Mapping[str, object]) -> TokenAccess:
    stores = parts.stores
    return TokenAccess(
        Tokens(stores.database),
        make_records(parts),
        parts.desk.schedules,
        Holders(_memberships(platforms), parts.clock),
    )


def _memberships(platforms: Mapping[str, object]) -> Mapping[str, Membership]:
    """Returns the platforms that know their members."""
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
    """Returns the configured ways to sign in."""
    if settings.slack_client_id and settings.slack_client_secret:
        yield SlackSignIn(
            settings.slack_client_id, settings.slack_client_secret, settings.slack_api_url or SLACK
        )
    application = settings.discord_client_id or client_id_of(settings.discord_token)
    if application and settings.discord_client_secret:
        yield DiscordSignIn(
            application, settings.discord_client_secret, settings.discord_api_url or DISCORD
        )
