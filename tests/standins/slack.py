"""A stand-in for Slack over real HTTP and a real web socket: the Web API, Socket Mode, signed HTTP
events, and people who use them.

What people do (``slash``, ``mention``, ``reply``, ``react``, ``press``, ``submit`` ...) returns
once Slack has the acknowledgement. ``calls`` keeps every request, ``complaints`` what was wrong
with one, ``faults`` makes the next ones fail. Run as a program it prints its address as JSON and
takes the same verbs as ``POST /control/VERB``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from aiohttp import web

from tests.standins.slack_shown import render
from tests.standins.slack_wire import (
    APP_TOKEN,
    BOT_TOKEN,
    MANIFEST,
    SECRET,
    Delivery,
    Fault,
    Wire,
    signed,
)
from tests.standins.slack_world import BOT_USER, Json

__all__ = [
    "APP_TOKEN",
    "BOT_TOKEN",
    "MANIFEST",
    "SECRET",
    "Delivery",
    "Fault",
    "SlackStandIn",
    "render",
    "signed",
]


class SlackStandIn(Wire):
    """The people of a workspace, and what a test looks at."""

    # What people do

    async def slash(
        self, text: str, channel: str = "C1", user: str = "U1", team: str = "T1", **more: Any
    ) -> Delivery:
        body = {
            "token": "t", "team_id": team, "team_domain": "example", "channel_id": channel,
            "channel_name": "general", "user_id": user,
            "user_name": user.lower(), "command": "/debate", "text": text, "api_app_id": "A1",
            "is_enterprise_install": "true" if team in self.organisations else "false",
            **({"enterprise_id": self.organisations[team]} if team in self.organisations else {}),
            "response_url": f"{self.base}/respond/{team}", "trigger_id": self._trigger(team),
            **more,
        }  # fmt: skip
        return await self._deliver("slash_commands", body)

    async def mention(
        self,
        text: str,
        channel: str = "C1",
        user: str = "U1",
        thread: str = "",
        team: str = "T1",
        **more: Any,
    ) -> Json:
        """Writes a message with our name in it: Slack sends it as app_mention and, where we are a
        member, as message.
        """
        message = self.worlds[team].say(
            channel, user, f"<@{BOT_USER}> {text}", thread=thread, **more
        )
        event = {
            **message,
            "channel": channel,
            "event_ts": message["ts"],
            "channel_type": "channel",
        }
        await self.event({**event, "type": "app_mention"}, team)
        await self.event(event, team)
        return message

    async def reply(
        self,
        thread: str,
        text: str,
        channel: str = "C1",
        user: str = "U1",
        team: str = "T1",
        **more: Any,
    ) -> Json:
        return await self.write(text, channel, user, thread=thread, team=team, **more)

    async def write(
        self,
        text: str,
        channel: str = "C1",
        user: str = "U1",
        *,
        thread: str = "",
        team: str = "T1",
        **more: Any,
    ) -> Json:
        """Writes any message; in a channel whose name begins with D, a direct one."""
        message = self.worlds[team].say(channel, user, text, thread=thread, **more)
        kind = "im" if channel.startswith("D") else "channel"
        await self.event(
            {**message, "channel": channel, "channel_type": kind, "event_ts": message["ts"]}, team
        )
        return message

    async def link(
        self, url: str, channel: str = "C1", user: str = "U1", team: str = "T1", **more: Any
    ) -> Json:
        """Shares a link of a domain that the app has registered."""
        world = self.worlds[team]
        message = world.say(channel, user, f"look: {url}")
        event = {
            "type": "link_shared", "user": user, "channel": channel, "message_ts": message["ts"],
            "is_bot_user_member": world.channel(channel).member,
            "source": "conversations_history", "unfurl_id": world.id("C"),
            "links": [{"url": url, "domain": url.split("/")[2]}], "event_ts": world.ts(), **more,
        }  # fmt: skip
        await self.event(event, team)
        return message

    async def react(
        self,
        ts: str,
        emoji: str,
        channel: str = "C1",
        user: str = "U1",
        *,
        added: bool = True,
        team: str = "T1",
        **more: Any,
    ) -> None:
        world = self.worlds[team]
        world.react(channel, ts, user, emoji, added=added)
        event = {
            "type": "reaction_added" if added else "reaction_removed",
            "user": user,
            "reaction": emoji,
        }
        if author := world.channel(channel).messages[ts].get("user"):
            event["item_user"] = author
        event |= {
            "item": {"type": "message", "channel": channel, "ts": ts},
            "event_ts": world.ts(),
        } | more
        await self.event(event, team)

    async def press(
        self, ts: str, action: str, channel: str = "C1", user: str = "U1", team: str = "T1"
    ) -> Delivery:
        """Presses the button of a message whose action or label is ``action``."""
        world = self.worlds[team]
        message = world.channel(channel).messages[ts]
        button = self._button(message["blocks"], action)
        container = {
            "type": "message",
            "message_ts": ts,
            "channel_id": channel,
            "is_ephemeral": False,
        }
        if "thread_ts" in message:
            container["thread_ts"] = message["thread_ts"]
        return await self._act(
            button,
            team,
            user,
            container=container,
            channel={"id": channel, "name": "general"},
            message=message,
        )

    async def press_private(
        self,
        answer: Json,
        action: str,
        channel: str = "C1",
        user: str = "U1",
        team: str = "T1",
        *,
        thread: str = "",
    ) -> Delivery:
        """Presses the button of an answer that only this person sees: Slack sends no message along
        then.
        """
        place = {"message_ts": self.worlds[team].ts(), "channel_id": channel}
        place |= {"thread_ts": thread} if thread else {}
        return await self._act(
            self._button(answer["blocks"], action),
            team,
            user,
            container={"type": "message", "is_ephemeral": True, **place},
            channel={"id": channel, "name": "general"},
        )

    async def press_home(self, action: str, user: str = "U1", team: str = "T1") -> Delivery:
        view = self.worlds[team].homes[user]
        return await self._act(
            self._button(view["blocks"], action),
            team,
            user,
            container={"type": "view", "view_id": "VHOME"},
            view=view,
        )

    async def shortcut(
        self,
        callback: str,
        user: str = "U1",
        team: str = "T1",
        *,
        channel: str = "",
        message: Json | None = None,
    ) -> Delivery:
        kind = "message_action" if message else "shortcut"
        body: Json = {
            "type": kind,
            "callback_id": callback,
            "team": {"id": team},
            "user": {"id": user, "team_id": team},
        }
        body |= {"trigger_id": self._trigger(team), "action_ts": "1"}
        if message:
            body |= {
                "channel": {"id": channel, "name": "general"},
                "message": message,
                "message_ts": message["ts"],
            }
            body["response_url"] = f"{self.base}/respond/{team}"
        return await self._deliver("interactive", body)

    async def choose(
        self, view: str, block: str, value: str, user: str = "U1", team: str = "T1"
    ) -> Delivery:
        """Chooses an option of an input that tells at once."""
        view_state = self.worlds[team].views[view]
        field = self._fill(view_state, {block: value})[block][block]
        action = {"action_id": block, "block_id": block, "action_ts": "1", **field}
        return await self._act(
            action, team, user, container={"type": "view", "view_id": view}, view=view_state
        )

    async def submit(
        self, view: str, values: Mapping[str, str] | None = None, user: str = "U1", team: str = "T1"
    ) -> Delivery:
        """Submits a form with what was entered before and ``values``; applies what the app
        answers.
        """
        world = self.worlds[team]
        view_state = world.views[view]
        self._fill(view_state, values or {})
        body = {
            "type": "view_submission",
            "team": {"id": team},
            "user": {"id": user, "team_id": team},
            "view": view_state,
        }

        def apply(answer: Json) -> None:
            if answer.get("response_action") == "update":
                self._check("views.update", {"view_id": view, "view": answer["view"]})
                view_state.update(answer["view"])
            elif not answer:
                del world.views[view]

        return await self._deliver("interactive", body, applied=apply)

    async def open_home(self, user: str = "U1", tab: str = "home", team: str = "T1") -> None:
        await self.event(
            {
                "type": "app_home_opened",
                "user": user,
                "channel": f"D{user[1:]}",
                "tab": tab,
                "event_ts": "1",
            },
            team,
        )

    async def native_stop(
        self, thread: str, channel: str = "D1", user: str = "U1", team: str = "T1"
    ) -> None:
        event = {
            "type": "agent_session_stopped",
            "channel": channel,
            "thread_ts": thread,
            "user": user,
            "streaming_message_ts": [],
        }
        await self.event({**event, "event_ts": self.worlds[team].ts()}, team)

    async def refresh(self) -> None:
        """Slack asks the app to open a new socket and closes this one."""
        for socket in list(self._sockets):
            await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})

    async def cut(self) -> None:
        """The sockets break."""
        for socket in list(self._sockets):
            await socket.close()

    # What a test looks at

    def messages(self, channel: str = "C1", team: str = "T1") -> list[Json]:
        """Returns the messages of the channel itself: roots and those that were broadcast."""
        listed = self.worlds[team].channel(channel).messages.values()
        return [
            m
            for m in listed
            if m.get("thread_ts", m["ts"]) == m["ts"] or m.get("subtype") == "thread_broadcast"
        ]

    def thread(self, ts: str, channel: str = "C1", team: str = "T1") -> list[Json]:
        return self.worlds[team].thread(channel, ts)

    def called(self, method: str) -> list[Json]:
        return [call.arguments for call in self.calls if call.method == method]

    def _trigger(self, team: str) -> str:
        trigger = self.worlds[team].id("t")
        self.worlds[team].triggers.add(trigger)
        return trigger

    async def _act(self, action: Json, team: str, user: str, **more: Any) -> Delivery:
        body: Json = {
            "type": "block_actions",
            "team": {"id": team},
            "user": {"id": user, "team_id": team},
            "trigger_id": self._trigger(team),
        }
        action = {"action_ts": self.worlds[team].ts(), "block_id": "b", **action}
        return await self._deliver(
            "interactive",
            body | more | {"actions": [action], "response_url": f"{self.base}/respond/{team}"},
        )

    def _button(self, blocks: list[Json], action: str) -> Json:
        elements = [e for block in blocks if block["type"] == "actions" for e in block["elements"]]
        for menu in (e for e in elements if e["type"] == "overflow"):
            for option in menu["options"]:
                if action in (option["text"]["text"], option["value"].split(".")[1]):
                    chosen = {"action_id": menu["action_id"], "type": "overflow"}
                    return {**chosen, "selected_option": option}
        buttons = [e for e in elements if e["type"] == "button"]
        for element in buttons:
            if (
                element["action_id"] == action
                or action in element["action_id"].split(".")[2:3]
                or element["text"]["text"] == action
            ):
                return {
                    "action_id": element["action_id"],
                    "type": "button",
                    "value": element.get("value"),
                    "text": element["text"],
                }
        for block in (b for b in blocks if b["type"] == "context_actions"):
            for element in block["elements"]:
                for one in (element["positive_button"], element["negative_button"]):
                    if action in (one["text"]["text"], one["value"]):
                        kind = {"action_id": element["action_id"], "type": "feedback_buttons"}
                        return {**kind, **one}
        raise AssertionError(f"no button {action!r} among {[b['action_id'] for b in buttons]}")

    def _fill(self, view: Json, values: Mapping[str, str]) -> Json:
        """Returns the view's state with ``values`` in it; what was entered stays, what was never
        entered has its initial value.
        """
        state: Json = view.setdefault("state", {}).setdefault("values", {})
        inputs = {
            block["block_id"]: block["element"]
            for block in view["blocks"]
            if block["type"] == "input"
        }
        for name in [name for name in state if name not in inputs]:
            del state[name]
        assert not set(values) - set(inputs), f"no such fields: {set(values) - set(inputs)}"
        for name, element in inputs.items():
            field = state.setdefault(name, {}).setdefault(
                element["action_id"], {"type": element["type"]}
            )
            match element["type"]:
                case "static_select":
                    options = {option["value"]: option for option in element["options"]}
                    if name in values:
                        field["selected_option"] = options[values[name]]
                    field.setdefault("selected_option", element.get("initial_option"))
                case "conversations_select":
                    field["selected_conversation"] = (
                        values.get(name)
                        or field.get("selected_conversation")
                        or element.get("initial_conversation")
                    )
                case _:
                    field["value"] = (
                        values[name]
                        if name in values
                        else field.get("value") or element.get("initial_value")
                    )
        return state

    async def _control(self, request: web.Request) -> web.Response:
        verb = request.match_info["verb"]
        body = await request.json() if request.can_read_body else {}
        if verb == "state":
            calls = [{"method": c.method, "arguments": c.arguments} for c in self.calls]
            messages = {
                name: list(channel.messages.values())
                for name, channel in self.world.channels.items()
            }
            return web.json_response(
                {
                    "messages": messages,
                    "calls": calls,
                    "complaints": self.complaints,
                    "connections": self.connections,
                }
            )
        if verb == "fault":
            self.faults.append(Fault(**body))
            return web.json_response({})
        if verb not in (
            "slash",
            "mention",
            "reply",
            "write",
            "react",
            "press",
            "submit",
            "refresh",
            "cut",
            "open_home",
            "native_stop",
        ):
            return web.json_response({"error": f"no verb {verb}"}, status=404)
        result = await getattr(self, verb)(**body)
        content = (
            {"acked": result.acked, "answer": result.answer}
            if isinstance(result, Delivery)
            else result
        )
        return web.json_response(content or {})


async def main() -> None:
    """Runs until it is ended, for tests that run the bot in another process."""
    async with SlackStandIn() as slack:
        print(
            json.dumps(
                {
                    "url": slack.url,
                    "base": slack.base,
                    "bot_token": BOT_TOKEN,
                    "app_token": APP_TOKEN,
                }
            ),
            flush=True,
        )
        await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
