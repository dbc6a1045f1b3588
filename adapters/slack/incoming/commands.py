"""The slash command."""

from __future__ import annotations

import asyncio

from adapters.slack import places
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.membership import require_member
from adapters.slack.incoming.offers import offer
from adapters.slack.incoming.payloads import Json, Recipient, team_of
from core.application.commands import Start


class Commands:
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
            await require_member(listener.workspaces, where)
        answer = await listener.desk.take(request, caller)
        to = Recipient(where, user, response_url=url)
        await listener.show(offer(answer, caller.source), to)
