"""A Discord, a forge and the bot as ``debate serve`` wires it, in one process: what people do goes
in by sockets, what they see comes out.

The bot lives on a real SQLite file, so that it can be stopped and started again. Its clock is the
machine's plus what a test adds, the same for the store, the debates and Discord itself; its models
speak as fast as they are let.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from adapters.discord.addresses import redirect
from adapters.discord.app import DiscordApp, DiscordConnection, DiscordOutgoing
from adapters.discord.settings import DiscordSettings
from adapters.models import Vendors
from adapters.ports.platform import Connection
from bot.serve.platforms import configured_platforms
from bot.serve.process import Bot
from bot.settings import Settings
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts
from core.debate import Debate
from storage.places import Installations
from tests.end_to_end.played import LINK, configured
from tests.patience import PATIENCE
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import JSON, render, until
from tests.standins.github import GitHubStandIn

FREE = 1 << 30
UNPACED = {"slack": 0.0}


@dataclass
class Time:
    """The machine's clock, ``ahead`` of itself.

    As the models' clock it is a turnstile: an answer passes while ``passes`` are left.
    """

    ahead: float = 0.0
    passes: int = FREE
    waiting: int = 0
    passed: int = 0
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    async def sleep(self, seconds: float) -> None:
        self.waiting += 1
        try:
            while not self.passes:
                await self._moved.wait()
        finally:
            self.waiting -= 1
        self.passes -= 1
        self.passed += 1

    def let(self, passes: int = FREE) -> None:
        """From here on ``passes`` more answers are given, and no other."""
        self.passes = passes
        self._moved.set()
        self._moved = asyncio.Event()


@dataclass
class City:
    """``bot`` is the bot of now: ``stop`` and ``start`` make it another one on the same file."""

    discord: DiscordStandIn
    github: GitHubStandIn
    folder: Path
    time: Time
    env: dict[str, str]
    changes: dict[str, Any] = field(default_factory=dict)
    models: Callable[..., Vendors] = Vendors
    bot: Bot | None = None
    _parts: Parts | None = None
    _life: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def parts(self) -> Parts:
        assert self._parts is not None, "the bot is stopped"
        return self._parts

    @property
    def app(self) -> DiscordApp:
        assert self.bot is not None, "the bot is stopped"
        app = self.bot.platforms["discord"]
        assert isinstance(app, DiscordApp)
        return app

    async def start(self) -> None:
        """A new process, as far as one process can have several: nothing is left of the old bot but
        its file.
        """
        env = {"GITHUB_API_URL": self.github.url, "DEBATE_SCRIPTED_LATENCY": "1", **self.env}
        self._parts, bot = await self._life.enter_async_context(
            open_bot(
                configured(self.folder, env),
                connect=self._connect,
                clock=self.time,
                make_models=partial(self.models, clock=self.time),
                timing=Timing(paces=UNPACED),
            )
        )
        self.bot = bot
        await bot.start("127.0.0.1", 0)
        ready = [platform.ready for platform in bot.platforms.values()]
        await until(lambda: not any(missing() for missing in ready), what="the bot is ready")

    def _connect(
        self,
        settings: Settings,
        vault: Installations | None,
        default_models: Callable[[], Sequence[str]],
        slack_pace: float,
    ) -> Mapping[str, Connection]:
        quick = DiscordSettings(
            token=self.discord.token,
            api_url=self.discord.api_url,
            gateway_url=self.discord.gateway_url,
            models=tuple(default_models()),
            identify_pause=0.0,
            guild_wait=0.02,
            **self.changes,
        )
        discord = DiscordConnection(quick)
        others = replace(settings, discord_token="")
        return {
            **configured_platforms(others, vault, default_models, slack_pace),
            "discord": Connection(
                discord.chat, partial(DiscordApp, discord), partial(DiscordOutgoing, discord)
            ),
        }

    async def stop(self) -> None:
        """As at SIGTERM."""
        bot, self.bot, self._parts = self.bot, None, None
        if bot is not None:
            await bot.stop()
            await self._life.aclose()
            self._life = AsyncExitStack()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def ask(
        self, name: str = "start", user: str = "", channel: str = "", **options: Any
    ) -> str:
        """What a person reads who types ``/debate NAME`` with these options."""
        return read(
            await self.discord.answer(
                await self.discord.command(name, options, user=user, channel=channel)
            )
        )

    async def pressed(
        self, message: JSON, label: str, user: str = "", form: str = "", *, sure: bool = True
    ) -> str:
        """What a person reads who presses a button of a message, fills in its form and says that
        they are sure.
        """
        press = await self.discord.press(message["channel_id"], message, label, user=user)
        answer = await self.discord.answer(press)
        if press.form is not None:
            (field,) = (each["label"] for each in press.form["components"])
            return read(
                await self.discord.answer(
                    await self.discord.submit_modal(press, {field: form}, user=user)
                )
            )
        if answer.endswith(f"[Yes: {label}]") and sure:
            assert press.original is not None
            again = await self.discord.press(
                message["channel_id"], press.original, f"Yes: {label}", user=user
            )
            return read(await self.discord.answer(again))
        return read(answer)

    async def started(self, *, user: str = "", channel: str = "", **options: Any) -> str:
        """The id of a debate that a person has just started."""
        options = {"template": "code_review", "target": LINK, "debate_anyway": True, **options}
        reply = await self.ask("start", user, channel, **options)
        match = re.search(r"Debate `(\w+)` is starting", reply)
        assert match, reply
        return match[1]

    async def root(self, debate: str, channel: str = "") -> JSON:
        """A debate's starter message."""
        channel = channel or self.discord.general

        def there() -> JSON | None:
            return next(
                (
                    m
                    for m in self.discord.messages(channel)
                    if debate in render(m) and m["id"] in self.discord.world.channels
                ),
                None,
            )

        starter: JSON = await until(there, what=f"the starter of {debate}")
        return starter

    async def comes(self, question: Callable[[], Awaitable[object]]) -> None:
        """Waits until a question to the store has another answer than None."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while await question() is None:
            assert asyncio.get_running_loop().time() < end, "it does not come"
            await asyncio.sleep(0.02)

    async def reaches(self, debate: str, *statuses: str) -> Debate:
        """The debate once it has one of these statuses."""

        async def there() -> object:
            return (await self.parts.service.load(debate)).status in statuses or None

        await self.comes(there)
        return await self.parts.service.load(debate)

    async def votes(self, debate: str, expected: Mapping[str, str], subject: str = "") -> None:
        """Waits until exactly these votes count: user -> option."""

        async def counted() -> object:
            held = (await self.parts.service.load(debate)).votes
            starter = {
                voter.rpartition("/")[2]: vote.option
                for (about, voter), vote in held.items()
                if about == subject
            }
            return starter == expected or None

        await self.comes(counted)

    async def challenged(self, debate: str, times: int) -> None:
        """Waits until so many challenges are taken."""

        async def taken() -> object:
            return len((await self.parts.service.load(debate)).challenges) == times or None

        await self.comes(taken)

    async def ordered_to_stop(self, debate: str) -> None:
        """Waits until the debate knows that it is to end."""

        async def known() -> object:
            return (await self.parts.service.load(debate)).stop

        await self.comes(known)

    async def wait_for_posts(self, debate: str = "") -> None:
        """Waits until every post, of one debate or of all, has been delivered or given up."""

        async def quiet() -> object:
            return (await self.parts.stores.outbox.count_backlog(debate)).open == 0 or None

        await self.comes(quiet)

    async def hurried(self, debate: str) -> None:
        """Like ``told``, for one debate, while the pauses between tries pass quickly."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while (await self.parts.stores.outbox.count_backlog(debate)).open:
            assert asyncio.get_running_loop().time() < end, f"posts of {debate} are left"
            await asyncio.sleep(0.1)
            self.advance(1)
            self.parts.stores.outbox.wake_event.set()

    def advance(self, seconds: float) -> None:
        """Time passes for everybody."""
        self.time.ahead += seconds
        self.discord.advance(seconds)


@asynccontextmanager
async def city(
    folder: Path,
    github: GitHubStandIn,
    *,
    started: bool = True,
    time: Time | None = None,
    models: Callable[..., Vendors] = Vendors,
    **env: str,
) -> AsyncIterator[City]:
    """The bot connected to a Discord; afterwards nothing was sent that Discord would have
    refused.
    """
    async with DiscordStandIn() as discord:
        town = City(discord, github, folder, time or Time(), env, models=models)
        try:
            if started:
                await town.start()
            yield town
        finally:
            await town.stop()
            redirect(DiscordSettings(token=""))
        assert discord.violations == []


def read(markdown: str) -> str:
    """What Discord shows of an answer: without the backslashes and angle brackets that keep text
    from being more than text.
    """
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", re.sub(r"<(https?://[^>]+)>", r"\1", markdown))


def page(discord: DiscordStandIn, channel: str) -> str:
    """A channel or thread as a reader sees it: each message with its reactions, a line between
    two.
    """
    return "\n----\n".join(_message(discord, message) for message in discord.messages(channel))


def _message(discord: DiscordStandIn, message: JSON) -> str:
    counts: dict[str, int] = {}
    for emoji, _ in discord.world.reactions.get((message["channel_id"], message["id"]), []):
        counts[emoji] = counts.get(emoji, 0) + 1
    reactions = " ".join(f"{emoji} {count}" for emoji, count in counts.items())
    return render(message) + (f"\n{{{reactions}}}" if reactions else "")
