"""A bot with its room on the loopback, and a client that speaks HTTP as a browser does."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from adapters.models import Vendors
from bot.room.invitations import make_link
from bot.serve.process import Bot
from bot.settings import read
from bot.wire.base import MakeModels
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts
from core.debate.events import DebateRequest, DebateRequested
from core.debate.ports import Clock
from core.debate.state import Debate
from core.debate.status import ENDED
from tests.bot.parts import ChatPlatform, connect_all, until_status
from tests.browser.questions import question_table
from tests.browser.stage import keep
from tests.origins import origin

QUESTION = "Should the queue of jobs live in PostgreSQL?"
SHELL = "shell:ann"
NOTHING: Mapping[str, str] = {}
NO_PLATFORM: Mapping[str, ChatPlatform] = {}
UNPACED = Timing(paces={})


@dataclass
class Served:
    parts: Parts
    bot: Bot
    web: aiohttp.ClientSession

    async def load(self, id: str) -> Debate:
        return await self.parts.service.load(id)

    async def link(self, debate: str = "") -> str:
        """Returns a link as the shell prints it."""
        parts = self.parts
        database, address = parts.stores.database, self.bot.address
        return await make_link(database, parts.settings, address, SHELL, debate)

    async def enter(self) -> None:
        """Lets this browser in as the shell's person, by the link."""
        async with self.web.get(await self.link()) as answer:
            assert (answer.status, answer.url.path) == (200, "/")

    async def get(self, path: str, **headers: str) -> tuple[int, str, Mapping[str, str]]:
        url = self.bot.address + path
        async with self.web.get(url, headers=headers, allow_redirects=False) as answer:
            return answer.status, await answer.text(), answer.headers

    async def post(
        self, path: str, headers: Mapping[str, str] = NOTHING, **form: str
    ) -> tuple[int, str, Mapping[str, str]]:
        url = self.bot.address + path
        async with self.web.post(
            url, data=form, headers=dict(headers), allow_redirects=False
        ) as answer:
            return answer.status, await answer.text(), answer.headers

    async def token(self) -> str:
        """Returns the token in this browser's forms."""
        _, page, _ = await self.get("/")
        match = re.search(r'name="csrf" content="([0-9a-f]+)"', page)
        assert match
        return match[1]

    async def debate(self, template: str = "triad", *, wait: bool = True, **more: Any) -> Debate:
        values: dict[str, Any] = {"asker": SHELL, "place": SHELL, "vote_window": 0.0} | more
        target = values.pop("target", QUESTION)
        id = await self.parts.service.take(
            DebateRequest(template, target, **values),
            origin(f"test:{len(await self.parts.stores.debates.find_recent())}"),
        )
        if wait:
            return await until_status(self.parts, id, *ENDED)
        return await self.load(id)

    async def settled(
        self, target: str = QUESTION, *, asker: str = SHELL, place: str = SHELL
    ) -> Debate:
        """Stores a triad that is over, for tests that only look at it: nobody plays it."""
        number = len(await self.parts.stores.debates.find_recent())
        made = question_table(f"set{number:05}", self.parts.clock.now(), target)
        first, *rest = made.events
        assert isinstance(first, DebateRequested)
        request = replace(first.request, asker=asker, place=place, vote_window=0.0)
        return await self.load(await keep(self.parts, [replace(first, request=request), *rest]))


@asynccontextmanager
async def served(
    folder: Path,
    url: str = "",
    *,
    platforms: Mapping[str, ChatPlatform] = NO_PLATFORM,
    clock: Clock | None = None,
    make_models: MakeModels = Vendors,
    enters: bool = True,
    **env: str,
) -> AsyncIterator[Served]:
    """Opens a room whose reader has come in by the shell's link, unless people sign in with a
    chat.
    """
    base = {"DEBATE_MODELS": "scripted", "DEBATE_DATABASE_URL": url or str(folder / "debate.db")}
    settings = read({"DEBATE_SCRIPTED": "1", **base, **env}, folder)
    async with (
        open_bot(
            settings,
            connect=connect_all(platforms),
            clock=clock,
            make_models=make_models,
            timing=UNPACED,
        ) as made,
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web,
    ):
        parts, bot = made
        await bot.start("127.0.0.1", 0)
        try:
            room = Served(parts, bot, web)
            if enters and not settings.public_url:
                await room.enter()
            yield room
        finally:
            await bot.stop()


@dataclass
class Heard:
    """One server-sent event."""

    kind: str
    data: Any
    id: int | None


async def heard(answer: aiohttp.ClientResponse) -> AsyncIterator[Heard]:
    """Yields the events of an open stream without its keep-alives."""
    while block := await answer.content.readuntil(b"\n\n"):
        fields = dict(
            line.partition(": ")[::2] for line in block.decode().splitlines() if ": " in line
        )
        if "event" in fields:
            id = int(fields["id"]) if "id" in fields else None
            yield Heard(fields["event"], json.loads(fields["data"]), id)
