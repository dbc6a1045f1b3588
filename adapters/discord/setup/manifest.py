"""The rights that an administrator grants by adding the bot, derived from the code that uses them.

Discord has no manifest; ``manifests/discord.json`` holds the settings of the developer portal and
the install link, and a test keeps it equal to this. To renew it with the shipped templates see
``tests/adapters/discord/test_manifest.py``.
"""

from __future__ import annotations

from typing import Any

import discord

from adapters.discord import scopes
from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.commands import Commands
from adapters.discord.incoming.forms import Forms
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.registration import payloads
from adapters.discord.settings import DiscordSettings
from core.application.desk import Desk

_APPLICATION = "YOUR_APPLICATION_ID"
_PRIVILEGED = ("message_content",)


async def manifest(desk: Desk) -> dict[str, Any]:
    """Commands as they are registered, intents (the privileged ones can be left off), scopes,
    permissions and the install link.
    """
    settings = DiscordSettings(token="")
    client = discord.Client(intents=discord.Intents.none())
    listener = Listener(settings, desk, Interactions())
    tree = Commands(listener, Forms(listener)).tree(client)
    return {
        "commands": await payloads(tree),
        "intents": [name for name, on in scopes.intents(message_content=True) if on],
        "privileged_intents_optional": list(_PRIVILEGED),
        "scopes": list(scopes.SCOPES),
        "permissions": list(scopes.PERMISSIONS),
        "permission_bits": scopes.permissions().value,
        "install_url": scopes.install_url(_APPLICATION),
    }
