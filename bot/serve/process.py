"""The bot as it runs for weeks: one house, one runtime, the poster, the ticker, the door, and the
platforms that are configured.

Stopping is ordinary: nothing new is taken in, debates are let go of, posts in flight arrive, all
within ten seconds; what was running goes on at the next start. A crash is the same without the
courtesy.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from adapters.ports.chat import Chat, DeliveryError
from adapters.posts.words import root_key
from bot.desk.front_desk import FrontDesk, front_desk
from bot.posting.deliver import PACE, Poster
from bot.schedules.fire import Firings, Ticker
from bot.serve import journal
from bot.serve.http import HttpServer, Ready
from bot.serve.metrics import MeasuredModels, Metrics
from bot.serve.runtime import Runtime, runtime_for
from bot.wire import House, clean
from core.errors import BadInput
from storage.places import Installations

if TYPE_CHECKING:
    from aiohttp import web

    from bot.settings import Settings

logger = logging.getLogger(__name__)
GRACE = 9.0
"""Seconds for stopping; whoever runs the bot kills it after ten."""


class Platform(Protocol):
    """A chat platform's app, as ``adapters.slack.app.build`` and ``adapters.discord.app.build``
    make it.
    """

    @property
    def chat(self) -> Chat: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def ready(self) -> str: ...


@dataclass
class Bot:
    """Everything that runs. ``platforms`` by name; tests hand in their own."""

    desk: FrontDesk
    platforms: Mapping[str, Platform]
    metrics: Metrics = field(default_factory=Metrics)
    paces: Mapping[str, float] = field(default_factory=lambda: PACE)
    address: str = ""

    def __post_init__(self) -> None:
        self.house = house = self.desk.house
        metrics = self.metrics
        self.runtime: Runtime = runtime_for(house)
        self.ticker = Ticker(house)
        self.firings = Firings(house)
        chats = {name: platform.chat for name, platform in self.platforms.items()}
        house.chats.update(chats)
        house.advancer.told += [metrics.told, journal.told]
        house.advancer.recount = self.desk.reactions.recount_debate
        scoped = house.advancer.scoped or (lambda: house.models)
        house.advancer.scoped = lambda: MeasuredModels(scoped(), metrics)
        self.poster = Poster(
            house.outbox, chats, house.owner, self._gone, metrics.noted, self.paces
        )
        parts: dict[str, Ready] = {
            name: platform.ready for name, platform in self.platforms.items()
        }
        self.http_server = HttpServer(house, metrics, parts | {"bot": self._missing})
        self._tasks: list[asyncio.Task[None]] = []

    def _missing(self) -> str:
        return ", ".join(
            f"the {task.get_name()} has stopped" for task in self._tasks if task.done()
        )

    async def start(self, host: str, port: int) -> None:
        """Raises ``BadInput``: another runner, a taken port, a refused token."""
        await self.runtime.start()
        for platform in self.platforms.values():
            if (route := getattr(platform, "route", None)) is not None:
                _routed(route, self.http_server.app)
            await platform.start()
        self._tasks = [
            asyncio.create_task(self.poster.run(), name="poster"),
            asyncio.create_task(self.ticker.run(), name="ticker"),
        ]
        try:
            self.address = await self.http_server.open(host, port)
        except OSError as error:
            raise BadInput(
                f"Port {port} of {host} can't be used: {error.strerror}. Set DEBATE_PORT to a "
                "free one."
            ) from error

    async def stop(self) -> None:
        """First what is on its way arrives, while the platforms are still there; then everything
        lets go. No part keeps another from it.
        """
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await _all(
            (
                self.runtime.stop,
                self.http_server.close,
                *(platform.stop for platform in self.platforms.values()),
            )
        )

    async def _gone(self, place: str, debate: str, reason: str) -> None:
        """A debate's first message can't be posted: its starter hears why and what to do, and the
        schedules of the place rest.
        """
        reason = f"{reason.rstrip('.')}."
        await self.firings.place_gone(place, reason)
        chat = self.house.chat_of(place)
        if chat is None:
            return
        found = await self.house.load(debate)
        said = (
            f"Debate {debate} runs, but I can't post it here: {reason} See it with: /debate "
            f"show {debate}"
        )
        if not found.over and await self.house.outbox.is_unread(debate, root_key(debate)):
            then = f"When that is mended: /debate resume {debate}"
            said = (
                f"Debate {debate} is paused and costs nothing more, for I can't post it: "
                f"{reason} {then}"
            )
        try:
            await chat.send_private(place, found.request.asker, said)
        except DeliveryError as problem:
            logger.warning(
                "the starter can't be told",
                extra={"action": "place_gone", "debate": debate, "reason": str(problem)},
            )


def _routed(route: Callable[[web.Application], None], app: web.Application) -> None:
    route(app)


async def _all(stops: Iterable[Callable[[], Awaitable[None]]]) -> None:
    for result in await asyncio.gather(*(stop() for stop in stops), return_exceptions=True):
        if isinstance(result, Exception):
            logger.error("a part did not stop cleanly", exc_info=result, extra={"action": "stop"})


async def serve(settings: Settings) -> int:
    """Runs the bot until it is told to stop.

    Raises ``BadInput`` or ``CouldNotFinish`` when it can't start.
    """
    journal.open_journal(settings.log_level, (*settings.secrets, *_provider_keys(settings)), clean)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with House.at(settings, shell=False) as house:
        desk = front_desk(house)
        bot = Bot(desk, platforms(settings, desk))
        try:
            await bot.start(settings.host, settings.port)
            told = {
                "action": "started",
                "address": bot.address,
                "platforms": sorted(bot.platforms),
                "models": list(house.models.default()),
            }
            logger.info("the bot runs", extra=told)
            warming = asyncio.create_task(_warm(house), name="warm")
            await stopped.wait()
            warming.cancel()
        finally:
            logger.info("stopping", extra={"action": "stopping"})
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await bot.stop()
    return 0


async def _warm(house: House) -> None:
    """Loads what the first turn would otherwise wait for. Failing costs only that."""
    try:
        await house.models.warm(house.models.default())
    except Exception:  # the first turn says what is wrong, to the people who asked
        logger.exception("warming up failed", extra={"action": "warm"})


def _provider_keys(settings: Settings) -> tuple[str, ...]:
    from adapters.models.keys import secrets

    return tuple(secrets(settings.env))


def platforms(
    settings: Settings, desk: FrontDesk, paces: Mapping[str, float] = PACE
) -> dict[str, Platform]:
    """The chats that are configured; ``paces`` as the poster's. Raises ``BadInput`` for half a
    configuration.
    """
    found: dict[str, Platform] = {}
    if settings.slack_bot_token or settings.slack_client_id:
        from adapters.slack.app import build as build_slack
        from adapters.slack.settings import API, SlackSettings

        found["slack"] = build_slack(
            SlackSettings(
                bot_token=settings.slack_bot_token,
                app_token=settings.slack_app_token,
                signing_secret=settings.slack_signing_secret,
                client_id=settings.slack_client_id,
                client_secret=settings.slack_client_secret,
                api_url=settings.slack_api_url or API,
                vault=_vault(settings, desk.house),
                public_url=settings.public_url,
                pace=paces.get("slack", 0.0),
            ),
            desk,
        )
    if settings.discord_token:
        from adapters.discord.app import build as build_discord
        from adapters.discord.settings import DiscordSettings

        found["discord"] = build_discord(
            DiscordSettings(
                token=settings.discord_token,
                api_url=settings.discord_api_url,
                gateway_url=settings.discord_gateway_url,
                admin_roles=tuple(settings.discord_admin_roles),
                models=tuple(desk.house.models.default()),
            ),
            desk,
        )
    return found


def _vault(settings: Settings, house: House) -> Installations | None:
    """Where tokens of many workspaces rest, sealed with the app's own client secret."""
    if not settings.slack_client_secret:
        return None
    return Installations(house.database, settings.slack_client_secret)
