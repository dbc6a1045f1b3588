"""Socket Mode: Slack's events over a web socket that we open, so that the bot needs no public
address.

The SDK keeps the socket open and replaces it. Ours is the first connection (a refused token ends it
with a clear line instead of a storm of retries) and the recount after every new connection, since
Slack does not repeat what happened while the socket was closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adapters.slack.outgoing.failures import reason_of
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.debate.errors import BadInput

if TYPE_CHECKING:
    from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
    from slack_bolt.async_app import AsyncApp

_FIRST = 10.0  # seconds that starting waits for the first connection before it goes on without
_LONGEST = 30.0  # seconds between two tries

log = logging.getLogger(__name__)


class Socket:
    def __init__(
        self,
        settings: SlackSettings,
        bolt: AsyncApp,
        workspaces: Workspaces,
        connected: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._bolt = bolt
        self._workspaces = workspaces
        self._connected = connected
        self._handler: AsyncSocketModeHandler | None = None
        self._connecting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Opens the socket. Raises ``BadInput`` when Slack refuses the app token."""
        from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

        self._handler = AsyncSocketModeHandler(
            self._bolt,
            self._settings.app_token,
            web_client=self._workspaces.make_client(),
            ping_interval=self._settings.ping_interval,
        )
        await self._checked(self._handler.client)
        self._handler.client.message_listeners.append(self._greet)
        self._connecting = asyncio.get_running_loop().create_task(self._connect(self._handler))
        done, _ = await asyncio.wait({self._connecting}, timeout=_FIRST)
        for task in done:
            try:
                task.result()
            except BadInput:
                await self.stop()
                raise

    async def stop(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
        if self._handler is not None:
            client: Any = self._handler.client
            await client.close()
            tasks = [
                t
                for t in (
                    client.message_processor,
                    client.current_session_monitor,
                    client.message_receiver,
                )
                if t is not None
            ]
            await asyncio.gather(*tasks, return_exceptions=True)
            await client.aiohttp_client_session.close()

    def missing(self) -> str:
        if self._handler is not None:
            session = self._handler.client.current_session
            if session is not None and not session.closed:
                return ""
        return "the socket to Slack is not open"

    async def _checked(self, client: Any) -> None:
        """Gives the SDK's socket our own session, because it takes none by itself. Each address is
        good for one try: Slack refuses a second one, and the SDK would repeat it without an end.
        """
        from aiohttp import TraceConfig

        from adapters.network.session import session

        async def forget_address(*_: object) -> None:
            client.wss_uri = None

        await client.aiohttp_client_session.close()
        client.aiohttp_client_session = session(self._settings.reach)
        tries = TraceConfig()
        tries.on_request_start.append(forget_address)
        tries.freeze()
        client.aiohttp_client_session.trace_configs.append(tries)

    async def _connect(self, handler: AsyncSocketModeHandler) -> None:
        from slack_sdk.errors import SlackApiError, SlackClientError

        wait = 1.0
        while True:
            try:
                answer = await self._workspaces.make_client().apps_connections_open(
                    app_token=self._settings.app_token
                )
            except SlackApiError as error:
                if error.response.status_code < 500 and error.response.status_code != 429:
                    reason = reason_of(error)
                    raise BadInput(
                        "Slack refuses SLACK_APP_TOKEN ({reason}). Make one under Basic "
                        "Information, App-Level Tokens, "
                        "with the scope connections:write, and turn Socket Mode on.",
                        reason=reason,
                    ) from error
                log.warning(
                    "Slack gave no socket",
                    extra={"action": "slack.connect", "status": error.response.status_code},
                )
            except (SlackClientError, OSError, TimeoutError) as error:
                log.warning(
                    "Slack cannot be reached",
                    extra={"action": "slack.connect", "error": type(error).__name__},
                )
            else:
                client: Any = handler.client
                client.wss_uri = str(answer["url"])
                await client.connect()
                return
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST)

    async def _greet(self, client: Any, message: dict[str, Any], raw: str | None = None) -> None:
        if message.get("type") == "hello":
            self._connected()
