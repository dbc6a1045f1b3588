"""Text that people bring from Slack itself: an attached file, or the messages of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from adapters.slack.incoming.payloads import Json, without_mention
from adapters.slack.incoming.whole import sender, whole_text
from adapters.slack.incoming.words import named
from adapters.slack.settings import API, SlackSettings
from adapters.slack.workspaces import Workspaces
from adapters.text.files import decode, joined, joined_thread
from core.application.place import Place
from core.debate.errors import BadInput, CouldNotFinish
from core.languages import say

_LARGEST = 1_000_000  # bytes of one file
_WORDLESS = "[a message without words]"
_MESSAGES = 1_000


async def files_text(
    workspaces: Workspaces, settings: SlackSettings, team: str, files: Sequence[Json]
) -> tuple[str, str]:
    """Returns the name and text of attached files, together. Raises ``BadInput`` for a file that is
    too large or not text.
    """
    read = [
        (
            str(file.get("name") or file.get("title") or "snippet"),
            await _file_text(workspaces, settings, team, file),
        )
        for file in files
    ]
    return joined(read, _LARGEST)


async def _file_text(workspaces: Workspaces, settings: SlackSettings, team: str, file: Json) -> str:
    """Returns the text of an attached file.

    Raises ``BadInput`` when it is too large or no text. Our token goes to Slack's own hosts only.
    """
    from aiohttp import ClientError

    name = str(file.get("name") or "the snippet")
    size = file.get("size")
    if isinstance(size, int) and size > _LARGEST:
        raise _too_large(name)
    url = str(file.get("url_private_download") or file.get("url_private") or "")
    if not _is_slack(url, settings):
        raise BadInput(
            say(
                "{name} does not lie with Slack, so I do not read it. Attach the file itself.",
                name=name,
            )
        )
    client = await workspaces.client(team)
    try:
        async with workspaces.session.get(
            url, headers={"Authorization": f"Bearer {client.token}"}, allow_redirects=False
        ) as answer:
            if (
                answer.status != 200 or answer.content_type == "text/html"
            ):  # Slack shows a sign-in page to a token without files:read
                raise CouldNotFinish(
                    say(
                        "Slack did not give me {name}. The app needs the scope files:read; then "
                        "attach the file again.",
                        name=name,
                    )
                )
            data = bytearray()
            async for piece in answer.content.iter_chunked(1 << 16):
                data += piece
                if len(data) > _LARGEST:
                    break
    except (ClientError, TimeoutError) as error:
        raise CouldNotFinish(
            say("Slack did not give me {name} in time. Try again.", name=name)
        ) from error
    if len(data) > _LARGEST:
        raise _too_large(name)
    return decode(name, bytes(data))


def _too_large(name: str) -> BadInput:
    return BadInput(
        say("{name} is larger than a megabyte. Attach the part that matters.", name=name)
    )


def _is_slack(url: str, settings: SlackSettings) -> bool:
    """True if an address is on a file host of Slack; with a redirected API, on the API's host."""
    base = urlsplit(settings.api_url)
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if settings.api_url != API:
        return (parts.scheme, parts.netloc) == (base.scheme, base.netloc)
    host = parts.hostname or ""
    return (
        parts.scheme == "https"
        and (host == "slack.com" or host.endswith(".slack.com"))
        and "@" not in parts.netloc
    )


async def chosen_message(workspaces: Workspaces, where: Place, thread: str, ts: str) -> Json:
    """Returns the message ``ts``, which may be in a thread. Raises ``BadInput`` when it is gone."""
    client = await workspaces.client(where.workspace)
    answer = await client.conversations_replies(
        channel=where.channel, ts=thread or ts, latest=ts, inclusive=True
    )
    messages: list[Json] = answer.get("messages") or []
    message = next((each for each in messages if each.get("ts") == ts), None)
    if message is None:
        raise BadInput(
            say("The message is gone, or I cannot see it. Invite me to its channel with /invite.")
        )
    return message


async def thread_text(
    workspaces: Workspaces, where: Place, thread: str, *, without: str = ""
) -> str:
    """Returns the messages of a thread, of people and of other bots, a paragraph each with the
    writer's name; our messages and the request (``without``) are left out. Raises ``BadInput``.
    """
    us = await workspaces.identity(where.workspace)
    messages = await _messages(workspaces, where, thread)
    lines: list[str] = []
    empty = True
    for message in messages:
        if us.wrote(message) or message.get("ts") == without:
            continue
        written = whole_text(message)
        words = without_mention(written or _WORDLESS, us.user)
        if not words:
            continue
        empty = empty and not written
        name, user = sender(message), str(message.get("user") or "")
        if not name and user:
            name = (await workspaces.person(where.workspace, user)).name
        unnamed = "a bot" if message.get("bot_id") else "somebody"
        read = await named(words, partial(workspaces.name, where.workspace))
        lines.append(f"{name or unnamed}: {read}")
    return joined_thread(lines, empty=empty, cut=len(messages) >= _MESSAGES)


async def _messages(workspaces: Workspaces, where: Place, thread: str) -> list[Json]:
    """Returns the messages of a thread, as many as may be debated. Raises ``BadInput``."""
    from slack_sdk.errors import SlackApiError

    client = await workspaces.client(where.workspace)
    messages: list[Json] = []
    cursor = None
    while len(messages) < _MESSAGES:
        try:
            answer = await client.conversations_replies(
                channel=where.channel, ts=thread, limit=200, cursor=cursor
            )
        except SlackApiError as error:
            raise BadInput(
                say(
                    "I cannot read this thread. Invite me to the channel with /invite and ask "
                    "again."
                )
            ) from error
        messages += answer.get("messages") or []
        cursor = (answer.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            break
    return messages
