"""Deletes the texts of debates when their time is over or a person is to be forgotten.

An event whose text is deleted leaves the hash of its original, so that the chain of hashes over a
debate's events stays the same and issued receipts stay verifiable. Everything else that holds texts
(answers of models, posts, commands, the search index) is emptied in the same transaction. SQLite
overwrites the deleted bytes; its index of words is cleaned a little later (``clean_words``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.debate.events import DebateRequested, Event, EventRemoved, TextsDeleted
from core.debate.status import ENDED
from core.words.receipt.canonical import digest
from storage.audit import Act, Actor, actor, append_act, forget_in_audit
from storage.codec import EVENTS, payload_of
from storage.database import Database, upsert
from storage.events.log import event_row
from storage.forgetting.people import forget_rows
from storage.leases import RowState
from storage.tables import (
    CALL,
    COMMAND,
    DEBATE,
    DEBATE_LABEL,
    DEBATE_TEXT,
    EVENT,
    FOLLOWED_CHANGE,
    LEFT,
    LINK,
    OUTBOX,
    OUTCOME,
    WORK,
)
from storage.word_index import clean_step
from storage.work import POSTS

_GONE = "its texts were deleted"
_AT_REST = sa.and_(
    DEBATE.c.status.in_(ENDED),
    DEBATE.c.owner == "",
    ~sa.exists().where(COMMAND.c.debate_id == DEBATE.c.id, COMMAND.c.applied_seq.is_(None)),
)


class Forgetting:
    """Deletes texts and names in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find_old(self, before: datetime, limit: int, *, workspace: str = "") -> list[str]:
        """Returns the finished debates with no event since then that still have their texts, the
        oldest first; of one workspace ("slack:T1") if given.
        """
        query = (
            sa.select(DEBATE.c.id)
            .where(~DEBATE.c.emptied, _AT_REST, DEBATE.c.updated_at < before)
            .order_by(DEBATE.c.updated_at)
            .limit(limit)
        )
        if workspace:
            query = query.where(DEBATE.c.place.startswith(f"{workspace}/", autoescape=True))
        return await self._db.column(query)

    async def find_named(self, account: str) -> list[str]:
        """Returns the debates whose events may contain an account's name, in upper or lower case,
        the oldest first.
        """
        text, named = sa.func.lower(sa.cast(EVENT.c.payload, sa.Text)), account.lower()
        matches = sa.or_(text.contains(f'/{named}"', autoescape=True),
                       text.contains(f':{named}"', autoescape=True))  # fmt: skip
        query = (
            sa.select(DEBATE.c.id)
            .where(DEBATE.c.id.in_(sa.select(EVENT.c.debate_id).where(matches)))
            .order_by(DEBATE.c.created_at, DEBATE.c.id)
        )
        return await self._db.column(query)

    async def delete_texts(
        self, debate: str, position: int, first: DebateRequested, deleted: TextsDeleted
    ) -> bool:
        """Replaces the ``position`` events of an idle debate by ``first`` and ``deleted``; False if
        an event was added meanwhile.
        """

        by = actor()

        def work(conn: sa.Connection) -> bool:
            now = self._db.now()
            emptied = {"title": "", "asker": first.request.asker, "emptied": True}
            if not _taken(conn, debate, position, now, emptied):
                return False
            for row in conn.execute(_rows_of(debate)).all():
                event: Event = first if row.seq == 0 else EventRemoved()
                _replace_event(conn, debate, row, event)
            conn.execute(sa.insert(EVENT), event_row(debate, position, deleted, 0, now))
            _empty(conn, debate)
            append_act(conn, by, Act("delete texts", debate, {"because": deleted.because}), now)
            retained = {"document": dict(deleted.outcome), "title": ""}
            conn.execute(sa.update(OUTCOME).where(OUTCOME.c.debate_id == debate).values(**retained))
            return True

        done = await self._db.write(work)
        await self._db.checkpoint()
        return done

    async def replace_events(
        self, debate: str, position: int, change: Callable[[Event], Event], asker: str
    ) -> bool:
        """Replaces each event of an idle debate by ``change``'s result; False if an event was added
        meanwhile.

        For a changed event, posts and commands that repeat it lose their text as well. One more
        event records that something was deleted, so that no process shows a cached text.
        """
        by = actor()

        def work(conn: sa.Connection) -> bool:
            now = self._db.now()
            if not _taken(conn, debate, position, now, {"asker": asker}):
                return False
            for row in conn.execute(_rows_of(debate)).all():
                event = EVENTS.decode(row.kind, row.version, row.payload)
                if (changed := change(event)) is not event:
                    _replace_event(conn, debate, row, changed)
            conn.execute(sa.insert(EVENT), event_row(debate, position, EventRemoved(), 0, now))
            append_act(conn, by, Act("take a person out", debate), now)
            _empty(conn, debate, answers=False)
            return True

        done = await self._db.write(work)
        await self._db.checkpoint()
        return done

    async def forget_name(self, is_them: Callable[[str], bool], alias: str) -> int:
        """Deletes a person's data outside of debates and counts the rows: sessions, schedules and
        refused commands go; bindings and approvals get ``alias`` in place of their name.
        """

        by, now = actor(), self._db.now()
        if is_them(by.person):
            by = Actor(alias, by.surface)

        def work(conn: sa.Connection) -> int:
            count = forget_in_audit(conn, is_them, alias) + forget_rows(conn, is_them, alias)
            append_act(conn, by, Act("forget a person", alias), now)
            return count

        count = await self._db.write(work)
        await self._db.checkpoint()
        return count

    async def clean_words(self) -> None:
        """Removes the words of deleted texts from the index of words, which until then only marks
        them.

        It rewrites the whole index, in steps that delay no other writer, so it is done once for
        many deletions.
        """
        if not self._db.sqlite:
            return
        await self._db.write(lambda conn: clean_step(conn, first=True))
        while await self._db.write(lambda conn: clean_step(conn, first=False)):
            pass
        await self._db.checkpoint()

    async def leave(self, workspace: str) -> None:
        """Records that a workspace removed the bot now."""
        row = {"workspace": workspace, "at": self._db.now()}
        await self._db.write(lambda conn: conn.execute(upsert(conn, LEFT), row).rowcount)

    async def find_left(self, before: datetime) -> list[tuple[str, datetime]]:
        """Returns the workspaces that removed the bot before then and have started nothing
        since.
        """
        query = sa.select(LEFT.c.workspace, LEFT.c.at).where(LEFT.c.at < before)
        rows = await self._db.rows(query)
        workspaces = []
        for row in rows:
            if await self._came_back(row.workspace, row.at):
                await self.purged(row.workspace)
            else:
                workspaces.append((str(row.workspace), row.at))
        return workspaces

    async def purged(self, workspace: str) -> None:
        """Records that nothing of the workspace is left to delete, or that it came back."""
        drop = sa.delete(LEFT).where(LEFT.c.workspace == workspace)
        await self._db.change(drop)

    async def _came_back(self, workspace: str, at: datetime) -> bool:
        begun = sa.select(DEBATE.c.id).where(
            DEBATE.c.place.startswith(f"{workspace}/", autoescape=True), DEBATE.c.created_at > at
        )
        return await self._db.scalar(begun.limit(1)) is not None


def _rows_of(debate: str) -> sa.Select[Any]:
    return sa.select(EVENT).where(EVENT.c.debate_id == debate).order_by(EVENT.c.seq)


def _taken(
    conn: sa.Connection,
    debate: str,
    position: int,
    now: datetime,
    values: dict[str, Any],
) -> bool:
    mine = sa.update(DEBATE).where(DEBATE.c.id == debate, DEBATE.c.events == position, _AT_REST)
    values = values | {"epoch": DEBATE.c.epoch + 1, "events": position + 1, "updated_at": now}
    return bool(conn.execute(mine.values(wake_at=None, **values)).rowcount)


def _replace_event(conn: sa.Connection, debate: str, row: Any, event: Event) -> None:
    kind, version = EVENTS.kind_and_version(event)
    was = {"kind": row.kind, "version": row.version, "payload": row.payload}
    conn.execute(
        sa.update(EVENT)
        .where(EVENT.c.debate_id == debate, EVENT.c.seq == row.seq)
        .values(
            kind=kind, version=version, payload=payload_of(event), digest=row.digest or digest(was)
        )
    )


def _empty(conn: sa.Connection, debate: str, *, answers: bool = True) -> None:
    """Deletes the texts in everything that repeats a debate's events."""
    mine = sa.delete(COMMAND).where(COMMAND.c.debate_id == debate)
    conn.execute(mine)
    conn.execute(sa.delete(DEBATE_TEXT).where(DEBATE_TEXT.c.debate_id == debate))
    conn.execute(sa.delete(DEBATE_LABEL).where(DEBATE_LABEL.c.debate_id == debate))
    if answers:
        conn.execute(sa.delete(LINK).where(LINK.c.debate_id == debate))
        calls = sa.update(CALL).where(CALL.c.debate_id == debate)
        conn.execute(calls.values(response="", error=""))
        emptied: dict[str, Any] = {"objections": [], "asked": {}}
        conn.execute(
            sa.update(FOLLOWED_CHANGE).where(FOLLOWED_CHANGE.c.debate == debate).values(**emptied)
        )
    waiting = (RowState.PENDING, RowState.SENDING, RowState.UNCERTAIN)
    _empty_posts(conn, OUTBOX.c.body, OUTBOX.c.debate_id == debate, waiting)
    own = sa.and_(WORK.c.debate_id == debate, WORK.c.kind.in_(POSTS))
    _empty_posts(conn, WORK.c.payload, own, (RowState.PENDING,))


def _empty_posts(
    conn: sa.Connection,
    text: sa.Column[Any],
    own: sa.ColumnElement[bool],
    waiting: Sequence[RowState],
) -> None:
    posts = sa.update(text.table).where(own)
    conn.execute(posts.where(text.table.c.state.in_(waiting)).values(state=RowState.DEAD))
    conn.execute(posts.values({text.name: {}, "reason": _GONE}))
