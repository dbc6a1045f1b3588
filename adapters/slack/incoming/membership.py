"""Checks that the bot is in a channel and may post there."""

from __future__ import annotations

import asyncio

from adapters.slack.outgoing.failures import reason_of
from adapters.slack.workspaces import Workspaces
from core.application.place import Place
from core.debate.errors import BadInput
from core.languages import msgid, say

_PATIENCE = 5.0  # seconds
_UNREACHABLE = msgid(
    "I am not in this channel, so I could not post there. Invite me with /invite @Debatebot and "
    "repeat the command."
)


async def require_member(workspaces: Workspaces, where: Place) -> None:
    """Checks that the bot may post here before a debate is stored and paid for. Raises
    ``BadInput``.
    """
    from slack_sdk.errors import SlackApiError, SlackClientError

    client = await workspaces.client(where.workspace)
    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await client.conversations_info(channel=where.channel)
    except SlackApiError as error:
        if reason_of(error) in ("channel_not_found", "not_in_channel"):
            raise BadInput(say(_UNREACHABLE)) from error
        return  # Slack did not say: posting will tell
    except (SlackClientError, TimeoutError, OSError):
        return
    channel = answer.get("channel") or {}
    if channel.get("is_archived"):
        raise BadInput(say("This channel is archived. Start the debate somewhere else."))
    if not (channel.get("is_member") or channel.get("is_im") or channel.get("is_mpim")):
        raise BadInput(say(_UNREACHABLE))
