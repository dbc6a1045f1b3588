"""Finds the parts of a post that Slack holds already: every message has the key of its post and the
number of its part in its metadata.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from adapters.ports.chat import Post
from adapters.slack.workspaces import Identity
from core.application.presence import DeliveryError, DeliveryFailure

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_EVENT_TYPE = "debate_post"
_CLOCKS = timedelta(minutes=2)  # our clock may be ahead of Slack's by this much
_PAGES = 20  # of 200 messages: how far a look-up goes back


def metadata(post: Post, number: int) -> dict[str, Any]:
    """Returns the metadata by which part ``number`` of a post is recognized."""
    return {
        "event_type": _EVENT_TYPE,
        "event_payload": {"key": post.edits or post.key, "part": number, "debate": post.debate},
    }


async def find_parts(
    client: AsyncWebClient,
    channel: str,
    thread: str | None,
    post: Post,
    since: datetime,
    us: Identity,
) -> Sequence[str]:
    """Returns the parts of ``post`` that ``us`` has posted, in order from the first; a gap ends
    them.

    Raises ``DeliveryError`` when it can't be known.
    """
    oldest = f"{(since - _CLOCKS).timestamp():.6f}"
    ts_of: dict[int, str] = {}
    async for message in _messages(client, channel, thread, oldest):
        payload = (message.get("metadata") or {}).get("event_payload") or {}
        if us.wrote(message) and payload.get("key") == post.key:
            ts_of[int(payload.get("part", 0))] = str(message["ts"])
    ids: list[str] = []
    while len(ids) in ts_of:
        ids.append(ts_of[len(ids)])
    return ids


async def file_names(client: AsyncWebClient, channel: str, thread: str) -> set[str]:
    """Returns the names of all files in a thread."""
    names: set[str] = set()
    async for message in _messages(client, channel, thread):
        names |= {str(file.get("name")) for file in message.get("files") or ()}
    return names


async def own_messages(
    client: AsyncWebClient, channel: str, thread: str, us: Identity
) -> Sequence[Mapping[str, Any]]:
    """Return the messages that ``us`` has posted to a thread, the oldest first."""
    return [m async for m in _messages(client, channel, thread) if us.wrote(m)]


def files_of(messages: Iterable[Mapping[str, Any]], debate: str) -> Sequence[str]:
    """Return the ids of the files with a debate's id in their names."""
    return [
        str(file["id"])
        for message in messages
        for file in message.get("files") or ()
        if "id" in file and debate in str(file.get("name"))
    ]


async def _messages(
    client: AsyncWebClient, channel: str, thread: str | None, oldest: str = "0"
) -> AsyncIterator[Mapping[str, Any]]:
    """Yields the messages of a thread, or of the channel, since ``oldest``.

    Raises ``DeliveryError`` when there are too many to know.
    """
    query: dict[str, Any] = {"channel": channel, "oldest": oldest, "limit": 200}
    cursor = None
    for _ in range(_PAGES):
        if thread:
            answer = await client.conversations_replies(
                ts=thread, cursor=cursor, include_all_metadata=True, **query
            )
        else:
            answer = await client.conversations_history(
                cursor=cursor, include_all_metadata=True, **query
            )
        messages: Sequence[Mapping[str, Any]] = answer.get("messages") or ()
        for message in messages:
            yield message
        cursor = (answer.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
    raise DeliveryError(
        DeliveryFailure.UNCERTAIN, "Too many messages have come since to look this one up."
    )
