"""The wired parts as tests need them: other advancers, a platform that is a file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from adapters.models.pace import ModelPace
from adapters.ports.chat import Chat
from adapters.ports.platform import Platform, PlatformConnection
from bot.serve.platforms import Connect
from bot.wire.parts import Parts
from core.application.desk import Desk
from core.debate.ports import Models
from core.debate.state import Debate
from core.debate.status import PLAYED
from tests.patience import PATIENCE
from tests.standins.chat import RecordingChat

T = TypeVar("T")


def with_advancer(parts: Parts, **changes: Any) -> Parts:
    """Returns the parts with another advancer."""
    advancer = replace(parts.advancer, **changes)
    return replace(parts, advancer=advancer, player=replace(parts.player, advancer=advancer))


async def until(there: Callable[[], Awaitable[T]]) -> T:
    """Waits until that is true of something, and returns it: a database has no event."""
    deadline = time.monotonic() + PATIENCE
    while not (found := await there()):
        assert time.monotonic() < deadline, "it did not come to that"
        await asyncio.sleep(0.02)
    return found


async def until_status(parts: Parts, id: str, *statuses: str) -> Debate:
    """Waits until a debate is stored with one of these states, and returns it; one that is not
    played any more also until its process has let go of it, since outcome and findings are stored
    after the status. Only its line is read until then: its events cost many times more.
    """
    deadline = time.monotonic() + PATIENCE
    while (
        (line := await parts.stores.debates.get(id)) is None
        or line.status not in statuses
        or (line.owner and line.status not in PLAYED)
    ):
        assert time.monotonic() < deadline, f"{id} is {line and line.status}, not {statuses}"
        await asyncio.sleep(0.02)
    return await parts.service.load(id)


async def until_posted(parts: Parts) -> None:
    """Waits until every message has left."""

    async def all_left() -> bool:
        return not (await parts.stores.outbox.count_backlog()).open

    await until(all_left)


@dataclass
class Hands:
    """A clock that a test moves; a sleeper goes on at once."""

    time: datetime = field(default_factory=lambda: datetime(2026, 11, 23, 8, 0, tzinfo=UTC))

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@dataclass
class SleepingHands(Hands):
    """A clock that a sleeper moves, too."""

    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Given:
    """The same models for every debate."""

    models: Models

    def scoped(self) -> Models:
        return self.models

    async def meet(self, names: Sequence[str]) -> None:
        """Does nothing, because everything is known of them."""


class NoServers:
    """No server knows more of a model than the tables do (``ModelServers``)."""

    def choice(self) -> tuple[tuple[str, ...], str]:
        return (), ""

    async def learn(self, names: Sequence[str]) -> None:
        """Asks nobody."""

    async def check(self, names: Sequence[str]) -> None:
        """Asks nobody: every key is good."""

    async def measure(self, names: Sequence[str]) -> Mapping[str, ModelPace]:
        return {}


@dataclass
class FilePlatform:
    """A platform that is always there, unless a test says what is ``missing``."""

    chat: RecordingChat
    missing: str = field(default="")

    async def start(self) -> None:
        """Does nothing: there is nothing to connect to."""

    async def stop(self) -> None:
        """Does nothing: there is no connection to close."""

    def ready(self) -> str:
        return self.missing


class ChatPlatform(Platform, Protocol):
    """A platform's app and its chat in one."""

    @property
    def chat(self) -> Chat: ...


def connect(platform: ChatPlatform, name: str = "slack") -> Connect:
    """Makes ``bot.wire.open_bot``'s connections of this platform alone."""
    return connect_all({name: platform})


def connect_all(platforms: Mapping[str, ChatPlatform]) -> Connect:
    """Makes ``bot.wire.open_bot``'s connections of these platforms, by name."""

    def listening(platform: ChatPlatform) -> Callable[[Desk], Platform]:
        return lambda _desk: platform

    def speaking(platform: ChatPlatform) -> Callable[[], Platform]:
        return lambda: platform

    def connected(*_: object, **__: object) -> Mapping[str, PlatformConnection]:
        return {
            name: PlatformConnection(one.chat, listening(one), speaking(one))
            for name, one in platforms.items()
        }

    return connected
