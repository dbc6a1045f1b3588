"""Asks Discord for everything that the bot still lacks before its first debate; each answer has its
next step.
"""

from __future__ import annotations

from collections.abc import Iterator

import aiohttp
import discord

from adapters.discord import scopes
from adapters.discord.outgoing.session import redirect
from adapters.discord.settings import DiscordSettings
from adapters.network.broken import broken_by
from adapters.network.session import connector
from core.application.check import PartCheck, broken, care, ok

_GUILDS = 200


async def diagnose(settings: DiscordSettings) -> list[PartCheck]:
    """Returns the checks of everything that is missing, or a check that all is well. Never raises;
    a Discord that cannot be reached is an answer too.
    """
    redirect(settings)
    client = discord.Client(
        intents=discord.Intents(guilds=True), connector=connector(settings.reach, limit=0)
    )
    try:
        await client.login(settings.token)
        missing = await _missing(client, settings)
    except discord.LoginFailure:
        step = "Copy the bot's token again (`debate docs discord`, step 3)."
        return [broken("", "DISCORD_TOKEN is refused", step)]
    except (OSError, aiohttp.ClientError, discord.HTTPException) as error:
        text = f"Discord cannot be reached ({broken_by(error)})"
        return [broken("", text, "Check the network and DISCORD_API_URL.")]
    finally:
        await client.close()
    return missing or [ok("", "Discord knows the bot, and it may all it needs")]


async def _missing(client: discord.Client, settings: DiscordSettings) -> list[PartCheck]:
    application = await client.application_info()
    flags, checks = application.flags, list[PartCheck]()
    readable = flags.gateway_message_content or flags.gateway_message_content_limited
    if settings.message_content and not readable:
        step = (
            "Switch it on under Bot in the developer portal, or challenge by the button "
            "and by mentions."
        )
        checks.append(care("", "the message-content intent is off", step))
    guilds = await client.http.get_guilds(limit=_GUILDS)
    if not guilds:
        step = f"Open {scopes.install_url(application.id)}"
        checks.append(broken("", "the bot is in no server", step))
    for guild in guilds:
        permissions = discord.Permissions(int(guild.get("permissions") or 0))
        checks += _permissions(str(guild["name"]), permissions, application.id)
    return checks


def _permissions(guild: str, held: discord.Permissions, application: int) -> Iterator[PartCheck]:
    """Permissions that the bot's role lacks in a server as a whole; a channel can take more
    away.
    """
    missing = scopes.missing(held, tuple(scopes.PERMISSIONS))
    if held.administrator or not missing:
        return
    step = (
        "Give them to its role under Server Settings, Roles, or open "
        f"{scopes.install_url(application)} again."
    )
    yield care("", f"in {guild} the bot lacks {', '.join(missing)}", step)
