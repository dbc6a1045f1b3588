"""The bot as ``debate serve`` wires it, in one process, whichever chat stands beside it: real
sockets and a real SQLite file that outlives the bot.

The bot's clock is the machine's plus what a test adds, the same for store and debates; its models
answer as fast as they are let.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.serve.process import Bot
from bot.wire.parts import Parts
from core.debate.state import Debate
from core.debate.status import PLAYED
from storage.claims import Pace
from storage.database import Database
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn

FREE = 1 << 30
CRITICS = 4
"""Answers that make the first round of a code review by models that only demonstrate one."""
UNPACED = {"slack": Pace()}


@dataclass
class Time:
    """The machine's clock, ``ahead`` of it.

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
        """Lets ``passes`` more answers through from here on, and no other."""
        self.passes = passes
        self._moved.set()
        self._moved = asyncio.Event()


@dataclass(kw_only=True)
class World(ABC):
    """``bot`` is the bot of now: ``stop`` and ``start`` make it another one on the same file."""

    github: GitHubStandIn
    folder: Path
    time: Time
    env: dict[str, str]
    bot: Bot | None = None
    _parts: Parts | None = None
    _life: AsyncExitStack = field(default_factory=AsyncExitStack)

    @abstractmethod
    def open(self) -> AbstractAsyncContextManager[tuple[Parts, Bot]]:
        """Returns a bot that knows this chat, not started."""

    @abstractmethod
    def move(self, seconds: float) -> None:
        """Moves the time for everybody."""

    def advance(self, seconds: float) -> None:
        """Moves the time, and lets the bot look at once for what is due."""
        self.move(seconds)
        if self.bot is not None:
            for name in ("look", "tick"):
                job = self.bot.jobs._scheduler.get_job(name)
                job.modify(next_run_time=datetime.now(job.next_run_time.tzinfo))

    @property
    def parts(self) -> Parts:
        assert self._parts is not None, "the bot is stopped"
        return self._parts

    async def start(self) -> None:
        """A new process, as far as one process can have several: nothing is left of the old bot but
        its file.
        """
        self._parts, bot = await self._life.enter_async_context(self.open())
        self.bot = bot
        await bot.start("127.0.0.1", 0)
        await self.connected(bot)

    async def connected(self, bot: Bot) -> None:
        """Waits until the bot hears its chat."""

        async def ready() -> bool:
            return not any(platform.ready() for platform in bot.platforms.values())

        await comes(ready, lambda: "the bot is not ready")

    async def stop(self) -> None:
        """Stops the bot as SIGTERM does."""
        bot, self.bot, self._parts = self.bot, None, None
        if bot is not None:
            await bot.stop()
            await self._life.aclose()
            self._life = AsyncExitStack()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def reaches(
        self,
        debate: str,
        *wanted: str | Callable[[Debate], object],
        timeout: float = PATIENCE,
        hurry: float = 0.0,
    ) -> Debate:
        """Waits until the debate has one of these statuses or is as wanted, and returns it. A
        debate that is over must also be released, since its outcome and findings are stored after
        its status.

        ``hurry`` is as in ``wait_for_posts``: a debate begins when its first post has arrived.
        """
        seen: tuple[Database, int | None] | None = None
        now, held = await self.parts.service.load(debate), False

        async def reached() -> bool:
            nonlocal seen, now, held
            if seen != (version := self._version()):
                seen, now = version, await self.parts.service.load(debate)
                line = await self.parts.stores.debates.find(debate)
                held = bool(line.owner) and line.status not in PLAYED
            await self._hurry(debate, hurry)
            wishes = (now.status == w if isinstance(w, str) else bool(w(now)) for w in wanted)
            return not held and any(wishes)

        await comes(
            reached,
            lambda: (
                f"not reached: {now.status}, {now.count} events, votes {dict(now.votes)}, {held=}"
            ),
            timeout,
        )
        return now

    def _version(self) -> tuple[Database, int | None]:
        """Returns a value that changes with everything that is stored, and is quick to read."""
        database = self.parts.stores.database
        return database, database.version()

    async def wait_for_posts(
        self, debate: str = "", timeout: float = PATIENCE, *, hurry: float = 0.0
    ) -> None:
        """Waits until every post, of one debate or of all, has arrived or was given up.

        ``hurry``: seconds that pass at every look, so that pauses between tries pass quickly.
        """
        seen: tuple[Database, int | None] | None = None
        left = 0

        async def quiet() -> bool:
            nonlocal seen, left
            if seen != (version := self._version()):
                seen, left = version, (await self.parts.stores.outbox.count_backlog(debate)).open
            if left:
                await self._hurry(debate, hurry)
            return not left

        await comes(quiet, lambda: f"{left} posts are left", timeout)

    async def _hurry(self, debate: str, seconds: float) -> None:
        """Lets the time pass if posts wait."""
        outbox = self.parts.stores.outbox
        if seconds and (await outbox.count_backlog(debate)).open:
            self.move(seconds)
            outbox.wake_event.set()


async def comes(
    question: Callable[[], Awaitable[object]],
    what: Callable[[], str] = lambda: "it does not come",
    timeout: float = PATIENCE,
) -> None:
    """Waits until a question to the store has another answer than None or False, and returns it."""
    end = asyncio.get_running_loop().time() + timeout
    while (answer := await question()) is None or answer is False:
        assert asyncio.get_running_loop().time() < end, what()
        await asyncio.sleep(0.02)
