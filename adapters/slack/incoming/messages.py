"""Listens for messages to the bot: the slash command, mentions, replies in threads and direct
messages, with the material in them.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.slack import places
from adapters.slack.incoming.attachments import files_text, thread_text
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.offers import offer
from adapters.slack.incoming.payloads import (
    Json,
    Recipient,
    is_readable,
    material_files,
    mentions,
    team_of,
    without_mention,
)
from core.application.commands import Start
from core.application.commands.named import asks_for_thread

if TYPE_CHECKING:
    from core.application.desk import DeskAnswer
    from core.application.place import Place


class Messages:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def slash(self, body: Json) -> None:
        """Takes ``/debate ...``.

        Slack allows it in no thread; the answer goes to the response URL, which works even if the
        bot is not a member.
        """
        listener = self._listener
        where = places.place(team_of(body), str(body["channel_id"]))
        user, url = str(body["user_id"]), str(body.get("response_url") or "")
        text = await listener.read(str(body.get("text") or ""), where.workspace)
        caller = await listener.caller(where, user, str(body["trigger_id"]))
        await listener.speak_to(caller)
        request = await asyncio.to_thread(listener.parse, text)  # thousands of words take a while
        if isinstance(request, Start):
            await listener.require_member(where)
        answer = await listener.desk.take(request, caller)
        to = Recipient(where, user, response_url=url)
        await listener.show(offer(answer, caller.source), to)

    async def mention(self, body: Json, event: Json) -> None:
        """Takes a message that mentions the bot in a channel or thread."""
        await self._take(body, event, mentioned=True)

    async def message(self, body: Json, event: Json) -> None:
        """Takes any message that the bot can read; only replies in threads and direct messages can
        be for it.
        """
        where = places.place(team_of(body), str(event.get("channel") or ""))
        if event.get("thread_ts") or places.is_direct(where):
            await self._take(body, event, mentioned=False)

    async def _take(self, body: Json, event: Json, *, mentioned: bool) -> None:
        listener = self._listener
        if not is_readable(event):
            return
        where = places.place(team_of(body), str(event["channel"]))
        us = await listener.workspaces.identity(where.workspace)
        user, ts, raw = str(event["user"]), str(event["ts"]), str(event.get("text") or "")
        # One message comes as app_mention and as message, with two event ids: its own place and
        # time are its identity.
        source = f"{where.workspace}/{where.channel}/{ts}"
        if user == us.user or not listener.is_new(source):
            return
        mentioned = mentioned or mentions(raw, us.user)
        text = await listener.read(without_mention(raw, us.user), where.workspace)
        thread = str(event.get("thread_ts") or "")
        for_us = mentioned or places.is_direct(where) or text.lower().startswith("challenge:")
        caller = await listener.caller(where, user, source, thread=thread, known=for_us)
        if for_us:
            await listener.speak_to(caller)
        start = None
        if for_us and not caller.bot:
            start = await self._with_material(text, event, where, thread)
        if start is not None:
            answer: DeskAnswer | None = await listener.desk.take(start, caller)
        else:
            answer = await listener.desk.take_message(caller, text, mentioned, ts)
        if answer is not None:
            to = Recipient(where, user, thread)
            await listener.show(offer(answer, caller.source), to)

    async def _with_material(
        self, text: str, event: Json, where: Place, thread: str
    ) -> Start | None:
        """Returns the start of a debate on an attached file or on the thread itself, None if the
        text asks for neither.
        """
        listener = self._listener
        if files := material_files(event):
            name, material = await files_text(
                listener.workspaces, listener.settings, where.workspace, files
            )
            start = await asyncio.to_thread(listener.parse_with_file, text, material)
            if not isinstance(start, Start):
                return None
            return start.on_file(name, material)
        if not (thread and (whole := asks_for_thread(text, listener.desk.template_names()))):
            return None
        start = await asyncio.to_thread(listener.parse, whole, attached=True)
        if not isinstance(start, Start):
            return None
        material = await thread_text(listener.workspaces, where, thread, without=str(event["ts"]))
        return replace(start, target="this thread", text=material)
