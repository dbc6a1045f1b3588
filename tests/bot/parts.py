"""What tests make of the wired parts: other advancers, a platform that is a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adapters.ports.desk import Desk
from bot.serve.platforms import Connect, Connection, Platform
from bot.wire.parts import Parts
from tests.standins.chat import RecordingChat


def with_advancer(parts: Parts, **changes: Any) -> Parts:
    """The parts with another advancer."""
    advancer = replace(parts.advancer, **changes)
    return replace(parts, advancer=advancer, player=replace(parts.player, advancer=advancer))


@dataclass
class FilePlatform:
    """A platform that is always there, unless a test says what is ``missing``."""

    chat: RecordingChat
    missing: str = field(default="")

    async def start(self) -> None:
        """Nothing to connect to."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    def ready(self) -> str:
        return self.missing


def connect(platform: FilePlatform, name: str = "slack") -> Connect:
    """``bot.wire.open_bot`` with this platform alone."""

    def listen(_desk: Desk) -> Platform:
        return platform

    def connected(*_: object, **__: object) -> Mapping[str, Connection]:
        return {name: Connection(platform.chat, listen)}

    return connected
