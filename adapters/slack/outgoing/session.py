"""Shows the state of a debate as the status of Slack's agent session, in direct messages of
workspaces that have such sessions, and suggests the replies that fit it.

It is decoration: a debate never depends on it. If Slack does not know the method or does not allow
it, the bot stops asking.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from cachetools import LRUCache

from adapters.ports.chat import Post, Shape
from adapters.slack import places
from adapters.slack.outgoing.failures import NEVER, delivering, reason_of
from adapters.slack.workspaces import NotInstalled, Workspaces
from core.application.place import Place
from core.application.presence import DeliveryError
from core.languages import msgid, say

_STOP = (msgid("Stop and sum up"), "stop")
_REPLIES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "processing": ((msgid("How far is it?"), "show {debate}"), (msgid("Pause"), "pause"), _STOP),
    "suspended": ((msgid("Go on"), "resume"), _STOP),
    "active": (
        (msgid("It was useful"), "useful yes"),
        (msgid("It was not useful"), "useful no"),
        (msgid("Send me the report"), "export {debate}"),
    ),
}
"""Replies that are suggested in a debate's thread, by its status: label and text."""

log = logging.getLogger(__name__)


class ThreadStatuses:
    """One status per direct-message thread, sent only when it changes."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._without: set[str] = set()  # workspaces that have no agent sessions
        self._shown: LRUCache[tuple[str, str, str], str] = LRUCache(1_000)

    def concerns(self, where: Place, post: Post) -> bool:
        """True if ``show`` has an effect for a post: only the root of a direct message has a
        session.
        """
        return places.is_direct(where) and post.shape is Shape.ROOT

    async def show(self, where: Place, thread: str, post: Post) -> None:
        """Shows the state that the root's buttons imply; "processing" makes Slack show its own
        Stop.
        """
        if self.concerns(where, post):
            offered = {button.action for button in post.buttons}
            status = "active"
            if "pause" in offered:
                status = "processing"
            elif "resume" in offered:
                status = "suspended"
            if await self.set_status(where, thread, status, post.title):
                await self._suggest(where, thread, status, post.debate)

    async def _suggest(self, where: Place, thread: str, status: str, debate: str) -> None:
        prompts = [
            {"title": say(title), "message": message.format(debate=debate)}
            for title, message in _REPLIES[status]
        ]
        try:
            async with delivering():
                client = await self._workspaces.client(where.workspace)
                await client.assistant_threads_setSuggestedPrompts(
                    channel_id=where.channel, thread_ts=thread, prompts=prompts
                )
        except DeliveryError as problem:
            log.info(
                "replies were not suggested",
                extra={"action": "slack.replies", "error": str(problem)},
            )

    async def set_status(self, where: Place, thread: str, status: str, title: str = "") -> bool:
        """Shows a status and returns whether it was shown now."""
        from aiohttp import ClientError
        from slack_sdk.errors import SlackApiError, SlackClientError

        key = (where.workspace, where.channel, thread)
        if (
            not places.is_direct(where)
            or where.workspace in self._without
            or self._shown.get(key) == status
        ):
            return False
        try:
            client = await self._workspaces.client(where.workspace)
            await client.agents_sessions_setStatus(
                channel_id=where.channel,
                thread_ts=thread,
                status=status,
                title=" ".join(title.split())[:200] or None,
            )
        except SlackApiError as error:
            reason = reason_of(error)
            if reason in NEVER or error.response.status_code == 404:
                self._without.add(where.workspace)
        except (SlackClientError, ClientError, OSError, TimeoutError, NotInstalled) as error:
            reason = type(error).__name__
        else:
            self._shown[key] = status
            return True
        fields = {"action": "slack.session", "error": reason}
        log.info("the session's status was not shown", extra=fields)
        return False
