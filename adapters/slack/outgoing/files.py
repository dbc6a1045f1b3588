"""Uploads files into a thread, or into the channel itself if there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from slack_sdk.errors import SlackApiError

from adapters.slack.outgoing.failures import delivery_error, reason_of
from adapters.slack.outgoing.markup import AS_WRITTEN, escape
from adapters.slack.outgoing.pace import Pace
from core.application.desk import ChatFile
from core.application.place import Place

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient


class Files:
    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    async def upload(
        self, client: AsyncWebClient, where: Place, thread: str | None, file: ChatFile
    ) -> None:
        await self._pace.wait(where)
        await client.files_upload_v2(
            channel=where.channel,
            thread_ts=thread,
            content=file.text,
            filename=file.name,
            title=file.name,
        )

    async def remove(self, client: AsyncWebClient, files: Sequence[str]) -> None:
        """Deletes files by their ids; one that is gone already counts as deleted."""
        for id in files:
            try:
                await client.files_delete(file=id)
            except SlackApiError as error:
                if reason_of(error) not in ("file_deleted", "file_not_found"):
                    raise

    async def attach(
        self,
        client: AsyncWebClient,
        where: Place,
        thread: str,
        files: Sequence[ChatFile],
        there: Collection[str],
    ) -> None:
        """Uploads ``files`` to a post's thread, except those that are ``there`` by name.

        A line in the thread names files that cannot be attached.
        """
        for file in files:
            if file.name in there:
                continue
            try:
                await self.upload(client, where, thread, file)
            except SlackApiError as error:
                failure = delivery_error(error.response, repeatable=True)
                if failure.kind != "dead":
                    raise
                await client.chat_postMessage(
                    channel=where.channel,
                    thread_ts=thread,
                    text=escape(f"I could not attach {file.name}. {failure}"),
                    unfurl_links=False,
                    unfurl_media=False,
                    **AS_WRITTEN,
                )
