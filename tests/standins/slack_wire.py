"""The wire of the stand-in for Slack: the Web API with its faults, the web socket and signed HTTP,
uploads and response URLs.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, WSMsgType, web

from tests.patience import PATIENCE
from tests.standins.limits import Limit, Used
from tests.standins.slack_rules import complaints, decoded, refused_blocks
from tests.standins.slack_world import BOT_USER, Json, Refused, World

MANIFEST = Path(__file__).resolve().parents[2] / "manifests" / "slack.json"
BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-stand-in", "xapp-stand-in", "signing-secret"


@dataclass
class Fault:
    """Makes ``times`` calls of ``method`` (in ``channel``, where given) fail, after letting
    ``after`` of them pass.

    ``kind``: an HTTP status ("429" with ``retry_after``, "500", "503"), "drop" (the connection
    breaks before anything is stored), "drop_after" (it is stored, then the connection breaks),
    "500_after", "slow" (answers after ``seconds``), "other_after" (it is stored, and ``instead`` is
    the answer), or Slack's name of an error.
    """

    method: str
    kind: str
    times: int = 1
    after: int = 0
    channel: str = ""
    retry_after: float = 1
    seconds: float = 1.0
    instead: bytes = b""


@dataclass(frozen=True)
class Call:
    method: str
    arguments: Json
    team: str
    at: float


@dataclass
class Delivery:
    """One envelope to the app.

    ``acked`` is the number of seconds until it was acknowledged; ``answer`` what came with that.
    """

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


def signed(raw: str, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    """Slack's signature over a request's body."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{raw}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


class Wire:
    """``events_url`` set means HTTP delivery, signed with ``secret``; else events go to the web
    socket.
    """

    def __init__(self, *, port: int = 0, host: str = "127.0.0.1") -> None:
        self._host, self._port = host, port
        self.worlds: dict[str, World] = {}
        self.tokens: dict[str, str] = {}  # bot token -> team
        self.organisations: dict[str, str] = {}  # team -> organisation that has the app as a whole
        self.calls: list[Call] = []
        self.complaints: list[str] = []
        self.responses: list[Json] = []  # to response URLs
        self.faults: list[Fault] = []
        self.deliveries: list[Delivery] = []
        self.events_url = ""
        self.twice = False  # deliver every event twice
        self.limits: Mapping[str, Limit] = {}  # by method; a test sets them
        self.used = Used()
        self.connections = 0
        self.broken_sockets = 0
        """So many sockets break before they are open."""
        self._tickets: set[str] = set()
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
        """Adds a workspace in which the app is installed with everything that the manifest asks
        for.
        """
        scopes = set(
            json.loads(MANIFEST.read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
        )
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
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self._session = ClientSession()
        for world in self.worlds.values():
            world.base = self.base
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        return f"http://{self._host}:{self._port}"

    @property
    def url(self) -> str:
        """Returns the value for ``SLACK_API_URL``."""
        return f"{self.base}/api/"

    async def event(
        self, event: Json, team: str = "T1", *, event_id: str = "", retry: int = 0
    ) -> Delivery:
        """Delivers an event; with ``twice`` set, Slack repeats it as it does when it missed the
        acknowledgement.
        """
        event_id = event_id or self.worlds[team].id("Ev")
        organisation = self.organisations.get(team)
        us = {
            "enterprise_id": organisation,
            "team_id": None if organisation else team,
            "user_id": BOT_USER,
            "is_bot": True,
            "is_enterprise_install": organisation is not None,
        }
        body = {
            "type": "event_callback", "team_id": team, "api_app_id": "A1", "event": event,
            "event_id": event_id,
            "event_time": int(time.time()), "authorizations": [us],
        }  # fmt: skip
        delivery = await self._deliver("events_api", body, retry)
        if self.twice:
            await self._deliver("events_api", body, 1)
        return delivery

    async def until(self, happened: Callable[[], Any], timeout: float = PATIENCE) -> Any:
        """Waits for a call that makes ``happened`` true, and returns what it says."""
        ends = time.monotonic() + timeout
        while not (result := happened()):
            if time.monotonic() > ends:
                raise AssertionError(
                    f"did not happen in {timeout} s; the last calls were "
                    f"{[call.method for call in self.calls[-8:]]}"
                )
            await self._pause()
        return result

    async def _pause(self) -> None:
        """Waits for the next call, or a moment."""
        async with self._changed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 0.02)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        if request.content_type == "application/json":
            body = await request.json()
        else:
            body = dict(await request.post()) or dict(request.query)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(
            body.get("token", "")
        )
        arguments = decoded(body)
        team = self.tokens.get(token, "")
        self.calls.append(Call(method, arguments, team, time.monotonic()))
        fault = self._fault(method, arguments) or self._too_early(method, arguments, team)
        if fault and fault.kind.isdecimal():
            headers = {"Retry-After": str(fault.retry_after)} if fault.kind == "429" else {}
            error = "ratelimited" if fault.kind == "429" else "internal_error"
            return web.json_response(
                {"ok": False, "error": error}, status=int(fault.kind), headers=headers
            )
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
        if fault and fault.kind == "other_after":
            kind = "text/html" if fault.instead[:1] == b"<" else "application/json"
            return web.Response(body=fault.instead, content_type=kind)
        headers = {"x-oauth-scopes": ",".join(sorted(self.worlds[team].scopes))} if team else {}
        return web.json_response(answer, headers=headers)

    def _answer(self, method: str, arguments: Json, token: str, team: str) -> Json:
        self._check(method, arguments)
        if method == "apps.connections.open":
            if token != APP_TOKEN:
                return {"ok": False, "error": "invalid_auth"}
            self._tickets.add(ticket := f"{len(self.calls)}")
            return {"ok": True, "url": f"ws://{self._host}:{self._port}/socket?ticket={ticket}"}
        if method == "oauth.v2.access":
            return self._install(arguments)
        if not team:
            return {"ok": False, "error": "invalid_auth"}
        if faults := list(refused_blocks(arguments.get("blocks") or ())):
            return {"ok": False, "error": "invalid_blocks", "errors": faults}
        try:
            return self.worlds[team].call(method, arguments)
        except Refused as refused:
            return refused.answer

    def organisation(self, name: str, token: str, *teams: str) -> World:
        """Adds an organisation that has the app as a whole: its workspaces share one token."""
        world = self.workspace(name, token)
        self.worlds |= dict.fromkeys(teams, world)
        self.organisations |= dict.fromkeys((name, *teams), name)
        return world

    def _install(self, arguments: Json) -> Json:
        team, *teams = str(arguments["code"]).split("-")
        if teams:
            return self._install_whole(team, *teams)
        token = f"xoxb-{team}-installed"
        self.workspace(team, token).base = self.base
        return {
            "ok": True, "access_token": token, "token_type": "bot", "scope": "chat:write",
            "bot_user_id": BOT_USER, "app_id": "A1",
            "team": {"id": team, "name": team}, "enterprise": None, "authed_user": {"id": "U1"},
            "is_enterprise_install": False,
        }  # fmt: skip

    def _install_whole(self, organisation: str, *teams: str) -> Json:
        token = f"xoxb-{organisation}-installed"
        self.organisation(organisation, token, *teams).base = self.base
        return {
            "ok": True, "access_token": token, "token_type": "bot", "scope": "chat:write",
            "bot_user_id": BOT_USER, "app_id": "A1", "team": None,
            "enterprise": {"id": organisation, "name": organisation}, "authed_user": {"id": "U1"},
            "is_enterprise_install": True,
        }  # fmt: skip

    def _check(self, method: str, arguments: Json) -> None:
        self.complaints += [f"{method}: {complaint}" for complaint in complaints(method, arguments)]

    def _fault(self, method: str, arguments: Json) -> Fault | None:
        for fault in self.faults:
            if fault.method not in (method, "*") or fault.channel not in (
                "",
                arguments.get("channel"),
            ):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self.faults.remove(fault)
            return fault
        return None

    def _too_early(self, method: str, arguments: Json, team: str) -> Fault | None:
        """Returns Slack's refusal of a call that exceeds its limit."""
        if (limit := self.limits.get(method)) is None:
            return None
        channel = arguments.get("channel", "") if method == "chat.postMessage" else ""
        early, _, _ = self.used.take(f"{method} {team} {channel}", limit)
        return Fault(method, "429", retry_after=ceil(early)) if early else None

    def _drop(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        """Each address that was given is good for one try."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=408)
        self._tickets.remove(ticket)
        if self.broken_sockets:
            self.broken_sockets -= 1
            return self._drop(request)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets.append(socket)
        self.connections += 1
        await socket.send_json(
            {
                "type": "hello",
                "num_connections": len(self._sockets),
                "connection_info": {"app_id": "A1"},
            }
        )
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

    async def _deliver(
        self,
        kind: str,
        body: Json,
        retry: int = 0,
        applied: Callable[[Json], None] = lambda answer: None,
    ) -> Delivery:
        delivery = Delivery(body, kind, time.monotonic(), applied=applied)
        self.deliveries.append(delivery)
        if self.events_url:
            await self._post(delivery, retry)
            return delivery
        envelope = f"E{len(self.deliveries)}"
        self._waiting[envelope] = delivery
        payload = {
            "envelope_id": envelope,
            "type": kind,
            "payload": body,
            "accepts_response_payload": kind != "events_api",
        }
        async with asyncio.timeout(PATIENCE):
            while not delivery.done.is_set():  # a socket that ends takes its answers along
                while not self._sockets:
                    await self._pause()
                socket = self._sockets[-1]
                reason = "timeout" if retry else ""
                with suppress(ConnectionError):
                    await socket.send_json(
                        {**payload, "retry_attempt": retry, "retry_reason": reason}
                    )
                while socket in self._sockets and not delivery.done.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(delivery.done.wait(), 0.2)
                retry += 1
        return delivery

    async def _post(self, delivery: Delivery, retry: int) -> None:
        """Delivers over HTTP as Slack does: forms for commands and clicks, JSON for events, all
        signed.
        """
        if delivery.kind == "events_api":
            raw, content = json.dumps(delivery.body), "application/json"
        else:
            fields = (
                delivery.body
                if delivery.kind == "slash_commands"
                else {"payload": json.dumps(delivery.body)}
            )
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
        """Sends the app its own actions as events, while it does other things."""
        if self._sockets or self.events_url:
            task = asyncio.get_running_loop().create_task(self._quietly(team, event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _quietly(self, team: str, event: Json) -> None:
        with suppress(TimeoutError, ClientError, OSError):  # the app went away in the meantime
            await self.event(event, team)

    async def _response_url(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.responses.append(body)
        self._check(
            "chat.postEphemeral",
            {
                "channel": "C1",
                "user": "U1",
                "text": body.get("text"),
                "blocks": body.get("blocks", []),
                "parse": "none",  # a response URL takes it for granted
                "link_names": False,
            },
        )
        async with self._changed:
            self._changed.notify_all()
        return web.Response(text="ok")

    async def _upload(self, request: web.Request) -> web.Response:
        for world in self.worlds.values():
            if file := world.files.get(request.match_info["id"]):
                if request.content_type.startswith("multipart/"):
                    part = (await request.post())["file"]
                    file["content"] = (
                        part.file.read() if isinstance(part, web.FileField) else str(part).encode()
                    )
                else:
                    file["content"] = await request.read()
        return web.Response(text="OK")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        team = self.tokens.get(token)
        if team is None or "files:read" not in self.worlds[team].scopes:
            return web.Response(text="<html>sign in</html>", content_type="text/html")
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(request)
        content = self.worlds[team].files[request.match_info["id"]]["content"]
        for at in range(0, len(content), 300_000):  # as a network would, piece by piece
            await answer.write(content[at : at + 300_000])
            await asyncio.sleep(0.02)
        return answer

    def attachment(self, name: str, content: bytes, team: str = "T1") -> Json:
        """Returns a file as it stands in a message's ``files``."""
        world = self.worlds[team]
        id = world.id("F")
        world.files[id] = {"id": id, "name": name, "content": content}
        return {
            "id": id,
            "name": name,
            "size": len(content),
            "url_private_download": f"{self.base}/files/{id}",
        }

    async def _control(self, request: web.Request) -> web.Response:
        return web.Response(status=404)
