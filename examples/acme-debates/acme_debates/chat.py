import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import aiohttp
from debatebot.plugins import (
    Caller,
    ChatPlatform,
    Connection,
    DeliveryError,
    Desk,
    PlainChat,
    Platform,
    Post,
    Ref,
    plain_text,
    post_text,
)


class AcmeChat(PlainChat):
    """Posts; ``PlainChat`` has what it need not know."""

    platform = "acme"

    def __init__(self, address: str) -> None:
        self.address = address

    async def call(self, method: str, **fields: object) -> Any:
        url = f"{self.address}/{method}"
        try:
            async with aiohttp.request("POST", url, json=fields) as answer:
                reply = await answer.json()
        except aiohttp.ClientConnectorError as error:
            raise DeliveryError("retry", "Acme Chat is not there") from error
        except aiohttp.ClientError as error:
            raise DeliveryError("uncertain", "the connection broke") from error
        if answer.status == 429:
            raise DeliveryError("retry", "slow down", after=reply["after"])
        if answer.status >= 400:
            raise DeliveryError("dead", reply["why"])
        return reply

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: object = None,
    ) -> Ref:
        if done:  # it is there already, as ``find`` returned
            return Ref(place, thread or done[0], tuple(done))
        files = {file.name: file.text for file in post.files}
        fields = {"key": post.key, "text": post_text(post), "files": files}
        reply = await self.call("send", place=place, thread=thread, **fields)
        return Ref(place, thread or reply["id"], (reply["id"],))

    async def edit(self, ref: Ref, post: Post) -> Ref:
        await self.call("edit", id=ref.ids[0], text=post_text(post))
        return ref

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        reply = await self.call("find", place=place, key=post.key)
        return tuple(reply["ids"])

    async def send_private(self, place: str, person: str, text: str) -> None:
        await self.call("whisper", place=place, person=person, text=plain_text(text))

    async def send_direct(self, person: str, text: str) -> None:
        await self.call("whisper", place="", person=person, text=plain_text(text))


class AcmeApp:
    """Takes what people write to the desk; without one it takes nothing in."""

    def __init__(self, chat: AcmeChat, desk: Desk | None = None) -> None:
        self.chat, self.desk = chat, desk
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.chat.call("events", after=-1)
        if self.desk is not None:
            self._task = asyncio.create_task(self._listen(self.desk))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def ready(self) -> str:
        return "Acme Chat is not heard" if self._task is not None and self._task.done() else ""

    async def _listen(self, desk: Desk) -> None:
        after = 0
        while True:
            reply = await self.chat.call("events", after=after)
            for event in reply["events"]:
                after = event["id"]
                person, place, thread = event["person"], event["place"], event["thread"]
                caller = Caller(person, place, f"{after}", thread=thread)
                mentioned = event["text"].startswith("@debate ")
                text = event["text"].removeprefix("@debate ")
                answer = await desk.take_message(caller, text, mentioned, event["message"])
                if answer is not None:
                    await self.chat.send_private(place, person, answer.text)


def connect(env: Mapping[str, str]) -> Connection | None:
    if "ACME_CHAT" not in env:
        return None
    chat = AcmeChat(env["ACME_CHAT"])

    def listen(desk: Desk) -> Platform:
        return AcmeApp(chat, desk)

    def speak() -> Platform:
        return AcmeApp(chat)

    return Connection(chat, listen, speak)


CHAT = ChatPlatform("acme", connect)
