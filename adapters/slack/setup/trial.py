"""Tries the connection once: it opens a socket and writes to one person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from adapters.network.broken import broken_by
from adapters.slack.outgoing.failures import delivery_error, reason_of
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from adapters.text.documents import NoDocument, read_object
from core.application.check import PartCheck, broken, ok

_HELLO = 10.0  # seconds in which Slack greets a socket
_NETWORK = "Check the network, or SLACK_API_URL."


async def attempt(settings: SlackSettings, account: str, text: str) -> list[PartCheck]:
    """Opens a socket if Socket Mode is on, and writes ``text`` to ``account`` if one is named.
    Never raises.
    """
    workspaces = Workspaces(settings)
    await workspaces.open()
    try:
        checks = []
        if settings.app_token:
            checks.append(await _told("socket", lambda: _greeted(workspaces, settings)))
        if account:
            checks.append(await _told("message", lambda: _written(workspaces, account, text)))
        return checks
    finally:
        await workspaces.close()


async def _told(name: str, trial: Callable[[], Awaitable[PartCheck]]) -> PartCheck:
    import aiohttp
    from slack_sdk.errors import SlackApiError, SlackClientError

    try:
        return await trial()
    except SlackApiError as error:
        why = reason_of(error) or str(error.response.status_code)
        return broken(
            name,
            f"Slack refuses it ({why})",
            str(delivery_error(error.response)),
        )
    except (SlackClientError, aiohttp.ClientError, OSError, NoDocument) as error:
        return broken(name, f"Slack gave none ({broken_by(error)})", _NETWORK)


async def _greeted(workspaces: Workspaces, settings: SlackSettings) -> PartCheck:
    answer = await workspaces.make_client().apps_connections_open(app_token=settings.app_token)
    async with asyncio.timeout(_HELLO):
        async with workspaces.session.ws_connect(str(answer["url"])) as socket:
            greeting = read_object(await socket.receive_str())
    if greeting.get("type") != "hello":
        return broken("socket", "opened, and nobody said hello", "Try again in a minute.")
    return ok("socket", "opened, and Slack said hello")


async def _written(workspaces: Workspaces, account: str, text: str) -> PartCheck:
    """Writes to one person, because a bot can't write to itself."""
    client = await workspaces.client("")
    opened = await client.conversations_open(users=account)
    channel = (opened.get("channel") or {}).get("id")
    await client.chat_postMessage(
        channel=str(channel),
        text=text,
        parse="none",
        link_names=False,
        unfurl_links=False,
        unfurl_media=False,
    )
    return ok("message", f"written to {account}")
