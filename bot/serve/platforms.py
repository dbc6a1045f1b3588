"""The configured chat platforms, built from the settings and not yet connected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from adapters.ports.platform import PlatformConnection
from bot.platforms import NO_KEY
from bot.plugins import load_plugins
from bot.plugins.chats import connected
from core.debate.errors import BadInput
from core.words.views.language.faces import FACES
from storage.places import Installations

if TYPE_CHECKING:
    from adapters.routes import Route
    from bot.settings import Settings


@runtime_checkable
class Routed(Protocol):
    """A platform that receives its events over HTTP."""

    def routes(self) -> Sequence[Route]: ...


Connect = Callable[
    ["Settings", Installations | None, Callable[[], Sequence[str]], float],
    Mapping[str, PlatformConnection],
]
"""Makes the connections by name, as ``configured_platforms`` does."""


def configured_platforms(
    settings: Settings,
    vault: Installations | None,
    default_models: Callable[[], Sequence[str]],
    slack_pace: float,
) -> dict[str, PlatformConnection]:
    """Returns the connections by name. ``vault`` holds the tokens of many workspaces.
    ``default_models`` may look for local servers. ``slack_pace`` is in seconds between the messages
    of one post. Raises ``BadInput`` for an incomplete configuration.
    """
    connections = connected(load_plugins(settings.plugins).chats, settings.env)
    many = _many_workspaces(settings)
    if settings.slack_bot_token or settings.slack_client_id:
        from adapters.slack.app import SlackApp, SlackOutgoing, connect
        from adapters.slack.settings import API, SlackSettings

        slack = connect(
            SlackSettings(
                bot_token=settings.slack_bot_token,
                app_token=settings.slack_app_token,
                signing_secret=settings.slack_signing_secret,
                client_id=settings.slack_client_id if many else "",
                client_secret=settings.slack_client_secret if many else "",
                api_url=settings.slack_api_url or API,
                vault=vault,
                public_url=settings.public_url,
                pace=slack_pace,
            )
        )
        connections["slack"] = PlatformConnection(
            slack.chat, partial(SlackApp, slack), partial(SlackOutgoing, slack)
        )
    if settings.discord_token:
        from adapters.discord.app import DiscordApp, DiscordConnection, DiscordOutgoing
        from adapters.discord.settings import DiscordSettings

        discord = DiscordConnection(
            DiscordSettings(
                token=settings.discord_token,
                api_url=settings.discord_api_url,
                gateway_url=settings.discord_gateway_url,
                admin_roles=tuple(settings.discord_admin_roles),
                models=tuple(default_models()),
                pictures=seat_pictures(settings.public_url),
            )
        )
        connections["discord"] = PlatformConnection(
            discord.chat, partial(DiscordApp, discord), partial(DiscordOutgoing, discord)
        )
    return connections


def seat_pictures(public_url: str) -> Mapping[str, str]:
    """Returns the addresses of the seats' pictures for Discord, by their emoji; none without a
    public address.
    """
    if not public_url:
        return {}
    from adapters.room.outgoing.assets import picture

    return {face: f"{public_url}{picture(face)}" for face in FACES}


def _many_workspaces(settings: Settings) -> bool:
    """True if workspaces can install the app, so that their tokens need a key to be sealed with. A
    client next to one workspace's token may be only for signing in. Raises ``BadInput``.
    """
    if not (settings.slack_client_id and settings.slack_client_secret) or settings.secret_keys:
        return True
    if settings.slack_bot_token:
        return False
    raise BadInput(NO_KEY)
