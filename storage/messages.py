"""Maps platforms' messages and events to debates: which debate a message belongs to, and whether an
event was taken already.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.debate.status import ENDED
from storage.database import Database, inserted, value_of
from storage.tables import DEBATE, MESSAGE, SEEN


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One of our messages. ``key`` is its post's, ``subject`` the subject of votes by reaction on
    it: "" the verdict, a finding's id, None nothing.
    """

    place: str
    message: str
    thread: str
    debate: str
    key: str
    subject: str | None


class MessageStore:
    """The messages and platform events of one database. ``storage.outbox`` adds messages as they
    arrive.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find(self, place: str, message: str) -> SentMessage | None:
        """Returns our message with this platform id, None if it is not ours."""
        messages = await self._messages(
            sa.select(MESSAGE).where(MESSAGE.c.place == place, MESSAGE.c.message == message)
        )
        return next(iter(messages), None)

    async def find_debate(self, place: str, thread: str) -> str | None:
        """Returns the debate that lives in a thread; the newest, should there be several."""
        query = (
            sa.select(DEBATE.c.id)
            .join_from(MESSAGE, DEBATE, MESSAGE.c.debate_id == DEBATE.c.id)
            .where(MESSAGE.c.place == place, MESSAGE.c.thread == thread)
        )
        # by the debates' age: the messages of an earlier one are still edited when its votes close
        newest = query.order_by(DEBATE.c.created_at.desc(), MESSAGE.c.at.desc()).limit(1)
        text: str | None = await self._db.scalar(newest)
        return text

    async def load(self, debate: str, place: str = "") -> list[SentMessage]:
        """Returns a debate's messages in the order they arrived; the first of a place is its
        root.
        """
        query = (
            sa.select(MESSAGE)
            .where(MESSAGE.c.debate_id == debate)
            .order_by(MESSAGE.c.at, MESSAGE.c.message)
        )
        if place:
            query = query.where(MESSAGE.c.place == place)
        return await self._messages(query)

    async def load_live(self, platform: str) -> list[SentMessage]:
        """Returns the messages whose reactions still count, to read them again after a lost
        connection. ``platform`` is "slack" or "discord".
        """
        query = (
            sa.select(MESSAGE)
            .join_from(MESSAGE, DEBATE, MESSAGE.c.debate_id == DEBATE.c.id)
            .where(
                MESSAGE.c.place.startswith(f"{platform}:", autoescape=True),
                MESSAGE.c.subject.is_not(None),
            )
            .where(DEBATE.c.status.not_in(ENDED))
            .order_by(MESSAGE.c.at, MESSAGE.c.message)
        )
        return await self._messages(query)

    async def take_event(self, key: str) -> bool:
        """Takes a platform event's id: True the first time, False for a redelivery."""
        row = {"key": key, "at": self._db.now()}
        return await self._db.write(lambda conn: inserted(conn, SEEN, row, "key"))

    async def knows_event(self, key: str) -> bool:
        """True if an event's id was taken, and not deleted since."""
        query = sa.select(SEEN.c.key).where(SEEN.c.key == key)
        return await self._db.scalar(query) is not None

    async def forget_events(self, before: datetime) -> int:
        """Deletes event ids that no platform will deliver again, and counts them."""
        drop = sa.delete(SEEN).where(SEEN.c.at < before)
        return await self._db.change(drop)

    async def _messages(self, query: sa.Select[Any]) -> list[SentMessage]:
        rows = await self._db.rows(query)
        return [value_of(SentMessage, row, debate=row.debate_id) for row in rows]
