"""What people write to us: the slash command, mentions, replies in threads and direct messages, and
the material they bring along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.commands import Start
from adapters.ports.place import Place
from adapters.slack import places
from adapters.slack.incoming.attachments import file_text, thread_text
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import (
    asks_for_thread,
    is_direct,
    material_file,
    mentions,
    readable,
    team_of,
    typed,
    without_mention,
)
from core.errors import BadInput

if TYPE_CHECKING:
    from adapters.ports.desk import Caller

Json = Mapping[str, Any]


class Messages:
    """Listeners for text. Each acknowledges before it does anything that may wait."""

    def __init__(self, front: Listener) -> None:
        self._front = front

    async def slash(self, ack: Any, body: Json) -> None:
        """``/debate ...``.

        Slack allows it in no thread; the answer goes to the response URL, which works where we are
        no member.
        """
        await ack()
        self._front.go(body, self._command(body))

    async def mention(self, body: Json, event: Json) -> None:
        """Our name in a channel or thread."""
        self._front.go(body, self._heard(body, event, mentioned=True))

    async def message(self, body: Json, event: Json) -> None:
        """Any message where we are: only replies in threads and direct messages can be for us."""
        where = places.place(team_of(body), str(event.get("channel") or ""))
        if event.get("thread_ts") or is_direct(where, event):
            self._front.go(body, self._heard(body, event, mentioned=False))

    async def _command(self, body: Json) -> None:
        front = self._front
        where = places.place(team_of(body), str(body["channel_id"]))
        user, url = str(body["user_id"]), str(body.get("response_url") or "")
        ask = front.parse(typed(str(body.get("text") or ""), where.workspace))
        if isinstance(ask, Start):
            await front.reachable(where)
        private = places.is_direct(where)
        caller = await front.caller(where, user, str(body["trigger_id"]), private=private)
        await front.show(await front.desk.take(ask, caller), where, user, response_url=url)

    async def _heard(self, body: Json, event: Json, *, mentioned: bool) -> None:
        front = self._front
        if not readable(event):
            return
        where = places.place(team_of(body), str(event["channel"]))
        us = await front.workspaces.identity(where.workspace)
        user, ts, raw = str(event["user"]), str(event["ts"]), str(event.get("text") or "")
        private = is_direct(where, event)
        mentioned = mentioned or mentions(raw, us.user)
        # One message comes as app_mention and as message, with two event ids: its own place and
        # time are its identity.
        source = f"{where.workspace}/{where.channel}/{ts}"
        if user == us.user or not front.first_time(source):
            return
        text = typed(without_mention(raw, us.user), where.workspace)
        thread = str(event.get("thread_ts") or "")
        for_us = mentioned or private or text.lower().startswith("challenge:")
        caller = await front.caller(
            where, user, source, thread=thread, private=private, known=for_us
        )
        start = await self._with_material(text, event, where, caller) if for_us else None
        answer = await (
            front.desk.take(start, caller)
            if start
            else front.desk.take_message(caller, text, mentioned, ts)
        )
        if answer is not None:
            await front.show(answer, where, user, thread=thread)

    async def _with_material(
        self, text: str, event: Json, where: Place, caller: Caller
    ) -> Start | None:
        """The start of a debate on an attached file or on the thread itself, None where the text
        asks for neither.
        """
        front = self._front
        file = material_file(event)
        whole = (
            asks_for_thread(text, [t.id for t in front.desk.templates()]) if caller.thread else None
        )
        if file is None and whole is None:
            return None
        ask = front.parse(
            f"{whole[0]} {whole[1]}" if whole and file is None else text or "help", attached=True
        )
        if not isinstance(ask, Start):
            return None
        client = await front.workspaces.client(where.workspace)
        if file is not None:
            if ask.target and ask.target.startswith("https://"):
                raise BadInput("A link and a file: give me one of them.")
            return replace(
                ask,
                target=str(file["name"]),
                text=await file_text(front.workspaces, front.settings, where.workspace, file),
            )
        material = await thread_text(
            front.workspaces, client, where, caller.thread, without=str(event["ts"])
        )
        return replace(ask, target="this thread", text=material)
