"""The Discord adapter: starts, stops and reports readiness.

Without the owner's permission to read messages (a privileged intent) Discord closes the connection;
then the bot connects again without it and posts a note: challenges come through the button or a
mention instead of plain replies.
"""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import discord

from adapters.discord import scopes
from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.connection import Client
from adapters.discord.incoming.listener import Listener
from adapters.discord.outgoing import failures
from adapters.discord.outgoing.chat import DiscordChat
from adapters.discord.outgoing.session import DiscordClient, redirect
from adapters.discord.settings import DiscordSettings
from adapters.network.broken import broken_by
from core.application.desk import Desk
from core.application.presence import DeliveryError, DeliveryFailure, Member
from core.debate.errors import BadInput

_log = logging.getLogger(__name__)
_HOPELESS = frozenset({4004, 4010, 4011, 4012, 4013})
"""Close codes after which connecting again cannot help: a wrong token, a wrong shard, a version or
intent that does not exist.
"""
FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds between attempts to connect
NO_CONTENT = (
    "Discord: the message-content intent is off; challenges work through the Challenge "
    "button and by mentioning the bot"
)


class DiscordConnection:
    """Our connection to Discord: the present ``client``, None while there is none, and the chat
    over it.
    """

    def __init__(self, settings: DiscordSettings) -> None:
        self.settings = settings
        self.client: DiscordClient | None = None
        self.interactions = Interactions()
        self.chat = DiscordChat(
            lambda: self.client,
            self.interactions.post_private,
            settings.request_timeout,
            settings.pictures,
        )


class DiscordOutgoing:
    """The adapter of a process that receives nothing: it only keeps a connection for posting."""

    def __init__(self, connection: DiscordConnection) -> None:
        self._connection = connection
        self._settings = connection.settings
        self._running: asyncio.Task[None] | None = None
        self._failure = ""

    async def start(self) -> None:
        """Logs in and continues connecting in the background.

        Raises ``BadInput`` for a token that Discord refuses.
        """
        redirect(self._settings)
        try:
            self._connection.client = await self._log_in(content=self._settings.message_content)
        except (OSError, aiohttp.ClientError, discord.HTTPException) as error:
            self._failure = f"Discord cannot be reached ({broken_by(error)})"
            _log.warning("%s; trying again", self._failure, extra={"action": "discord_unreachable"})
        self._running = asyncio.create_task(self._run(), name="discord")

    async def stop(self) -> None:
        """Closes the connection; the outbox sends unfinished messages later."""
        client, running = self._connection.client, self._running
        self._connection.client = self._running = None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        if client is not None:
            await client.close()

    def ready(self) -> str:
        """Returns "" when the connection is up and complete, else a sentence on what is missing."""
        client = self._connection.client
        if self._failure:
            return self._failure
        if client is None or client.is_closed() or not client.is_ready():
            return "Discord: connecting"
        away = sorted(number for number, shard in client.shards.items() if shard.is_closed())
        if not away:
            return ""
        return f"Discord: shard {', '.join(map(str, away))} is reconnecting"

    def _session(self, *, content: bool) -> DiscordClient:
        """Returns a client that is not logged in yet; it does not ask for the text of messages."""
        return DiscordClient(self._settings, scopes.servers_only())

    def _without_content(self) -> None:
        """Does nothing, because this client never asks for the text of messages."""

    async def _log_in(self, *, content: bool) -> DiscordClient:
        client = self._session(content=content)
        try:
            await client.login(self._settings.token)
        except discord.LoginFailure as error:
            await client.close()
            raise BadInput(
                "Discord refused DISCORD_TOKEN: copy the bot's token again (`debate docs discord`, "
                "step 3)"
            ) from error
        except BaseException:
            await client.close()
            raise
        self._failure = ""
        return client

    async def _run(self) -> None:
        """Keeps one client connected. The library reconnects by itself; this handles the breaks
        after which it gives up.
        """
        content, pause = self._settings.message_content, FIRST_PAUSE
        while True:
            try:
                if self._connection.client is None or self._connection.client.is_closed():
                    self._connection.client = await self._log_in(content=content)
                self._failure = ""
                await self._connection.client.connect()
                pause = FIRST_PAUSE
            except discord.PrivilegedIntentsRequired:
                content = False
                self._without_content()
                continue
            except BadInput as error:
                self._give_up(str(error))
                return
            except discord.ConnectionClosed as error:
                if error.code in _HOPELESS:
                    self._give_up(f"Discord closed the connection for good (code {error.code})")
                    return
                self._failure = f"Discord closed the connection (code {error.code})"
            except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
                self._failure = f"Discord cannot be reached ({broken_by(error)})"
            except Exception as error:  # noqa: BLE001 - nobody else connects again, whatever it was
                self._failure = f"the connection to Discord broke ({type(error).__name__})"
                _log.exception(self._failure, extra={"action": "discord_broke"})
            _log.warning(
                "%s; trying again in %.0f s",
                self._failure,
                pause,
                extra={"action": "discord_unreachable"},
            )
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _give_up(self, why: str) -> None:
        self._failure = why
        _log.error(why, extra={"action": "discord_gave_up"})


class DiscordApp(DiscordOutgoing):
    """The running adapter: it connects, and passes people's actions to the desk. ``note`` names
    reduced functions, "" if there are none.
    """

    def __init__(self, connection: DiscordConnection, desk: Desk) -> None:
        super().__init__(connection)
        self.chat = connection.chat
        self._listener = Listener(connection.settings, desk, connection.interactions)
        self.note = ""

    async def member(self, workspace: str, account: str) -> Member | None:
        """Returns the member of a server; None for a bot, a person who is not in it, and a server
        that the bot is not in. Raises ``DeliveryError``.
        """
        client, guild = self._connection.client, workspace.partition(":")[2]
        if client is None or not client.is_ready():
            raise DeliveryError(DeliveryFailure.RETRY, "Discord is not connected", after=2.0)
        if not (guild.isdecimal() and account.isdecimal()):
            return None
        if (server := client.get_guild(int(guild))) is None:
            return None
        with failures.delivering("the server"):
            async with asyncio.timeout(self._settings.request_timeout):
                try:
                    known = await server.fetch_member(int(account))
                except discord.NotFound:
                    return None
        if known.bot:
            return None
        return Member(known.display_name, scopes.administers(known.guild_permissions))

    async def stop(self) -> None:
        """Gives running listeners a few seconds to finish, and closes the connection."""
        await self._listener.stop()
        await super().stop()

    def _session(self, *, content: bool) -> DiscordClient:
        return Client(self._listener, content=content)

    def _without_content(self) -> None:
        self.note = NO_CONTENT
        _log.warning(NO_CONTENT, extra={"action": "discord_no_content"})
