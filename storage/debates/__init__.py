"""Stores the debates as rows: starting one once, taking one over for writing, finding them. Their
events are in ``storage.events.log``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from core.application.listing import DebateLine
from core.debate.errors import BadInput, NeedsNewer
from core.debate.events import DebateOpened, DebateRequested, Event
from core.debate.log import Call, Outgoing
from core.debate.status import LIVE, PLAYED, DebateStatus
from core.words.receipt.canonical import digest
from storage.audit import Act, actor, append_act
from storage.database import Database, in_places, inserted, named, padded, put, value_of
from storage.database.listening import notify
from storage.events.levels import LEVEL, level_of
from storage.events.log import (
    DebateLog,
    decode_events,
    event_row,
    insert_calls,
    insert_posts,
    load_calls,
)
from storage.tables import COMMAND, DEBATE, DEBATE_LABEL, EVENT, MESSAGE

_CLAIM = (
    sa.update(DEBATE)
    .where(DEBATE.c.id == sa.bindparam("claimed"), DEBATE.c.needs <= LEVEL)
    .values(epoch=DEBATE.c.epoch + 1, owner=sa.bindparam("by"))
    .returning(DEBATE.c.epoch)
)
_EVENTS = (
    sa.select(EVENT.c.kind, EVENT.c.version, EVENT.c.payload)
    .where(EVENT.c.debate_id == sa.bindparam("debate"), EVENT.c.seq >= sa.bindparam("after"))
    .order_by(EVENT.c.seq)
)
_MESSAGES = 2_000
"""The messages of about a hundred debates, which are more than any list shows."""
HELD = DEBATE.c.owner != sa.bindparam("nobody", "", literal_execute=True)
"""The condition is written exactly as in the index of these rows, which SQLite needs to use it."""
_QUEUE_EXISTS = sa.text("SELECT to_regclass('procrastinate_workers') IS NOT NULL")
_WORKER_LIVES = sa.text(
    "SELECT EXISTS (SELECT 1 FROM procrastinate_workers"
    " WHERE last_heartbeat > now() - interval '10 seconds')"
)
STALE = timedelta(seconds=45)
"""A writer that has sent no heartbeat for this long is considered dead."""


LINE = [DEBATE.c[field.name] for field in fields(DebateLine) if field.name in DEBATE.c]
"""The columns of a ``DebateLine``."""


class Debates:
    """All debates of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def create(
        self,
        first: DebateRequested,
        origin_key: str,
        *,
        past: Sequence[Event] = (),
        posts: Sequence[Outgoing] = (),
        calls: Sequence[Call] = (),
    ) -> str:
        """Returns the id of the debate that ``origin_key`` (platform event, schedule firing)
        started: this one, or an earlier one.

        ``past`` are the events after its request that it starts with, ``posts`` their posts,
        ``calls`` the calls that were paid before.
        """

        by = actor(first.request.asker, first.request.place)
        began = {"template": first.request.template}
        if first.fork:
            began["of"] = first.fork.parent
        if first.request.schedule:
            began["schedule"] = first.request.schedule

        def work(conn: sa.Connection) -> str:
            now = self._db.now()
            id = _insert_debate(conn, now, first, origin_key, past)
            if id == first.id:
                append_act(conn, by, Act("fork" if first.fork else "start", id, began), now)
            if id == first.id and posts:
                insert_posts(conn, id, posts, now)
            if id == first.id and calls:
                insert_calls(conn, id, calls, now)
            return id

        id = await self._db.write(work)
        if posts:
            self._db.posted.set()
        return id

    async def find_started(self, origin_key: str) -> str | None:
        """Returns the id of the debate that ``origin_key`` started, if it did."""
        query = sa.select(DEBATE.c.id).where(DEBATE.c.origin_key == origin_key)
        id: str | None = await self._db.scalar(query)
        return id

    async def claim(self, debate: str, owner: str) -> DebateLog:
        """Returns the log, opened for writing; every earlier writer is fenced off from here on.

        Raises ``BadInput`` for an unknown id, ``NeedsNewer`` for a debate that this release can't
        play.
        """
        these = {"claimed": debate, "by": owner}
        claim = _CLAIM.values(beat_at=self._db.moment())
        epoch = await self._db.write(lambda conn: conn.execute(claim, these).scalar())
        if epoch is not None:
            return DebateLog(self._db, debate, epoch)
        if await self.get(debate) is None:
            raise BadInput("There is no debate {debate}.", debate=debate)
        raise NeedsNewer(
            "Debate {debate} holds what only a newer release of debatebot can play on: update "
            "this one, or let the newer one continue it.",
            debate=debate,
        )

    async def give_up(self, debate: str, owner: str) -> None:
        """Releases a debate that ``owner`` claimed and no longer plays; another writer keeps it."""
        mine = sa.update(DEBATE).where(DEBATE.c.id == debate, DEBATE.c.owner == owner)
        release = mine.values(owner="", beat_at=None)
        await self._db.change(release)

    async def load(self, debate: str, after: int = 0) -> list[Event]:
        """Returns the events from position ``after`` on, oldest first; empty for an unknown id. For
        reading only.
        """
        return decode_events(await self._db.rows(_EVENTS, {"debate": debate, "after": after}))

    async def count(self, debate: str) -> int:
        """Returns the number of a debate's events; 0 for an unknown id."""
        query = sa.select(DEBATE.c.events).where(DEBATE.c.id == debate)
        return await self._db.scalar(query) or 0

    async def load_calls(self, debate: str) -> list[Call]:
        """Returns all paid requests of a debate with their answers, for reading only."""
        return await load_calls(self._db, debate)

    async def load_hashes(self, debate: str, most: int | None = None) -> list[str]:
        """Returns the hash of each event as it is stored, oldest first, the first ``most`` if
        given; an event whose text was deleted has the hash of its original.
        """
        query = (
            sa.select(EVENT.c.kind, EVENT.c.version, EVENT.c.payload, EVENT.c.digest)
            .where(EVENT.c.debate_id == debate)
            .order_by(EVENT.c.seq)
        )

        rows = await self._db.rows(query.limit(most))
        return await asyncio.to_thread(_hashes, rows)

    async def get(self, debate: str) -> DebateLine | None:
        lines = await self._lines(sa.select(*LINE).where(DEBATE.c.id == debate))
        return next(iter(lines), None)

    async def find(self, prefix: str) -> DebateLine:
        """Returns the one debate whose id begins so. Raises ``BadInput`` for none, or naming the
        choices for several.
        """
        lines = await self.find_like(prefix, limit=6)
        exact = [line for line in lines if line.id == prefix]
        if len(lines) == 1 or exact:
            return (exact or lines)[0]
        if not lines:
            raise BadInput(
                "There is no debate {prefix}: `debate list` shows those there are.",
                prefix=repr(prefix),
            )
        raise BadInput(
            "{prefix} could be {names}: write more of the id.",
            prefix=repr(prefix),
            names=", ".join(line.id for line in lines[:5]),
        )

    async def find_like(self, prefix: str, limit: int) -> list[DebateLine]:
        """Returns the debates whose ids begin so, newest first."""
        return await self._lines(
            _newest().where(DEBATE.c.id.startswith(prefix, autoescape=True)).limit(limit)
        )

    async def count_of(
        self, statuses: Sequence[str], *, asker: tuple[str, str] = ("", ""), place: str = ""
    ) -> int:
        """Counts the debates of some statuses that one person started (given by the beginning and
        end of all their names), or that one place holds.
        """
        query = sa.select(sa.func.count()).where(DEBATE.c.status.in_(statuses))
        begin, end = asker
        if begin:
            query = query.where(named(DEBATE.c.asker, begin, end))
        if place:
            query = query.where(DEBATE.c.place == place)
        return int(await self._db.scalar(query))

    async def find_recent(
        self,
        *,
        place: str = "",
        workspace: str = "",
        statuses: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        limit: int = 50,
    ) -> list[DebateLine]:
        """Returns the newest debates first, of one place or of the places of one workspace
        ("slack:T1"), mirrors included, of some statuses and with some ``labels`` if given.
        """
        narrowed = [*labelled(labels or {})]
        if workspace:
            narrowed.append(in_any_place([f"{workspace}/"]))
        if statuses:
            narrowed.append(DEBATE.c.status.in_(statuses))
        query = _newest().where(*narrowed).limit(limit)
        if place:
            own = sa.select(DEBATE.c.id).where(DEBATE.c.place == place, *narrowed)
            own = own.order_by(DEBATE.c.created_at.desc(), DEBATE.c.id.desc()).limit(limit)
            query = query.where(DEBATE.c.id.in_(_of_any(own, *_mirrored(place))))
        return await self._lines(query)

    async def find_labels(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        """Returns the labels of some debates, in small letters; those without any are absent."""
        query = sa.select(DEBATE_LABEL).where(DEBATE_LABEL.c.debate_id.in_(ids))
        by_debate: dict[str, dict[str, str]] = {}
        for row in await self._db.rows(query):
            by_debate.setdefault(row.debate_id, {})[row.name] = row.value
        return by_debate

    async def find_forks(self, parent: str, limit: int) -> list[DebateLine]:
        """Returns the debates that were forked from one, newest first."""
        return await self._lines(_newest().where(DEBATE.c.parent == parent).limit(limit))

    async def find_runnable(self, *among: str, stale: timedelta = STALE) -> list[str]:
        """Returns the ids of debates that need a writer and have none alive, oldest first.

        They have unfinished work, a due time, a waiting command, or a writer that died before it
        let go (the end was stored, the work after it perhaps not). ``among`` narrows them down
        if given.
        """
        now = self._db.now()
        # each reason has its own index: one condition with OR would read every debate
        wants = sa.union(
            # one with a time ahead only waits for the holder of a seat
            sa.select(DEBATE.c.id).where(DEBATE.c.status.in_(PLAYED), DEBATE.c.wake_at.is_(None)),
            sa.select(DEBATE.c.id).where(DEBATE.c.wake_at <= now),
            sa.select(COMMAND.c.debate_id).where(COMMAND.c.applied_seq.is_(None)),
            sa.select(DEBATE.c.id).where(HELD),
        )
        silent = sa.or_(DEBATE.c.beat_at.is_(None), self._silent(stale))
        query = sa.select(DEBATE.c.id).where(
            DEBATE.c.id.in_(wants), silent, DEBATE.c.needs <= LEVEL
        )
        query = query.order_by(DEBATE.c.created_at, DEBATE.c.id)
        if among:
            query = query.where(DEBATE.c.id.in_(among))
        return await self._db.column(query)

    async def replica_plays(self) -> bool:
        """True if the worker of a replica, which plays debates, has sent a heartbeat lately; only
        on PostgreSQL.
        """
        if self._db.sqlite or not await self._db.scalar(_QUEUE_EXISTS):
            return False
        return bool(await self._db.scalar(_WORKER_LIVES))

    async def count_events(self, ids: Sequence[str]) -> dict[str, int]:
        """Counts the events of each of some debates."""
        query = sa.select(DEBATE.c.id, DEBATE.c.events).where(DEBATE.c.id.in_(ids))
        return {str(id): int(n) for id, n in await self._db.rows(query)}

    async def count_by_status(self) -> dict[str, int]:
        """Counts the debates by status."""
        query = sa.select(DEBATE.c.status, sa.func.count()).group_by(DEBATE.c.status)
        return {str(status): int(n) for status, n in await self._db.rows(query)}

    async def measure_queue_age(self) -> float:
        """Returns the longest time in seconds that a due debate without a living writer has been
        waiting; 0 when there is none.
        """
        query = sa.select(sa.func.min(DEBATE.c.updated_at)).where(
            DEBATE.c.status.in_(PLAYED), DEBATE.c.wake_at.is_(None), self._silent(STALE)
        )
        oldest: datetime | None = await self._db.scalar(query)
        if oldest is not None:
            return (self._db.now() - oldest).total_seconds()
        return 0.0

    def _silent(self, stale: timedelta) -> sa.ColumnElement[bool]:
        """Selects the debates whose writer has sent no heartbeat lately. A heartbeat later than now
        was sent by a wrong clock and does not count.
        """
        now = self._db.moment()
        beat = DEBATE.c.beat_at
        return sa.or_(DEBATE.c.owner == "", beat < now - stale, beat > now + stale)

    async def _lines(self, query: sa.Select[Any]) -> list[DebateLine]:
        return await self._db.read(lambda conn: lines_of(conn, conn.execute(query).fetchall()))


def lines_of(conn: sa.Connection, rows: Sequence[sa.Row[Any]]) -> list[DebateLine]:
    """Returns the debates of rows with the columns ``LINE``, each with its mirrors."""
    mirrors: dict[str, tuple[str, ...]] = {}
    posted = sa.select(MESSAGE.c.debate_id, MESSAGE.c.place).join(DEBATE).distinct()
    these = MESSAGE.c.debate_id.in_(padded([row.id for row in rows]))
    away = posted.where(these, MESSAGE.c.place != DEBATE.c.place)
    for id, place in conn.execute(away):
        mirrors[id] = (*mirrors.get(id, ()), place)
    return [value_of(DebateLine, row, mirrors=mirrors.get(row.id, ())) for row in rows]


def in_any_place(within: Sequence[str]) -> sa.ColumnElement[bool]:
    """Selects debates that were asked for, or posted, in a place that begins with one of
    ``within``.
    """
    posted = sa.exists().where(
        MESSAGE.c.debate_id == DEBATE.c.id, in_places(MESSAGE.c.place, within)
    )
    return sa.or_(in_places(DEBATE.c.place, within), posted)


def labelled(labels: Mapping[str, str]) -> Iterator[sa.ColumnElement[bool]]:
    """Selects debates with all these labels; a target date selects what is due by that day."""
    for name, value in labels.items():
        held = DEBATE_LABEL.c.value
        wanted = held <= value if name == "target-date" else held == value.casefold()
        matching = sa.select(DEBATE_LABEL.c.debate_id).where(DEBATE_LABEL.c.name == name, wanted)
        yield DEBATE.c.id.in_(matching)


def _mirrored(place: str) -> tuple[sa.Select[Any], sa.Select[Any]]:
    """Selects debates with messages in a place, their own or a mirror's: those of its newest
    messages, and those that are not over.

    A mirror of a finished debate that has long been silent is left out.
    """
    here = MESSAGE.c.place == place
    newest = sa.select(MESSAGE.c.debate_id).where(here).order_by(MESSAGE.c.at.desc())
    going = sa.select(DEBATE.c.id).where(DEBATE.c.status.in_(LIVE))
    return (
        newest.limit(_MESSAGES),
        sa.select(MESSAGE.c.debate_id).where(here, MESSAGE.c.debate_id.in_(going)),
    )


def _of_any(*queries: sa.Select[Any]) -> sa.CompoundSelect[Any]:
    """Unites limited queries, which SQLite accepts only as subqueries."""
    return sa.union(*(sa.select(each.subquery().c[0]) for each in queries))


def _newest() -> sa.Select[Any]:
    return sa.select(*LINE).order_by(DEBATE.c.created_at.desc(), DEBATE.c.id.desc())


def _insert_debate(
    conn: sa.Connection,
    now: datetime,
    first: DebateRequested,
    origin_key: str,
    past: Sequence[Event],
) -> str:
    """Inserts, within a transaction, the row and its first events, or returns the id that this
    origin already has.
    """
    request, events = first.request, (first, *past)
    opened = next((event.material for event in past if isinstance(event, DebateOpened)), None)
    row = {
        "id": first.id,
        "status": DebateStatus.QUEUED,
        "template": request.template,
        "title": opened.title if opened is not None else "",
        "private": opened is not None and opened.private,
        "place": request.place,
        "asker": request.asker,
        "events": len(events),
        "needs": level_of(events),
        "origin_key": origin_key,
        "parent": first.fork.parent if first.fork else "",
        "created_at": now,
        "updated_at": now,
    }
    if not inserted(conn, DEBATE, row, "origin_key"):
        return str(
            conn.execute(
                sa.select(DEBATE.c.id).where(DEBATE.c.origin_key == origin_key)
            ).scalar_one()
        )
    put(
        conn,
        sa.insert(EVENT),
        [event_row(first.id, seq, event, 0, now) for seq, event in enumerate(events)],
    )
    if request.labels:
        put(
            conn,
            sa.insert(DEBATE_LABEL),
            [
                {"debate_id": first.id, "name": name, "value": value.casefold()}
                for name, value in request.labels.items()
            ],
        )
    notify(conn, first.id)
    return first.id


def _hashes(rows: Sequence[Any]) -> list[str]:
    """Returns the hash of each event; it reads whole debates, so it runs in a thread."""
    return [
        row.digest or digest({"kind": row.kind, "version": row.version, "payload": row.payload})
        for row in rows
    ]
