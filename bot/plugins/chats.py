"""Guards a plugin's chat: its callers belong to its platform, and a start that fails becomes one
sentence.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adapters.ports.platform import ChatPlatform, Platform, PlatformConnection
from core.application.commands import Request
from core.application.desk import Caller, Desk, DeskAnswer, Glance, Home, TemplateChoice
from core.application.place import platform_of
from core.debate.errors import BadInput

logger = logging.getLogger(__name__)


def connected(
    chats: Sequence[ChatPlatform], env: Mapping[str, str]
) -> dict[str, PlatformConnection]:
    """Returns the chats that are configured, by name. One that fails is left out and logged."""
    connections: dict[str, PlatformConnection] = {}
    for each in chats:
        try:
            connection = each.connect(env)
        except Exception as error:  # noqa: BLE001  a stranger's code may raise anything
            logger.warning(_failed(each.name, error), extra={"action": "plugin_not_connected"})
            continue
        if connection is not None:
            connections[each.name] = _guarded(each.name, connection)
    return connections


def _failed(name: str, error: Exception) -> str:
    why = str(error) if isinstance(error, BadInput) else f"it raised {type(error).__name__}"
    return f"The chat {name} is not connected: {why}."


def _guarded(name: str, bare: PlatformConnection) -> PlatformConnection:
    def listen(desk: Desk) -> Platform:
        return _Guarded(name, lambda: bare.listen(_OwnDesk(name, desk)))

    return replace(bare, listen=listen, speak=lambda: _Guarded(name, bare.speak))


@dataclass(slots=True)
class _Guarded:
    """``adapters.ports.platform.Platform`` whose failures keep no other platform from starting."""

    name: str
    make: Callable[[], Platform]
    app: Platform | None = None
    why: str = field(default="not started")

    async def start(self) -> None:
        try:
            self.app = self.make()
            await self.app.start()
        except Exception as error:  # noqa: BLE001  a stranger's code may raise anything
            self.why = _failed(self.name, error)
            logger.warning(self.why, extra={"action": "plugin_not_connected"})
        else:
            self.why = ""

    async def stop(self) -> None:
        if self.app is not None:
            await self.app.stop()

    def ready(self) -> str:
        if self.why or self.app is None:
            return self.why
        return self.app.ready()


@dataclass(frozen=True, slots=True)
class _OwnDesk:
    """``core.application.desk.Desk`` that accepts callers of one platform only, so that a plugin
    cannot act in another's name.
    """

    name: str
    desk: Desk

    def _own(self, caller: Caller) -> Caller:
        for text in (caller.person, caller.place):
            if platform_of(text) != self.name:
                raise BadInput(f"{text[:60]!r} is not of {self.name}.")
        return replace(caller, source=f"{self.name}:{caller.source}", program=False)

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        return await self.desk.take(request, self._own(caller))

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        return await self.desk.press(action, value, self._own(caller), text)

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        own = self._own(replace(caller, place=place))
        await self.desk.take_reaction(place, message, own, emoji, added)

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        return await self.desk.take_message(self._own(caller), text, mentioned, message)

    async def recount(self, platform: str) -> None:
        await self.desk.recount(self.name)

    async def price(self, request: Request, caller: Caller) -> str:
        return await self.desk.price(request, self._own(caller))

    async def language(self, caller: Caller) -> str:
        return await self.desk.language(self._own(caller))

    async def home(self, caller: Caller) -> Home:
        return await self.desk.home(self._own(caller))

    async def card(self, id: str, caller: Caller) -> Glance | None:
        return await self.desk.card(id, self._own(caller))

    async def forget_workspace(self, workspace: str) -> None:
        if platform_of(workspace) != self.name:
            raise BadInput(f"{workspace[:60]!r} is not of {self.name}.")
        await self.desk.forget_workspace(workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        return self.desk.templates()

    def template_names(self) -> Sequence[str]:
        return self.desk.template_names()
