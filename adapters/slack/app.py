"""The Slack app: Bolt for routing, signatures and acknowledgements, our listeners behind it, Socket
Mode or HTTP in front.

Bolt acknowledges before a listener waits for anything, so Slack's three seconds never depend on the
desk, the database or a model. Authorizing is ours for the same reason: it answers from memory.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize

from adapters.ports.desk import Desk
from adapters.slack.incoming.buttons import Presses
from adapters.slack.incoming.connection import Socket
from adapters.slack.incoming.events import Happenings
from adapters.slack.incoming.forms import Forms
from adapters.slack.incoming.listener import Listener, place_of
from adapters.slack.incoming.messages import Messages
from adapters.slack.incoming.views import LINE_FORM, NEW, START_FORM, TEMPLATE
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.outgoing.failures import refusal
from adapters.slack.settings import COMMAND, SlackSettings
from adapters.slack.setup import installing
from adapters.slack.setup.workspaces import Workspaces
from core.errors import BadInput

if TYPE_CHECKING:
    from aiohttp import web

EVENTS_PATH = "/slack/events"
SHORTCUTS = ("debate_new", "debate_message")

log = logging.getLogger(__name__)


def build(settings: SlackSettings, desk: Desk) -> SlackApp:
    """The app, not started. Raises ``BadInput`` when the settings cannot work."""
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
    return SlackApp(settings, desk)


class SlackApp:
    def __init__(self, settings: SlackSettings, desk: Desk) -> None:
        self._settings = settings
        self._desk = desk
        self._workspaces = Workspaces(settings)
        self.chat = SlackChat(self._workspaces, settings.hosts, settings.pace)
        self._front = Listener(settings, desk, self._workspaces, self.chat)
        self._bolt: AsyncApp | None = None
        self._socket: Socket | None = None
        self._missing = "not started"

    async def start(self) -> None:
        """Finds out who we are and opens the socket.

        Raises ``BadInput`` for a token that Slack refuses; waits out a Slack that is away.
        """
        await self._workspaces.open()
        self._missing = ""
        bolt = self._bolt_app()
        if self._settings.bot_token:
            try:
                known = await self._introduce()
            except BadInput:
                await self._workspaces.close()
                raise
            if not known:
                self._front.background(self._introduce_later())
        if self._settings.socket_mode:
            self._socket = Socket(
                self._settings,
                bolt,
                self._workspaces,
                lambda: self._front.background(self._desk.recount("slack")),
            )
            await self._socket.start()
        else:
            self._front.background(self._desk.recount("slack"))

    async def stop(self, grace: float = 5.0) -> None:
        """Takes nothing more in, gives running listeners ``grace`` seconds to finish, closes the
        connections.
        """
        if self._socket is not None:
            await self._socket.stop()
        await self._front.rest(grace)
        await self._workspaces.close()
        self._missing = "stopped"

    def ready(self) -> str:
        """ "" when Slack reaches us and knows us, else what is missing."""
        return self._missing or (self._socket.missing() if self._socket else "")

    def route(self, app: web.Application) -> None:
        """Adds Slack's paths to our HTTP server: events with a signing secret, installing with a
        client id.
        """
        if self._settings.signing_secret:
            app.router.add_post(EVENTS_PATH, self._events)
        if self._settings.oauth:
            app.router.add_get(installing.INSTALL, self._install)
            app.router.add_get(installing.REDIRECT, self._install)

    async def _introduce(self) -> bool:
        """Whether Slack has told us who we are. Raises ``BadInput`` for a token that it refuses."""
        from slack_sdk.errors import SlackApiError, SlackClientError

        try:
            answer = await self._workspaces.bare(self._settings.bot_token).auth_test()
            await self._workspaces.identity(str(answer["team_id"]))
            self.chat.workspace = str(answer["team_id"])
        except SlackApiError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                reason = refusal(error)
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

    def _bolt_app(self) -> AsyncApp:
        if self._bolt is not None:
            return self._bolt
        client = self._workspaces.bare()
        quiet = logging.getLogger("adapters.slack.bolt")
        quiet.setLevel(
            max(logging.INFO, log.getEffectiveLevel())
        )  # its debug lines hold whole payloads and headers
        client._logger = quiet  # noqa: SLF001 (the SDK offers it in the constructor only, which the shared client does not use)
        bolt = AsyncApp(
            name="debatebot",
            logger=quiet,
            client=client,
            signing_secret=self._settings.signing_secret,
            authorize=FromMemory(self._workspaces),
            oauth_flow=installing.oauth_flow(self._settings, client)
            if self._settings.oauth
            else None,
            request_verification_enabled=bool(self._settings.signing_secret),
        )
        self._listen(bolt)
        self._bolt = bolt
        return bolt

    def _listen(self, bolt: AsyncApp) -> None:
        words, presses, forms, happenings = (
            Messages(self._front),
            Presses(self._front),
            Forms(self._front),
            Happenings(self._front),
        )
        bolt.command(COMMAND)(words.slash)
        bolt.shortcut(SHORTCUTS[0])(forms.new)
        bolt.shortcut(SHORTCUTS[1])(forms.on_message)
        bolt.action(NEW)(forms.new)
        bolt.action(TEMPLATE)(forms.template_chosen)
        bolt.action(re.compile(r"debate\.press\."))(presses.pressed)
        bolt.action(re.compile(r"debate\.form\."))(presses.opened)
        bolt.view(START_FORM)(forms.submitted)
        bolt.view(LINE_FORM)(presses.submitted)
        for event, listener in {
            "app_mention": words.mention,
            "message": words.message,
            "reaction_added": happenings.reaction,
            "reaction_removed": happenings.reaction,
            "app_home_opened": happenings.opened,
            "agent_session_stopped": happenings.stopped,
            "app_uninstalled": happenings.removed,
            "tokens_revoked": happenings.removed,
        }.items():
            bolt.event(event)(listener)
        bolt.error(self._failed)

    async def _failed(self, error: Exception, body: Mapping[str, Any]) -> None:
        where, user, thread = place_of(body)
        await self._front.complain(
            error, where, user, thread=thread, response_url=str(body.get("response_url") or "")
        )

    async def _events(self, request: web.Request) -> web.Response:
        """Events, commands and clicks over HTTP.

        A signature that is missing, wrong or old is refused before anything is parsed.
        """
        from aiohttp import web
        from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
        from slack_sdk.signature import SignatureVerifier

        raw = await request.read()
        verifier = SignatureVerifier(self._settings.signing_secret)
        headers = {
            name: request.headers.get(name, "")
            for name in ("X-Slack-Request-Timestamp", "X-Slack-Signature")
        }
        if not headers["X-Slack-Request-Timestamp"].isdecimal() or not verifier.is_valid_request(
            raw, headers
        ):
            return web.Response(status=401)
        return await to_aiohttp_response(
            await self._bolt_app().async_dispatch(await to_bolt_request(request))
        )

    async def _install(self, request: web.Request) -> web.Response:
        from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request

        flow = self._bolt_app().oauth_flow
        assert flow is not None  # noqa: S101  routed only with OAuth
        installs = request.path == installing.INSTALL
        handle = flow.handle_installation if installs else flow.handle_callback
        return await to_aiohttp_response(await handle(await to_bolt_request(request)))


class FromMemory(AsyncAuthorize):
    """Authorizes without waiting: tokens are looked up by the listeners, after Slack has its
    acknowledgement.
    """

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    async def __call__(
        self,
        *,
        context: Any,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,
        actor_team_id: str | None = None,
        actor_user_id: str | None = None,
    ) -> AuthorizeResult:
        us = self._workspaces.known(team_id or "")
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            user_id=user_id,
            bot_user_id=us.user if us else None,
            bot_id=us.bot if us else None,
        )
