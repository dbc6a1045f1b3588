"""Queues commands for the one writer of a debate, from any surface, replica or process.

A command is stored before its sender sees "taken", under a key that is unique per platform event,
so that a redelivery is no second command. The writer applies it and marks it in the same commit as
the events it became. Noticing it quickly is only a convenience: PostgreSQL notifies every replica,
and with SQLite the process polls the file's change counter; a slow look at the table catches the
rest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from core.debate.commands import (
    AddPlace,
    AskSeat,
    CastVote,
    Command,
    Pause,
    RaiseChallenge,
    Resume,
    Stop,
    WithdrawVote,
)
from core.debate.events import OutcomeResolved, VerdictRated
from core.debate.status import PLAYED
from storage.audit import Act, actor, append_act
from storage.codec import COMMANDS
from storage.database import Database, inserted, named
from storage.database.listening import CHANNEL, end, keep_listening, notify
from storage.tables import COMMAND, DEBATE

_CHALLENGE = "raise_challenge"
_WAITING = (
    sa.select(COMMAND)
    .where(COMMAND.c.debate_id == sa.bindparam("mine"), COMMAND.c.applied_seq.is_(None))
    .order_by(COMMAND.c.id)
)
_FRESH = (
    sa.select(COMMAND.c.id, COMMAND.c.debate_id)
    .where(COMMAND.c.id > sa.bindparam("newest"))
    .order_by(COMMAND.c.id)
)
_UNHELD = sa.select(DEBATE.c.id).where(
    DEBATE.c.status.in_(PLAYED), DEBATE.c.owner == "", DEBATE.c.wake_at.is_(None)
)
SLOW_LOOK = 5.0  # seconds
_FILE_LOOK = 0.2  # seconds
_FIRST_LOOK = 0.01
"""Seconds before one looks for an answer again; each time twice as many, up to ``_FILE_LOOK``."""

OnNews = Callable[[str], None]
"""Called in the event loop with the id of a debate that has news, with "" when any debate may have
some.
"""


@dataclass(frozen=True, slots=True)
class QueuedCommand:
    """A stored command. Its ``id`` goes into ``Append.applied``."""

    id: int
    command: Command
    source_key: str


class CommandQueue:
    """The queue of one database; as an ``async with`` block it listens for news while it is
    open.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._listeners: list[OnNews] = []
        self._wake_events: dict[str, asyncio.Event] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._newest = 0

    async def __aenter__(self) -> CommandQueue:
        newest = sa.select(sa.func.coalesce(sa.func.max(COMMAND.c.id), 0))
        self._newest = await self._db.scalar(newest)
        listen = self._watch_file if self._db.sqlite else self._listen
        self._tasks = [
            asyncio.create_task(
                keep_listening(how, "listen", "for commands"), name=f"commands{how.__name__}"
            )
            for how in (listen, self._look)
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await end(*self._tasks)

    async def enqueue(self, debate: str, command: Command, source_key: str) -> bool:
        """Stores a command durably and says so; False if ``source_key`` was taken before. Raises
        ``KeyError`` if there is no such debate.
        """
        now, act = self._db.now(), _act(debate, command)
        by = actor(giver(command))

        def work(conn: sa.Connection) -> bool:
            if conn.execute(sa.select(DEBATE.c.id).where(DEBATE.c.id == debate)).scalar() is None:
                raise KeyError(debate)
            fresh = insert_command(conn, debate, command, source_key, now)
            if fresh and act is not None:
                append_act(conn, by, act, now)
            return fresh

        fresh = await self._db.write(work)
        if fresh:
            self.notify(debate)
        return fresh

    async def load_waiting(self, debate: str) -> list[QueuedCommand]:
        """Returns the commands that wait to be applied, in order of arrival, without those that
        only a newer release can read: it applies them.
        """
        mine = {"mine": debate}
        rows = await self._db.rows(_WAITING, mine)
        return [_queued(row) for row in rows if COMMANDS.knows(row.kind, row.version)]

    async def find_from(self, debate: str, source: str) -> list[QueuedCommand]:
        """Returns every command to a debate whose source key begins with ``source``, applied or
        not, in order of arrival.
        """
        begins = COMMAND.c.source_key.startswith(source, autoescape=True)
        query = sa.select(COMMAND).where(COMMAND.c.debate_id == debate, begins)
        query = query.order_by(COMMAND.c.id)
        rows = await self._db.rows(query)
        return [_queued(row) for row in rows if COMMANDS.knows(row.kind, row.version)]

    async def count_challenges(
        self, since: datetime, *, author: tuple[str, str] = ("", ""), place: str = ""
    ) -> int:
        """Counts the challenges since then by one person (given by the beginning and end of all
        their names), or in the debates of one place.
        """
        query = sa.select(sa.func.count()).where(
            COMMAND.c.kind == _CHALLENGE, COMMAND.c.at >= since
        )
        begin, end = author
        if begin:
            query = query.where(named(COMMAND.c.payload["author"].as_string(), begin, end))
        if place:
            query = query.join_from(COMMAND, DEBATE, COMMAND.c.debate_id == DEBATE.c.id)
            query = query.where(DEBATE.c.place == place)
        return int(await self._db.scalar(query))

    async def find_answer(self, source_key: str) -> str | None:
        """Returns the result of a command: None while it waits, "" accepted, else the reason it was
        refused. Raises ``KeyError`` if it was never given.
        """
        query = sa.select(COMMAND.c.applied_seq, COMMAND.c.answer).where(
            COMMAND.c.source_key == source_key
        )
        row = await self._db.one(query)
        if row is None:
            raise KeyError(source_key)
        if row.applied_seq is None:
            return None
        return str(row.answer)

    async def wait_for_answer(self, source_key: str, seconds: float) -> str | None:
        """Returns the result of a command as ``find_answer`` does, and waits for it that long.
        Raises ``KeyError`` if it was never given, or was deleted with its debate.
        """
        ends, pause = time.monotonic() + seconds, _FIRST_LOOK
        while (answer := await self.find_answer(source_key)) is None and time.monotonic() < ends:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _FILE_LOOK)
        return answer

    def wake_event(self, debate: str) -> asyncio.Event:
        """Returns an event that is set whenever a command may be pending for the debate; the writer
        clears it before it looks.
        """
        return self._wake_events.setdefault(debate, asyncio.Event())

    def forget(self, debate: str) -> None:
        """Drops the debate's wake event once its writer is done."""
        self._wake_events.pop(debate, None)

    def notify(self, debate: str = "") -> None:
        """Tells this process that a debate has news, or that any may have."""
        for id, wake_event in self._wake_events.items():
            if debate in ("", id):
                wake_event.set()
        self._tell(debate)

    def _tell(self, debate: str) -> None:
        for listener in self._listeners:
            listener(debate)

    def subscribe(self, listener: OnNews) -> None:
        """Calls ``listener`` for all news from now on: it wakes debates that no writer holds."""
        self._listeners.append(listener)

    async def _look(self) -> None:
        """Looks at the table for all held debates at once, as the safety net under the faster
        ways.
        """
        while True:
            await asyncio.sleep(SLOW_LOOK)
            self._tell("")
            if not self._wake_events:
                continue
            waiting = (
                sa.select(COMMAND.c.debate_id)
                .where(COMMAND.c.debate_id.in_(self._wake_events), COMMAND.c.applied_seq.is_(None))
                .distinct()
            )
            for debate in await self._db.column(waiting):
                self.notify(debate)

    async def _watch_file(self) -> None:
        """Reads the table only after another connection to the SQLite file has committed."""
        seen = None
        while True:
            if (now := self._db.version()) != seen:
                seen = now
                await self._read_new()
            await asyncio.sleep(_FILE_LOOK)

    async def _read_new(self) -> None:
        """Notifies of commands that came since the last look, and of debates that wait for their
        first writer.
        """
        newest = {"newest": self._newest}
        given, queued = await self._db.read(
            lambda conn: (conn.execute(_FRESH, newest).all(), conn.execute(_UNHELD).scalars().all())
        )
        self._newest = max([self._newest, *(id for id, _ in given)])
        for debate in dict.fromkeys([*(debate for _, debate in given), *queued]):
            self.notify(debate)

    async def _listen(self) -> None:
        """Listens for NOTIFY on a separate connection; the slow look covers the time in which it
        is made again.
        """
        import psycopg

        address = self._db.session_address
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as conn:
            await conn.execute(f"LISTEN {CHANNEL}".encode())
            self.notify()
            async for note in conn.notifies():
                self.notify(note.payload)


def _queued(row: sa.Row[Any]) -> QueuedCommand:
    command = COMMANDS.decode(row.kind, row.version, row.payload)
    return QueuedCommand(row.id, command, row.source_key)


_ACTS: Mapping[type[Command], str] = {
    RaiseChallenge: "challenge",
    AskSeat: "hot seat",
    CastVote: "vote",
    WithdrawVote: "withdraw vote",
    Pause: "pause",
    Resume: "resume",
    Stop: "stop",
    AddPlace: "mirror",
    OutcomeResolved: "say whether it held",
    VerdictRated: "say whether it was useful",
}
"""The commands of people by their names in the audit log; all others are given by the clock and by
forges.
"""


def _act(debate: str, command: Command) -> Act | None:
    what = _ACTS.get(type(command))
    if what is None:
        return None
    return Act(what, debate, {"to": command.place} if isinstance(command, AddPlace) else {})


def giver(command: Command) -> str:
    """Returns the person who gives a command; "" for a command of none."""
    match command:
        case RaiseChallenge(author):
            return author
        case CastVote(voter) | WithdrawVote(voter):
            return voter
        case _:
            return str(getattr(command, "by", ""))


def insert_command(
    conn: sa.Connection, debate: str, command: Command, source_key: str, now: datetime
) -> bool:
    """Stores, within a transaction, a command for the debate's writer; False if ``source_key`` was
    taken before.
    """
    kind, version, payload = COMMANDS.encode(command)
    row = {
        "debate_id": debate,
        "kind": kind,
        "version": version,
        "payload": payload,
        "source_key": source_key,
        "at": now,
    }
    fresh = inserted(conn, COMMAND, row, "source_key")
    if fresh:
        notify(conn, debate)
    return fresh
