"""Redirects the library's requests to configured addresses."""

from __future__ import annotations

import yarl
from discord import VoiceClient
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.settings import DiscordSettings

VoiceClient.warn_nacl = VoiceClient.warn_dave = False  # no warnings about voice at each start
_API, _GATEWAY = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY


def redirect(settings: DiscordSettings) -> None:
    """Points the library at the configured addresses.

    They belong to the whole process, as the library keeps them.
    """
    Route.BASE = settings.api_url.rstrip("/") or _API
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url or str(_GATEWAY))
