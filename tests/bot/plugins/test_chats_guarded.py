"""A plugin's chat that breaks costs nobody else theirs, and acts for nobody but its own people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from adapters.ports.platform import ChatPlatform, Platform, PlatformConnection
from bot.plugins.chats import connected
from core.application.commands import Help, Request
from core.application.desk import Caller, Desk, DeskAnswer
from core.debate.errors import BadInput


@dataclass
class App:
    """A platform of a stranger's."""

    missing: str = ""
    raises: Exception | None = None
    calls: list[str] = field(default_factory=list)

    async def start(self) -> None:
        self.calls.append("start")
        if self.raises is not None:
            raise self.raises

    async def stop(self) -> None:
        self.calls.append("stop")

    def ready(self) -> str:
        return self.missing


@dataclass
class Acme:
    """The chat as its package brings it."""

    app: App
    name: str = "acme"
    desk: Desk | None = None

    def connect(self, env: Mapping[str, str]) -> PlatformConnection | None:
        if env.get("ACME") == "broken":
            raise BadInput("ACME is no address")
        if env.get("ACME") == "odd":
            raise ValueError("secret")
        if not env:
            return None
        return PlatformConnection(cast("Any", None), self.listen, lambda: self.app)

    def listen(self, desk: Desk) -> Platform:
        self.desk = desk
        return self.app


@dataclass
class Ours:
    """The bot's desk: it notes who comes to it."""

    callers: list[Caller] = field(default_factory=list)

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        self.callers.append(caller)
        return DeskAnswer("taken")

    async def take_message(self, caller: Caller, *_more: object) -> None:
        self.callers.append(caller)


def chat(app: App, env: Mapping[str, str]) -> dict[str, PlatformConnection]:
    return connected([cast("ChatPlatform", Acme(app))], env)


@pytest.mark.parametrize(
    ("env", "line"),
    [
        ({"ACME": "broken"}, "The chat acme is not connected: ACME is no address."),
        ({"ACME": "odd"}, "The chat acme is not connected: it raised ValueError."),
        ({}, ""),
    ],
)
def test_one_that_cannot_be_connected_is_left_out_with_a_line(
    env: Mapping[str, str], line: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert chat(App(), env) == {}
    assert caplog.messages == [line] * bool(line)


@pytest.mark.parametrize("part", [lambda c: c.listen(cast("Desk", Ours())), lambda c: c.speak()])
async def test_it_is_ready_when_it_has_started_and_says_so_itself(
    part: Callable[[PlatformConnection], Platform],
) -> None:
    app = App()
    guarded = part(chat(app, {"ACME": "1"})["acme"])
    assert guarded.ready() == "not started"
    await guarded.stop()
    assert app.calls == []
    await guarded.start()
    assert guarded.ready() == ""
    app.missing = "reconnects"
    assert guarded.ready() == "reconnects"
    await guarded.stop()
    assert app.calls == ["start", "stop"]


async def test_a_start_that_fails_is_told_where_readiness_is_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = App(raises=OSError("secret"))
    guarded = chat(app, {"ACME": "1"})["acme"].speak()
    await guarded.start()
    assert guarded.ready() == "The chat acme is not connected: it raised OSError."
    assert caplog.messages == [guarded.ready()]
    await guarded.stop()
    assert app.calls == ["start", "stop"]


async def test_its_callers_are_its_own_people_in_its_own_places() -> None:
    acme, desk = Acme(App()), Ours()
    connection = connected([cast("ChatPlatform", acme)], {"ACME": "1"})["acme"]
    await connection.listen(cast("Desk", desk)).start()
    own = acme.desk
    assert own is not None
    await own.take(Help(), Caller("acme:1/u", "acme:1/c", "event", program=True))
    (caller,) = desk.callers
    assert (caller.source, caller.program) == ("acme:event", False)
    for person, place in (
        ("slack:T1/U1", "acme:1/c"), ("acme:1/u", "slack:T1/C1"), ("acme:1/u", "shell:me"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match="is not of acme"):
            await own.take(Help(), Caller(person, place, "event"))
        with pytest.raises(BadInput, match="is not of acme"):
            await own.take_message(Caller(person, place, "event"), "status", True, "m1")
    with pytest.raises(BadInput, match="is not of acme"):
        await own.forget_workspace("slack:T1")
