"""Pigeon, a third chat: a small server that keeps rooms in memory, and the plugin that connects the
bot to it. The plugin uses what ``debatebot.plugins`` offers and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from debatebot import hookimpl
from debatebot.plugins import (
    Caller,
    ChatPlatform,
    Connection,
    DeliveryError,
    Desk,
    PlainChat,
    Post,
    Reaction,
    Ref,
    plain_text,
    post_text,
)

Json = dict[str, Any]
ROOM = "pigeon:loft/perch"


@dataclass
class Pigeon:
    """``messages`` and ``whispers`` are what the bot has sent, ``events`` what people have done."""

    messages: dict[str, Json] = field(default_factory=dict)
    whispers: list[Json] = field(default_factory=list)
    events: list[Json] = field(default_factory=list)
    address: str = ""
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def happens(self, user: str, **what: str) -> None:
        """Makes a person write a message or react to one."""
        base = {"user": user, "thread": "", "text": "", "emoji": "", "message": ""}
        self.events.append({**base, **what, "number": len(self.events) + 1})
        self._news.set()
        if "emoji" in what:
            reactions = self.messages[what["message"]]["reactions"]
            reactions.setdefault(what["emoji"], []).append(f"pigeon:loft/{user}")

    def thread(self, root: str) -> list[Json]:
        return [one for one in self.messages.values() if root in (one["id"], one["thread"])]

    async def answer(self, request: web.Request) -> web.Response:
        fields = await request.json()
        return web.json_response(await getattr(self, "_on_" + request.match_info["method"])(fields))

    async def _on_send(self, fields: Json) -> Json:
        id = f"m{len(self.messages) + 1}"
        self.messages[id] = {"id": id, "reactions": {}, **fields}
        return {"id": id}

    async def _on_edit(self, fields: Json) -> Json:
        self.messages[fields["id"]]["text"] = fields["text"]
        return {}

    async def _on_find(self, fields: Json) -> Json:
        return {"ids": [i for i, one in self.messages.items() if one["key"] == fields["key"]]}

    async def _on_whisper(self, fields: Json) -> Json:
        self.whispers.append(fields)
        return {}

    async def _on_reactions(self, fields: Json) -> Json:
        held: Json = self.messages[fields["id"]]["reactions"]
        return held

    async def _on_events(self, fields: Json) -> Json:
        while len(self.events) <= fields["after"]:
            self._news.clear()
            await self._news.wait()
        return {"events": self.events[fields["after"] :]}


@asynccontextmanager
async def pigeon() -> AsyncIterator[Pigeon]:
    server = Pigeon()
    app = web.Application()
    app.router.add_post("/{method}", server.answer)
    async with TestServer(app) as running:
        server.address = str(running.make_url("")).rstrip("/")
        yield server


class PigeonChat(PlainChat):
    """Delivers posts. Its one room is closed: only Ann and Bea may enter it."""

    platform = "pigeon"

    def __init__(self, address: str) -> None:
        self.address = address

    async def call(self, method: str, **fields: object) -> Any:
        try:
            async with aiohttp.request("POST", f"{self.address}/{method}", json=fields) as answer:
                answer.raise_for_status()
                return await answer.json()
        except aiohttp.ClientError as error:
            raise DeliveryError("uncertain", "Pigeon is not there") from error

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: object = None,
    ) -> Ref:
        if not done:
            fields = {"key": post.key, "thread": thread or "", "text": post_text(post)}
            done = ((await self.call("send", **fields))["id"],)
        return Ref(place, thread or done[0], tuple(done))

    async def edit(self, ref: Ref, post: Post) -> Ref:
        await self.call("edit", id=ref.ids[0], text=post_text(post))
        return ref

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        return tuple((await self.call("find", key=post.key))["ids"])

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        held = await self.call("reactions", id=message)
        return [Reaction(emoji, tuple(people)) for emoji, people in held.items()]

    async def send_private(self, place: str, person: str, text: str) -> None:
        await self.send_direct(person, text)

    async def send_direct(self, person: str, text: str) -> None:
        await self.call("whisper", person=person, text=plain_text(text))

    async def is_open(self, place: str) -> bool:
        return False

    async def is_inside(self, place: str, person: str) -> bool:
        return person in ("pigeon:loft/ann", "pigeon:loft/bea")

    may_write = is_inside


class PigeonApp:
    """Brings what people do in the room to the desk."""

    def __init__(self, chat: PigeonChat, desk: Desk | None = None) -> None:
        self.chat, self.desk = chat, desk
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        if self.desk is not None:
            self._task = asyncio.create_task(self._listen(self.desk))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def ready(self) -> str:
        return "Pigeon is not heard" if self._task is None or self._task.done() else ""

    async def _listen(self, desk: Desk) -> None:
        after = 0
        while True:
            for event in (await self.chat.call("events", after=after))["events"]:
                after = event["number"]
                person = f"pigeon:loft/{event['user']}"
                bot = event["user"].endswith("-bot")
                caller = Caller(person, ROOM, f"{after}", thread=event["thread"], bot=bot)
                if event["emoji"]:
                    await desk.take_reaction(ROOM, event["message"], caller, event["emoji"], True)
                    continue
                text = event["text"].removeprefix("@debate ")
                mentioned = text != event["text"]
                answer = await desk.take_message(caller, text, mentioned, f"p{after}")
                if answer is not None:
                    await self.chat.send_private(ROOM, caller.person, answer.text)


def connect(env: Mapping[str, str]) -> Connection | None:
    chat = PigeonChat(env["PIGEON"])
    return Connection(chat, partial(PigeonApp, chat), partial(PigeonApp, chat))


@hookimpl
def register_chats() -> Sequence[ChatPlatform]:
    return [ChatPlatform("pigeon", connect)]
