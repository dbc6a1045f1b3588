"""A stand-in for Slack over real HTTP and a real web socket: the Web API, Socket Mode, signed HTTP events, and people who use them.

What people do (``slash``, ``mention``, ``reply``, ``react``, ``press``, ``submit`` ...) returns once Slack has the acknowledgement.
``calls`` keeps every request, ``complaints`` what was wrong with one, ``faults`` makes the next ones fail. Run as a program it prints
its address as JSON and takes the same verbs as ``POST /control/VERB``.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import ClientSession, WSMsgType, web

from tests.standins.slack_rules import complaints, decoded
from tests.standins.slack_world import BOT_USER, Json, Refused, World

MANIFEST = Path(__file__).resolve().parents[2] / "manifests" / "slack.json"
BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-stand-in", "xapp-stand-in", "signing-secret"


@dataclass
class Fault:
    """Makes ``times`` calls of ``method`` fail, after letting ``after`` of them pass.

    ``kind``: an HTTP status ("429" with ``retry_after``, "500", "503"), "drop" (the connection breaks before anything is stored),
    "drop_after" (it is stored, then the connection breaks), "500_after", "slow" (answers after ``seconds``), or Slack's name of an error.
    """

    method: str
    kind: str
    times: int = 1
    after: int = 0
    retry_after: int = 1
    seconds: float = 1.0


@dataclass(frozen=True)
class Call:
    method: str
    arguments: Json
    team: str
    at: float


@dataclass
class Delivery:
    """One envelope to the app. ``acked`` is the number of seconds until it was acknowledged; ``answer`` what came with that."""

    body: Json
    kind: str
    sent: float
    acked: float | None = None
    answer: Any = None
    applied: Callable[[Json], None] = lambda answer: None
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def acknowledge(self, answer: Any) -> None:
        self.acked = time.monotonic() - self.sent
        self.answer = answer
        self.applied(answer or {})
        self.done.set()


class SlackStandIn:
    """``events_url`` set means HTTP delivery, signed with ``secret``; else events go to the web socket."""

    def __init__(self, *, port: int = 0) -> None:
        self._port = port
        self.worlds: dict[str, World] = {}
        self.tokens: dict[str, str] = {}  # bot token -> team
        self.calls: list[Call] = []
        self.complaints: list[str] = []
        self.responses: list[Json] = []  # to response URLs
        self.faults: list[Fault] = []
        self.deliveries: list[Delivery] = []
        self.events_url = ""
        self.twice = False  # deliver every event twice
        self.connections = 0
        self._sockets: list[web.WebSocketResponse] = []
        self._waiting: dict[str, Delivery] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._session: ClientSession | None = None
        self._changed = asyncio.Condition()
        self.workspace("T1", BOT_TOKEN)

    @property
    def world(self) -> World:
        return self.worlds["T1"]

    def workspace(self, team: str, token: str) -> World:
        """A workspace in which the app is installed with everything that the manifest asks for."""
        scopes = set(json.loads(MANIFEST.read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"])
        world = self.worlds[team] = World(team, scopes, self._emit_later)
        world.user(BOT_USER)
        world.channel("C1")
        self.tokens[token] = team
        return world

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=20 * 2**20)
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/respond/{team}", self._response_url)
        app.router.add_post("/upload/{id}", self._upload)
        app.router.add_get("/files/{id}", self._file)
        app.router.add_post("/control/{verb}", self._control)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self._session = ClientSession()
        for world in self.worlds.values():
            world.base = self.base
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for socket in self._sockets:
            await socket.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()
        await self._runner.cleanup()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """What ``SLACK_API_URL`` is set to."""
        return f"{self.base}/api/"

    # What people do

    async def slash(self, text: str, channel: str = "C1", user: str = "U1", team: str = "T1", **more: Any) -> Delivery:
        body = {
            "token": "t", "team_id": team, "team_domain": "example", "channel_id": channel, "channel_name": "general", "user_id": user,
            "user_name": user.lower(), "command": "/debate", "text": text, "api_app_id": "A1", "is_enterprise_install": "false",
            "response_url": f"{self.base}/respond/{team}", "trigger_id": self._trigger(team), **more,
        }  # fmt: skip
        return await self._deliver("slash_commands", body)

    async def mention(self, text: str, channel: str = "C1", user: str = "U1", thread: str = "", team: str = "T1", **more: Any) -> Json:
        """A message with our name in it: Slack sends it as app_mention and, where we are a member, as message."""
        message = self.worlds[team].say(channel, user, f"<@{BOT_USER}> {text}", thread=thread, **more)
        event = {**message, "channel": channel, "event_ts": message["ts"], "channel_type": "channel"}
        await self.event({**event, "type": "app_mention"}, team)
        await self.event(event, team)
        return message

    async def reply(self, thread: str, text: str, channel: str = "C1", user: str = "U1", team: str = "T1", **more: Any) -> Json:
        return await self.write(text, channel, user, thread=thread, team=team, **more)

    async def write(self, text: str, channel: str = "C1", user: str = "U1", *, thread: str = "", team: str = "T1", **more: Any) -> Json:
        """Any message; in a channel whose name begins with D, a direct one."""
        message = self.worlds[team].say(channel, user, text, thread=thread, **more)
        kind = "im" if channel.startswith("D") else "channel"
        await self.event({**message, "channel": channel, "channel_type": kind, "event_ts": message["ts"]}, team)
        return message

    async def react(
        self, ts: str, emoji: str, channel: str = "C1", user: str = "U1", *, added: bool = True, team: str = "T1", **more: Any
    ) -> None:
        world = self.worlds[team]
        world.react(channel, ts, user, emoji, added=added)
        author = world.channel(channel).messages[ts]["user"]
        event = {"type": "reaction_added" if added else "reaction_removed", "user": user, "reaction": emoji, "item_user": author}
        event |= {"item": {"type": "message", "channel": channel, "ts": ts}, "event_ts": world.ts()} | more
        await self.event(event, team)

    async def press(self, ts: str, action: str, channel: str = "C1", user: str = "U1", team: str = "T1") -> Delivery:
        """Presses the button of a message whose action or label is ``action``."""
        world = self.worlds[team]
        message = world.channel(channel).messages[ts]
        button = self._button(message["blocks"], action)
        container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False}
        if "thread_ts" in message:
            container["thread_ts"] = message["thread_ts"]
        return await self._act(button, team, user, container=container, channel={"id": channel, "name": "general"}, message=message)

    async def press_home(self, action: str, user: str = "U1", team: str = "T1") -> Delivery:
        view = self.worlds[team].homes[user]
        return await self._act(self._button(view["blocks"], action), team, user, container={"type": "view", "view_id": "VHOME"}, view=view)

    async def shortcut(
        self, callback: str, user: str = "U1", team: str = "T1", *, channel: str = "", message: Json | None = None
    ) -> Delivery:
        kind = "message_action" if message else "shortcut"
        body: Json = {"type": kind, "callback_id": callback, "team": {"id": team}, "user": {"id": user, "team_id": team}}
        body |= {"trigger_id": self._trigger(team), "action_ts": "1"}
        if message:
            body |= {"channel": {"id": channel, "name": "general"}, "message": message, "message_ts": message["ts"]}
            body["response_url"] = f"{self.base}/respond/{team}"
        return await self._deliver("interactive", body)

    async def choose(self, view: str, block: str, value: str, user: str = "U1", team: str = "T1") -> Delivery:
        """Chooses an option of an input that tells at once."""
        shown = self.worlds[team].views[view]
        field = self._fill(shown, {block: value})[block][block]
        action = {"action_id": block, "block_id": block, "action_ts": "1", **field}
        return await self._act(action, team, user, container={"type": "view", "view_id": view}, view=shown)

    async def submit(self, view: str, values: Mapping[str, str] | None = None, user: str = "U1", team: str = "T1") -> Delivery:
        """Submits a form with what was entered before and ``values``; applies what the app answers."""
        world = self.worlds[team]
        shown = world.views[view]
        self._fill(shown, values or {})
        body = {"type": "view_submission", "team": {"id": team}, "user": {"id": user, "team_id": team}, "view": shown}

        def apply(answer: Json) -> None:
            if answer.get("response_action") == "update":
                self._check("views.update", {"view_id": view, "view": answer["view"]})
                shown.update(answer["view"])
            elif not answer:
                del world.views[view]

        return await self._deliver("interactive", body, applied=apply)

    async def open_home(self, user: str = "U1", tab: str = "home", team: str = "T1") -> None:
        await self.event({"type": "app_home_opened", "user": user, "channel": f"D{user[1:]}", "tab": tab, "event_ts": "1"}, team)

    async def native_stop(self, thread: str, channel: str = "D1", user: str = "U1", team: str = "T1") -> None:
        event = {"type": "agent_session_stopped", "channel": channel, "thread_ts": thread, "user": user, "streaming_message_ts": []}
        await self.event({**event, "event_ts": self.worlds[team].ts()}, team)

    async def event(self, event: Json, team: str = "T1", *, event_id: str = "", retry: int = 0) -> Delivery:
        """Delivers an event; with ``twice`` set, Slack repeats it as it does when it missed the acknowledgement."""
        event_id = event_id or self.worlds[team].id("Ev")
        us = {"enterprise_id": None, "team_id": team, "user_id": BOT_USER, "is_bot": True, "is_enterprise_install": False}
        body = {
            "type": "event_callback", "team_id": team, "api_app_id": "A1", "event": event, "event_id": event_id,
            "event_time": int(time.time()), "authorizations": [us],
        }  # fmt: skip
        delivery = await self._deliver("events_api", body, retry)
        if self.twice:
            await self._deliver("events_api", body, 1)
        return delivery

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
        """The channel itself: roots and what was broadcast."""
        found = self.worlds[team].channel(channel).messages.values()
        return [m for m in found if m.get("thread_ts", m["ts"]) == m["ts"] or m.get("subtype") == "thread_broadcast"]

    def thread(self, ts: str, channel: str = "C1", team: str = "T1") -> list[Json]:
        return self.worlds[team].thread(channel, ts)

    def called(self, method: str) -> list[Json]:
        return [call.arguments for call in self.calls if call.method == method]

    async def until(self, happened: Callable[[], Any], timeout: float = 3.0) -> Any:
        """Waits for a call that makes ``happened`` true, and returns what it says."""
        ends = time.monotonic() + timeout
        while not (result := happened()):
            if time.monotonic() > ends:
                raise AssertionError(f"did not happen in {timeout} s; the last calls were {[call.method for call in self.calls[-8:]]}")
            await self._pause()
        return result

    async def _pause(self) -> None:
        """Until the next call, or a moment."""
        async with self._changed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 0.02)

    # The wire

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.content_type == "application/json":
            body = await request.json()
        else:
            body = dict(await request.post()) or dict(request.query)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(body.get("token", ""))
        arguments = decoded(body)
        team = self.tokens.get(token, "")
        self.calls.append(Call(method, arguments, team, time.monotonic()))
        fault = self._fault(method)
        if fault and fault.kind.isdecimal():
            headers = {"Retry-After": str(fault.retry_after)} if fault.kind == "429" else {}
            error = "ratelimited" if fault.kind == "429" else "internal_error"
            return web.json_response({"ok": False, "error": error}, status=int(fault.kind), headers=headers)
        if fault and fault.kind == "drop":
            return self._drop(request)
        if fault and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        elif fault and not fault.kind.endswith("_after"):
            return web.json_response({"ok": False, "error": fault.kind, "needed": "files:write"})
        answer = self._answer(method, arguments, token, team)
        async with self._changed:
            self._changed.notify_all()
        if fault and fault.kind == "drop_after":
            return self._drop(request)
        if fault and fault.kind == "500_after":
            return web.json_response({"ok": False, "error": "internal_error"}, status=500)
        headers = {"x-oauth-scopes": ",".join(sorted(self.worlds[team].scopes))} if team else {}
        return web.json_response(answer, headers=headers)

    def _answer(self, method: str, arguments: Json, token: str, team: str) -> Json:
        self._check(method, arguments)
        if method == "apps.connections.open":
            if token != APP_TOKEN:
                return {"ok": False, "error": "invalid_auth"}
            return {"ok": True, "url": f"ws://127.0.0.1:{self._port}/socket"}
        if method == "oauth.v2.access":
            return self._install(arguments)
        if not team:
            return {"ok": False, "error": "invalid_auth"}
        try:
            return self.worlds[team].call(method, arguments)
        except Refused as refused:
            return refused.answer

    def _install(self, arguments: Json) -> Json:
        team = str(arguments["code"])
        token = f"xoxb-{team}-installed"
        self.workspace(team, token).base = self.base
        return {
            "ok": True, "access_token": token, "token_type": "bot", "scope": "chat:write", "bot_user_id": BOT_USER, "app_id": "A1",
            "team": {"id": team, "name": team}, "enterprise": None, "authed_user": {"id": "U1"}, "is_enterprise_install": False,
        }  # fmt: skip

    def _check(self, method: str, arguments: Json) -> None:
        self.complaints += [f"{method}: {complaint}" for complaint in complaints(method, arguments)]

    def _fault(self, method: str) -> Fault | None:
        for fault in self.faults:
            if fault.method not in (method, "*"):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self.faults.remove(fault)
            return fault
        return None

    def _drop(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets.append(socket)
        self.connections += 1
        await socket.send_json({"type": "hello", "num_connections": len(self._sockets), "connection_info": {"app_id": "A1"}})
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._acked(message.json())
        finally:
            self._sockets.remove(socket)
        return socket

    def _acked(self, answer: Json) -> None:
        delivery = self._waiting.pop(answer.get("envelope_id", ""), None)
        if delivery is not None:
            delivery.acknowledge(answer.get("payload"))

    async def _deliver(self, kind: str, body: Json, retry: int = 0, applied: Callable[[Json], None] = lambda answer: None) -> Delivery:
        delivery = Delivery(body, kind, time.monotonic(), applied=applied)
        self.deliveries.append(delivery)
        if self.events_url:
            await self._post(delivery, retry)
            return delivery
        envelope = f"E{len(self.deliveries)}"
        self._waiting[envelope] = delivery
        async with asyncio.timeout(5):
            while not self._sockets:
                await self._pause()
            payload = {"envelope_id": envelope, "type": kind, "payload": body, "accepts_response_payload": kind != "events_api"}
            await self._sockets[-1].send_json({**payload, "retry_attempt": retry, "retry_reason": "timeout" if retry else ""})
            await delivery.done.wait()
        return delivery

    async def _post(self, delivery: Delivery, retry: int) -> None:
        """Delivers over HTTP as Slack does: forms for commands and clicks, JSON for events, all signed."""
        if delivery.kind == "events_api":
            raw, content = json.dumps(delivery.body), "application/json"
        else:
            fields = delivery.body if delivery.kind == "slash_commands" else {"payload": json.dumps(delivery.body)}
            raw, content = urlencode(fields), "application/x-www-form-urlencoded"
        headers = {"Content-Type": content, **signed(raw)}
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        assert self._session is not None
        async with self._session.post(self.events_url, data=raw, headers=headers) as response:
            text = await response.text()
            assert response.status == 200, f"{response.status} {text}"
            delivery.acknowledge(json.loads(text) if text.startswith("{") else text)

    def _emit_later(self, team: str, event: Json) -> None:
        """What the app did comes back to it, while it does other things."""
        if self._sockets or self.events_url:
            task = asyncio.get_running_loop().create_task(self._quietly(team, event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _quietly(self, team: str, event: Json) -> None:
        with suppress(TimeoutError, ConnectionError):  # the app went away in the meantime
            await self.event(event, team)

    async def _response_url(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.responses.append(body)
        self._check("chat.postEphemeral", {"channel": "C1", "user": "U1", "text": body.get("text"), "blocks": body.get("blocks", [])})
        async with self._changed:
            self._changed.notify_all()
        return web.Response(text="ok")

    async def _upload(self, request: web.Request) -> web.Response:
        for world in self.worlds.values():
            if file := world.files.get(request.match_info["id"]):
                if request.content_type.startswith("multipart/"):
                    part = (await request.post())["file"]
                    file["content"] = part.file.read() if isinstance(part, web.FileField) else str(part).encode()
                else:
                    file["content"] = await request.read()
        return web.Response(text="OK")

    async def _file(self, request: web.Request) -> web.Response:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        team = self.tokens.get(token)
        if team is None or "files:read" not in self.worlds[team].scopes:
            return web.Response(text="<html>sign in</html>", content_type="text/html")
        return web.Response(body=self.worlds[team].files[request.match_info["id"]]["content"], content_type="text/plain")

    def attachment(self, name: str, content: bytes, team: str = "T1") -> Json:
        """A file as it stands in a message's ``files``."""
        world = self.worlds[team]
        id = world.id("F")
        world.files[id] = {"id": id, "name": name, "content": content}
        return {"id": id, "name": name, "size": len(content), "url_private_download": f"{self.base}/files/{id}"}

    def _trigger(self, team: str) -> str:
        trigger = self.worlds[team].id("t")
        self.worlds[team].triggers[trigger] = time.monotonic()
        return trigger

    async def _act(self, action: Json, team: str, user: str, **more: Any) -> Delivery:
        body: Json = {
            "type": "block_actions",
            "team": {"id": team},
            "user": {"id": user, "team_id": team},
            "trigger_id": self._trigger(team),
        }
        action = {"action_ts": self.worlds[team].ts(), "block_id": "b", **action}
        return await self._deliver("interactive", body | more | {"actions": [action], "response_url": f"{self.base}/respond/{team}"})

    def _button(self, blocks: list[Json], action: str) -> Json:
        buttons = [e for block in blocks if block["type"] == "actions" for e in block["elements"]]
        for element in buttons:
            if element["action_id"] == action or action in element["action_id"].split(".")[2:3] or element["text"]["text"] == action:
                return {"action_id": element["action_id"], "type": "button", "value": element.get("value"), "text": element["text"]}
        raise AssertionError(f"no button {action!r} among {[b['action_id'] for b in buttons]}")

    def _fill(self, view: Json, values: Mapping[str, str]) -> Json:
        """The view's state with ``values`` in it; what was entered stays, what was never entered has its initial value."""
        state: Json = view.setdefault("state", {}).setdefault("values", {})
        inputs = {block["block_id"]: block["element"] for block in view["blocks"] if block["type"] == "input"}
        for name in [name for name in state if name not in inputs]:
            del state[name]
        assert not set(values) - set(inputs), f"no such fields: {set(values) - set(inputs)}"
        for name, element in inputs.items():
            field = state.setdefault(name, {}).setdefault(element["action_id"], {"type": element["type"]})
            match element["type"]:
                case "static_select":
                    options = {option["value"]: option for option in element["options"]}
                    if name in values:
                        field["selected_option"] = options[values[name]]
                    field.setdefault("selected_option", element.get("initial_option"))
                case "conversations_select":
                    field["selected_conversation"] = (
                        values.get(name) or field.get("selected_conversation") or element.get("initial_conversation")
                    )
                case _:
                    field["value"] = values[name] if name in values else field.get("value") or element.get("initial_value")
        return state

    async def _control(self, request: web.Request) -> web.Response:
        verb = request.match_info["verb"]
        body = await request.json() if request.can_read_body else {}
        if verb == "state":
            calls = [{"method": c.method, "arguments": c.arguments} for c in self.calls]
            messages = {name: list(channel.messages.values()) for name, channel in self.world.channels.items()}
            return web.json_response({"messages": messages, "calls": calls, "complaints": self.complaints, "connections": self.connections})
        if verb == "fault":
            self.faults.append(Fault(**body))
            return web.json_response({})
        if verb not in ("slash", "mention", "reply", "write", "react", "press", "submit", "refresh", "cut", "open_home", "native_stop"):
            return web.json_response({"error": f"no verb {verb}"}, status=404)
        result = await getattr(self, verb)(**body)
        shown = {"acked": result.acked, "answer": result.answer} if isinstance(result, Delivery) else result
        return web.json_response(shown or {})


def signed(raw: str, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    """Slack's signature over a request's body."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{raw}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def shown(message: Mapping[str, Any]) -> str:
    """A message as a reader sees it: its blocks as plain lines, buttons in brackets, emoji in colons."""
    return "\n".join(line for block in message.get("blocks") or [{"type": "text", "text": message["text"]}] for line in _lines(block))


def _lines(block: Mapping[str, Any]) -> Iterator[str]:
    match block["type"]:
        case "header":
            yield "# " + block["text"]["text"]
        case "section":
            yield block["text"]["text"]
        case "context":
            yield " ".join(element["text"] for element in block["elements"])
        case "actions":
            yield " ".join(f"[{element['text']['text']}]" for element in block["elements"])
        case "input":
            yield f"{block['label']['text']}: ____"
        case "rich_text":
            for element in block["elements"]:
                yield from _rich(element)
        case _:
            yield str(block.get("text", ""))


def _rich(element: Mapping[str, Any]) -> Iterator[str]:
    if element["type"] == "rich_text_list":
        for item in element["elements"]:
            yield "  " * element["indent"] + "• " + "".join(map(_inline, item["elements"]))
        return
    text = "".join(map(_inline, element["elements"]))
    if element["type"] == "rich_text_preformatted":
        yield f"```\n{text}\n```"
    elif element["type"] == "rich_text_quote":
        yield "\n".join("> " + line for line in text.split("\n"))
    else:
        yield text


def _inline(element: Mapping[str, Any]) -> str:
    match element["type"]:
        case "emoji":
            return f":{element['name']}:"
        case "link":
            return f"{element['text']} <{element['url']}>"
        case "channel":
            return f"#{element['channel_id']}"
        case _:
            text = str(element["text"])
            style = element.get("style") or {}
            for name, mark in (("code", "`"), ("bold", "*"), ("italic", "_"), ("strike", "~")):
                if style.get(name) and text.strip():
                    text = mark + text + mark
            return text


async def main() -> None:
    """Runs until it is ended, for tests that run the bot in another process."""
    async with SlackStandIn() as slack:
        print(json.dumps({"url": slack.url, "base": slack.base, "bot_token": BOT_TOKEN, "app_token": APP_TOKEN}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
