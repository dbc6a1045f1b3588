"""A second implementation of the chat port whose threads are a file: it outlives the process that
posts, and keeps all that was sent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adapters.ports.chat import PartialDelivery, Post, Reaction, Shape
from core.application.place import Person, Place
from core.application.presence import DeliveryError, Ref

Hook = Callable[[str, Post], None]
"""Called with a moment ("before send", "after send", ...) and the post; may raise ``DeliveryError``
or end the process.
"""


def nothing(_moment: str, _post: Post) -> None:
    """Does nothing, as the default hook."""


@dataclass
class RecordingChat:
    """Each sent part is one line of ``file``. A verdict has two parts, everything else one."""

    file: Path
    platform: str = "slack"
    hook: Hook = nothing
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    gone: dict[str, str] = field(default_factory=dict)
    """Places that can't be posted to, with the reason."""
    private: list[tuple[str, str, str]] = field(default_factory=list)
    held: dict[str, list[Reaction]] = field(default_factory=dict)
    seeded: dict[str, list[str]] = field(default_factory=dict)
    receipts: list[tuple[str, str]] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    """Persons who take no direct messages."""
    guests: set[str] = field(default_factory=set)
    outside: set[tuple[str, str]] = field(default_factory=set)
    """(place, person) of people who are not in a place; all others of its workspace are."""
    removed: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    """Messages that can't be deleted, with the reason."""
    names: dict[str, str] = field(default_factory=dict)
    """The names of channels, by place."""

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: PartialDelivery | None = None,
    ) -> Ref:
        if place in self.gone:
            raise DeliveryError("dead", self.gone[place])
        ids = list(done)
        for part in range(len(ids), parts_of(post)):
            if ids and on_partial:
                await on_partial(thread or ids[0], ids)
            self.hook("before send", post)
            ids.append(self._write("send", place, thread, post, part))
            self.hook("after send", post)
        return Ref(place, thread or ids[0], tuple(ids))

    async def is_open(self, place: str) -> bool:
        return not any(closed == place for closed, _ in self.outside)

    async def is_guest(self, place: str, person: str) -> bool:
        return person in self.guests

    async def is_inside(self, place: str, person: str) -> bool:
        same = Place.parse(place).workspace_key == Person.parse(person).workspace_key
        return same and (place, person) not in self.outside

    async def channel_name(self, place: str) -> str:
        if place in self.gone:
            raise DeliveryError("retry", self.gone[place])
        return self.names.get(place, "")

    async def may_write(self, place: str, person: str) -> bool:
        return await self.is_inside(place, person)

    async def edit(self, ref: Ref, post: Post) -> Ref:
        self.hook("before edit", post)
        self._write("edit", ref.place, ref.thread, post, 0)
        self.hook("after edit", post)
        return ref

    async def add_reactions(self, ref: Ref, post: Post, done: Sequence[str] = ()) -> None:
        self.hook("seed", post)
        self.seeded[ref.ids[0]] = [seed.emoji for seed in post.reaction_options]

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        self.hook("find", post)
        id_by_part = {
            line["part"]: line["id"]
            for line in self.lines()
            if (line["op"], line["place"], line["key"]) == ("send", place, post.key)
            and line["at"] >= since.timestamp() - 1
        }
        ids: list[str] = []
        while len(ids) in id_by_part:
            ids.append(id_by_part[len(ids)])
        return ids

    async def remove(self, place: str, message: str) -> None:
        if message in self.kept:
            raise DeliveryError("dead", self.kept[message])
        self.removed.append(message)

    async def remove_files(self, place: str, thread: str, debate: str) -> None:
        self.removed.append(f"files of {debate}")

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        return self.held.get(message, [])

    async def send_private(self, place: str, person: str, text: str) -> None:
        self.private.append((place, person, text))

    async def send_direct(self, person: str, text: str) -> None:
        if person in self.closed:
            raise DeliveryError("dead", "They take no direct messages.")
        self.private.append(("", person, text))

    async def acknowledge(self, place: str, message: str, emoji: str) -> None:
        self.receipts.append((message, emoji))

    def lines(self) -> list[dict[str, Any]]:
        """Returns everything that ever arrived, in order."""
        return (
            [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
            if self.file.exists()
            else []
        )

    def keys(self, op: str = "send") -> list[str]:
        """Returns ``key/part`` of what was sent, in order."""
        return [f"{line['key']}/{line['part']}" for line in self.lines() if line["op"] == op]

    def _write(self, op: str, place: str, thread: str | None, post: Post, part: int) -> str:
        id = f"m{len(self.lines()) + 1}"
        line = {
            "op": op, "id": id, "place": place, "thread": thread or id, "key": post.key,
            "part": part, "title": post.title,
            "at": self.now().timestamp(), "pid": os.getpid(),
        }  # fmt: skip
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
        return id


def parts_of(post: Post) -> int:
    return 2 if post.shape is Shape.VERDICT else 1


def uncertain(after: str = "after send") -> Hook:
    """Breaks the connection once at this moment, so that nobody knows whether the message
    arrived.
    """
    left = [1]

    def broken(moment: str, _post: Post) -> None:
        if moment == after and left[0]:
            left[0] = 0
            raise DeliveryError("uncertain", "the connection broke")

    return broken
