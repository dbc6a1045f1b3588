"""What keeps the bot from working fully on Discord, asked of Discord itself; nothing is changed
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp
import discord

from adapters.discord import scopes
from adapters.discord.addresses import redirect
from adapters.discord.settings import DiscordSettings

_GUILDS = 200


@dataclass(frozen=True, slots=True)
class Lack:
    """``fatal``: nothing works until it is mended."""

    what: str
    step: str
    fatal: bool = False


async def diagnose(settings: DiscordSettings) -> list[Lack]:
    """Everything that is missing, each with its next step; empty when all is well."""
    redirect(settings)
    client = discord.Client(intents=discord.Intents.none())
    try:
        await client.login(settings.token)
        application = await client.application_info()
        flags, found = application.flags, list[Lack]()
        if settings.message_content and not (
            flags.gateway_message_content or flags.gateway_message_content_limited
        ):
            step = (
                "Switch it on under Bot in the developer portal, or challenge by the button "
                "and by mentions."
            )
            found.append(Lack("the message-content intent is off", step))
        guilds = await client.http.get_guilds(limit=_GUILDS)
        if not guilds:
            found.append(
                Lack(
                    "the bot is in no server",
                    f"Open {scopes.install_url(application.id)}",
                    fatal=True,
                )
            )
        for guild in guilds:
            found += _lacking(
                str(guild["name"]), int(guild.get("permissions") or 0), application.id
            )
        return found
    except discord.LoginFailure:
        return [
            Lack(
                "DISCORD_TOKEN is refused",
                "Copy the bot's token again (docs/discord.md, step 2).",
                fatal=True,
            )
        ]
    except (OSError, aiohttp.ClientError, discord.HTTPException) as error:
        return [
            Lack(
                f"Discord cannot be reached ({type(error).__name__})",
                "Check the network and DISCORD_API_URL.",
                fatal=True,
            )
        ]
    finally:
        await client.close()


def _lacking(guild: str, permissions: int, application: int) -> Iterator[Lack]:
    """What the bot's role lacks in a server as a whole; a channel can take more away."""
    held = discord.Permissions(permissions)
    missing = [] if held.administrator else scopes.missing(held, tuple(scopes.PERMISSIONS))
    if missing:
        step = (
            "Give them to its role under Server Settings, Roles, or open "
            f"{scopes.install_url(application)} again."
        )
        yield Lack(f"in {guild} the bot lacks {', '.join(missing)}", step)
