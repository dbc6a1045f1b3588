"""Buttons of our messages and the one-line forms that some of them open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adapters.ports.place import Place
from adapters.slack import places
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import is_direct, team_of
from adapters.slack.incoming.views import LINE, line_form, state

Json = Mapping[str, Any]


class Presses:
    """A button says all that is needed in its action id and value, so those of messages from before
    a restart work too.
    """

    def __init__(self, front: Listener) -> None:
        self._front = front

    async def pressed(self, ack: Any, body: Json) -> None:
        await ack()
        self._front.go(body, self._press(body))

    async def opened(self, ack: Any, body: Json) -> None:
        """A button that asks for a line of text first."""
        await ack()
        self._front.go(body, self._open(body))

    async def submitted(self, ack: Any, body: Json) -> None:
        text = state(body["view"], LINE).strip()
        if not text:
            await ack(response_action="errors", errors={LINE: "Write a line first."})
            return
        await ack()
        self._front.go(body, self._submit(body, text))

    async def _press(self, body: Json) -> None:
        front = self._front
        action = body["actions"][0]
        where, thread = _where(body)
        user = str(body["user"]["id"])
        pressed = action.get("action_ts") or body.get("trigger_id")
        source = f"{where.workspace}/{where.channel}/{pressed}/{user}"
        private = is_direct(where, body)
        caller = await front.caller(where, user, source, thread=thread, private=private)
        answer = await front.desk.press(_name(action), str(action.get("value") or ""), caller)
        await front.show(
            answer,
            where,
            user,
            thread=_reply_thread(body),
            response_url=str(body.get("response_url") or ""),
        )

    async def _open(self, body: Json) -> None:
        action = body["actions"][0]
        where, thread = _where(body)
        memo = {
            "action": _name(action),
            "value": str(action.get("value") or ""),
            "channel": where.channel,
            "thread": thread,
        }
        label = str((action.get("text") or {}).get("text") or "Debate")
        await self._front.open_view(body, line_form(label, memo))

    async def _submit(self, body: Json, text: str) -> None:
        front = self._front
        memo = json.loads(body["view"]["private_metadata"])
        where = places.place(team_of(body), memo["channel"])
        user = str(body["user"]["id"])
        private = places.is_direct(where)
        caller = await front.caller(
            where,
            user,
            f"{where.workspace}/view/{body['view']['id']}",
            thread=memo["thread"],
            private=private,
        )
        answer = await front.desk.press(memo["action"], memo["value"], caller, text)
        await front.show(answer, where, user, thread=memo["thread"])


def _name(action: Json) -> str:
    """``debate.press.stop.0`` is "stop"."""
    return str(action["action_id"]).split(".")[2]


def _where(body: Json) -> tuple[Place, str]:
    """The channel, and the thread that the message of the button opens or stands in."""
    container, message = body.get("container") or {}, body.get("message") or {}
    channel = str((body.get("channel") or {}).get("id") or container.get("channel_id") or "")
    thread = (
        message.get("thread_ts")
        or container.get("thread_ts")
        or message.get("ts")
        or container.get("message_ts")
        or ""
    )
    return places.place(team_of(body), channel), str(thread)


def _reply_thread(body: Json) -> str:
    """Where an answer is looked for: beside the root in the channel, in the thread for everything
    else.
    """
    message = body.get("message") or {}
    thread = str(message.get("thread_ts") or "")
    return thread if thread != message.get("ts") else ""
