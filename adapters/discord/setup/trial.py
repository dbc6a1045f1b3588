"""Tries the connection once: it opens a session on Discord's gateway and writes to one person."""

from __future__ import annotations

import asyncio

import aiohttp
import discord

from adapters.discord import scopes
from adapters.discord.outgoing.session import DiscordClient, redirect
from adapters.discord.settings import DiscordSettings
from adapters.network.broken import broken_by
from core.application.check import PartCheck, broken, care, ok

_READY = 20.0  # seconds in which Discord completes a session


async def attempt(settings: DiscordSettings, account: str, text: str) -> list[PartCheck]:
    """Opens a session, and writes ``text`` to ``account``, else to the application's owner. Never
    raises.
    """
    redirect(settings)
    client = DiscordClient(settings, scopes.intents(message_content=False))
    try:
        await client.login(settings.token)
        return [await _connected(client), await _written(client, account, text)]
    except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
        problem = f"Discord cannot be reached ({broken_by(error)})"
        return [broken("gateway", problem, "Check the network and DISCORD_API_URL.")]
    finally:
        await client.close()


async def _connected(client: discord.Client) -> PartCheck:
    ready = asyncio.ensure_future(client.wait_for("connect"))  # before its servers are listed
    session = asyncio.create_task(client.connect(reconnect=False))
    try:
        await asyncio.wait({session, ready}, timeout=_READY, return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and not ready.cancelled() and ready.exception() is None:
            return ok("gateway", "a session was opened")
        why = f"nothing came within {_READY:g} s"
        if session.done() and (error := session.exception()) is not None:
            why = f"{type(error).__name__}"
        step = "Check DISCORD_TOKEN and DISCORD_GATEWAY_URL, and try again in a minute."
        return broken("gateway", f"no session ({why})", step)
    finally:
        for task in (session, ready):
            task.cancel()
        await asyncio.gather(session, ready, return_exceptions=True)


async def _written(client: discord.Client, account: str, text: str) -> PartCheck:
    who = account or await _owner(client)
    try:
        user = await client.fetch_user(int(who))
        await user.send(text)
    except (discord.Forbidden, discord.NotFound, discord.HTTPException) as error:
        step = (
            "Share a server with the bot, allow direct messages from its members, or name another "
            "person: debate doctor --live --to discord:SERVER/USER"
        )
        return care("message", f"{who} could not be written to ({error.status})", step)
    return ok("message", f"written to {who}")


async def _owner(client: discord.Client) -> str:
    """Returns the application's owner; of a team's application, the team's owner."""
    application = await client.application_info()
    if application.team is not None and application.team.owner_id:
        return str(application.team.owner_id)
    return str(application.owner.id)
