"""The Slack adapter: starts, stops and reports readiness: Bolt for routing, signatures and
acknowledgements, our listeners behind it, Socket Mode or HTTP in front.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.slack.incoming.connection import Socket
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.routing import bolt_app
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.outgoing.failures import delivering, reason_of
from adapters.slack.settings import SlackSettings
from adapters.slack.setup import installing
from adapters.slack.workspaces import NotInstalled, Workspaces, person_of
from core.application.desk import Desk
from core.application.presence import Member
from core.debate.errors import BadInput

if TYPE_CHECKING:
    from aiohttp import web
    from slack_bolt.async_app import AsyncApp

    from adapters.routes import Route

_UNKNOWN = ("user_not_found", "user_not_visible", "users_not_found")


_EVENTS = "/slack/events"
_LARGEST = 1_000_000
"""Most bytes of one request from Slack; a full form has 250,000."""

log = logging.getLogger(__name__)


class SlackConnection:
    """Our connection to Slack: the workspaces that installed the app, and the chat over them."""

    def __init__(self, settings: SlackSettings) -> None:
        self.settings = settings
        self.workspaces = Workspaces(settings)
        self.chat = SlackChat(self.workspaces, settings.hosts, settings.pace)


def connect(settings: SlackSettings) -> SlackConnection:
    """Prepares the connection without sending anything. Raises ``BadInput`` when the settings
    cannot work.
    """
    if not settings.bot_token and not settings.oauth:
        raise BadInput(
            "Slack needs SLACK_BOT_TOKEN (OAuth & Permissions, begins with xoxb-), or a client "
            "id and secret for many workspaces."
        )
    if not settings.app_token and not settings.signing_secret:
        raise BadInput(
            "Slack needs SLACK_APP_TOKEN (Socket Mode, begins with xapp-) or "
            "SLACK_SIGNING_SECRET (HTTP)."
        )
    return SlackConnection(settings)


class SlackOutgoing:
    """The adapter of a process that receives nothing: it identifies the bot and opens no socket."""

    def __init__(self, connection: SlackConnection) -> None:
        self.chat = connection.chat
        self._settings = connection.settings
        self._workspaces = connection.workspaces
        self._asking: asyncio.Task[None] | None = None
        self._missing = "not started"

    async def start(self) -> None:
        """Identifies the bot; waits while Slack is away. Raises ``BadInput`` for a token that Slack
        refuses.
        """
        await self._workspaces.open()
        self._missing = ""
        if self._settings.bot_token:
            try:
                known = await self._introduce()
            except BadInput:
                await self._workspaces.close()
                raise
            if not known:
                self._asking = asyncio.create_task(self._introduce_later(), name="slack-who")

    async def stop(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])
        await self._workspaces.close()
        self._missing = "stopped"

    def ready(self) -> str:
        """Returns "" when Slack has identified the bot, else a sentence on what is missing."""
        return self._missing

    async def _introduce(self) -> bool:
        """Asks Slack who the bot is and returns whether it answered. Raises ``BadInput`` for a
        token that it refuses.
        """
        from slack_sdk.errors import SlackApiError, SlackClientError

        try:
            answer = await self._workspaces.make_client(self._settings.bot_token).auth_test()
            await self._workspaces.identity(str(answer["team_id"]))
            self.chat.workspace = str(answer["team_id"])
        except SlackApiError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                reason = reason_of(error)
                raise BadInput(
                    f"Slack refuses SLACK_BOT_TOKEN ({reason}). Copy it again from OAuth & "
                    "Permissions."
                ) from error
            self._missing = "Slack has not told us who we are yet"
        except (SlackClientError, OSError, TimeoutError):
            self._missing = "Slack cannot be reached"
        else:
            self._missing = ""
        return not self._missing

    async def _introduce_later(self) -> None:
        wait = 1.0
        while True:
            await asyncio.sleep(wait)
            wait = min(wait * 2, 30.0)
            try:
                if await self._introduce():
                    return
            except BadInput as error:
                self._missing = str(error)
                return


class SlackApp(SlackOutgoing):
    """The adapter that brings people's requests to the desk."""

    def __init__(self, connection: SlackConnection, desk: Desk) -> None:
        super().__init__(connection)
        self._desk = desk
        self._listener = Listener(self._settings, desk, self._workspaces, self.chat)
        self._bolt: AsyncApp | None = None
        self._socket: Socket | None = None

    async def start(self) -> None:
        """Identifies the bot and opens the socket."""
        await super().start()
        bolt = self._bolt_app()
        if self._settings.socket_mode:
            self._socket = Socket(
                self._settings,
                bolt,
                self._workspaces,
                lambda: self._listener.background(self._desk.recount("slack")),
            )
            await self._socket.start()
        else:
            self._listener.background(self._desk.recount("slack"))

    async def member(self, workspace: str, account: str) -> Member | None:
        """Asks Slack again. None for people who left, bots, guests, people of another workspace in
        a shared channel, and workspaces without the app; raises ``DeliveryError``.
        """
        from slack_sdk.errors import SlackApiError

        team = workspace.partition(":")[2]
        async with delivering():
            try:
                client = await self._workspaces.client(team)
                us = await client.auth_test()
                if us["team_id"] != team:  # one token speaks for one workspace
                    return None
                answer = await client.users_info(user=account)
            except NotInstalled:
                return None
            except SlackApiError as error:
                if reason_of(error) in _UNKNOWN:
                    return None
                raise
        user = answer.get("user") or {}
        person = person_of(user)
        strange = user.get("team_id", team) != team
        if person.bot or person.guest or user.get("deleted") or strange:
            return None
        return Member(person.name, person.admin)

    async def stop(self, grace: float = 5.0) -> None:
        """Receives nothing more, gives running listeners ``grace`` seconds to finish, and closes
        the connections.
        """
        if self._socket is not None:
            await self._socket.stop()
        await self._listener.stop(grace)
        await super().stop()

    def ready(self) -> str:
        """Returns "" when events arrive and Slack has identified the bot, else a sentence on what
        is missing.
        """
        if self._missing or self._socket is None:
            return self._missing
        return self._socket.missing()

    def routes(self) -> list[Route]:
        """Returns the routes that Slack calls: events if there is a signing secret, installing if
        there is a client id.
        """
        from adapters.routes import Media, Route, RouteField, Who

        routes: list[Route] = []
        if self._settings.signing_secret:
            takes, stored = (Media.LINE, Media.JSON), "what people ask for"
            who, events = Who.PLATFORM, self._events
            routes.append(
                Route("POST", _EVENTS, who, events, body=_LARGEST, takes=takes, stored=stored)
            )
        if self._settings.oauth:
            back = (RouteField("code", 1_000), RouteField("state", 1_000), RouteField("error"))
            kept = "the workspace's token, sealed"
            routes += [
                Route("GET", installing.INSTALL, Who.ANYONE, self._install),
                Route(
                    *("GET", installing.REDIRECT, Who.STATE, self._install),
                    query=back,
                    stored=kept,
                ),
            ]
        return routes

    def _bolt_app(self) -> AsyncApp:
        if self._bolt is None:
            client = self._workspaces.make_client()
            flow = installing.oauth_flow(self._settings, client) if self._settings.oauth else None
            self._bolt = bolt_app(self._settings, self._workspaces, self._listener, client, flow)
        return self._bolt

    async def _events(self, request: web.Request) -> web.Response:
        """Receives events, commands and clicks over HTTP.

        A signature that is missing, wrong or old is refused before anything is parsed.
        """
        from aiohttp import web
        from slack_bolt.adapter.aiohttp import to_aiohttp_response

        from adapters.routes.reading import body_of
        from adapters.slack.incoming.shapes import is_readable, is_signed, read_ids

        raw = await body_of(request)
        if not is_signed(self._settings.signing_secret, raw, request.headers):
            return web.Response(status=401)
        fits = await asyncio.to_thread(is_readable, raw, request.content_type)
        event = read_ids(request, raw) if fits else None
        if event is None:
            log.warning("Slack sent something odd", extra={"action": "slack.events"})
            return web.Response(status=400)
        return await to_aiohttp_response(await self._bolt_app().async_dispatch(event))

    async def _install(self, request: web.Request) -> web.Response:
        from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request

        flow = self._bolt_app().oauth_flow
        assert flow is not None  # noqa: S101  routed only with OAuth
        bolt_request = await to_bolt_request(request)
        if request.path == installing.INSTALL:
            return await to_aiohttp_response(await flow.handle_installation(bolt_request))
        return await to_aiohttp_response(await flow.handle_callback(bolt_request))
