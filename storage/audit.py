"""The audit log: one line for each act records the person, the act, the time and the surface, and
hashes chain all lines.

If an act is stored (a debate begins, a command is given, a channel is bound), its line is written
in the same transaction; a reading has its own transaction. A line holds no text and no secret.

``hash`` covers everything in the line and the hash before, so that a line that is changed, added or
removed later shows in all after it; only the last hash, noted elsewhere, shows that the end was cut
off. A name is covered by a salted hash of it: a person who is forgotten is removed from the lines,
and the chain still verifies.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from core.application.place import FORGES
from core.words.receipt.canonical import digest
from storage.database import Database, value_of
from storage.tables import AUDIT

PROCESS = "process"


@dataclass(frozen=True, slots=True)
class Actor:
    """The person or process that acts, and the surface (slack, discord, room, shell, program,
    forge, schedule, process).
    """

    person: str
    surface: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """An act: ``what`` is a verb, ``about`` the id of a debate or a schedule, a repository or a
    workspace; ``detail`` holds numbers and the bot's words.
    """

    what: str
    about: str
    detail: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditLine:
    number: int
    at: datetime
    who: str
    surface: str
    place: str
    what: str
    about: str
    detail: Mapping[str, Any]
    hash: str


_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)


@contextmanager
def acting(person: str, surface: str, place: str) -> Iterator[None]:
    """Makes this person the actor of everything stored inside the ``with`` block."""
    token = _acting.set(Actor(person, surface, place))
    try:
        yield
    finally:
        _acting.reset(token)


def actor(person: str = "", place: str = "") -> Actor:
    """Returns the current actor; without one, the person that the stored thing itself names, or the
    process.
    """
    known = _acting.get()
    if known is not None:
        return known
    platform = person.partition(":")[0]
    surface = platform
    if platform in FORGES:
        surface = "forge"
    return Actor(person, surface or PROCESS, place)


def append_act(conn: sa.Connection, by: Actor, act: Act, at: datetime) -> None:
    """Writes the next line within a transaction."""
    last = conn.execute(
        sa.select(AUDIT.c.number, AUDIT.c.hash).order_by(AUDIT.c.number.desc()).limit(1)
    ).one_or_none()
    before, number = ("", 1) if last is None else (last.hash, last.number + 1)
    row = _line(number, by, act, at)
    conn.execute(sa.insert(AUDIT), row | {"hash": _hash(row, before)})


def _line(number: int, by: Actor, act: Act, at: datetime) -> dict[str, Any]:
    salt = secrets.token_hex(8) if by.person else ""
    place = "" if by.place == by.person else by.place  # a shell's is its person
    return {
        "number": number, "at": at, "who": by.person,
        "salt": salt, "who_hash": _hash_of(by.person, salt), "surface": by.surface,
        "place": place, "what": act.what, "about": act.about, "detail": dict(act.detail),
    }  # fmt: skip


async def write_act(
    database: Database, statement: sa.Insert | sa.Update | sa.Delete, by: Actor, act: Act
) -> bool:
    """Runs one statement, returns whether it changed a row, and then writes an audit line."""
    now = database.now()

    def work(conn: sa.Connection) -> bool:
        done = conn.execute(statement).rowcount != 0  # -1 if the driver counts no insert
        if done:
            append_act(conn, by, act, now)
        return done

    return await database.write(work)


def forget_in_audit(conn: sa.Connection, is_them: Callable[[str], bool], alias: str) -> int:
    """Removes a person's names from the lines within a transaction, and counts those lines."""
    names = conn.execute(sa.select(AUDIT.c.who).distinct()).scalars().all()
    theirs = AUDIT.c.who.in_([name for name in names if is_them(name)])
    return conn.execute(sa.update(AUDIT).where(theirs).values(who=alias, salt="")).rowcount


class AuditLog:
    """The audit log of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def append(self, by: Actor, act: Act) -> None:
        """Writes a separate line for an act that stores no other data: a reading."""
        now = self._db.now()
        await self._db.write(lambda conn: append_act(conn, by, act, now))

    async def load(self, since: datetime | None = None) -> list[AuditLine]:
        """Returns the lines, the oldest first."""
        query = sa.select(AUDIT).order_by(AUDIT.c.number)
        if since is not None:
            query = query.where(AUDIT.c.at >= since)
        return [value_of(AuditLine, row) for row in await self._db.rows(query)]

    async def last_hash(self) -> str:
        """Returns the last hash; noted elsewhere, it shows later that the end was not cut off."""
        query = sa.select(AUDIT.c.hash).order_by(AUDIT.c.number.desc()).limit(1)
        return str(await self._db.scalar(query) or "")

    async def find_fault(self) -> str:
        """Returns the place at which the chain is broken, "" if all of it is intact."""
        query = sa.select(AUDIT).order_by(AUDIT.c.number)
        rows = await self._db.read(lambda conn: conn.execute(query).mappings().all())
        return _fault(rows)


def _fault(rows: Iterable[Mapping[Any, Any]]) -> str:
    before = ""
    for number, row in enumerate(rows, 1):
        if row["number"] != number:
            return f"line {number} is missing"
        if row["hash"] != _hash(row, before):
            return f"line {number} was changed"
        if row["salt"] and row["who_hash"] != _hash_of(row["who"], row["salt"]):
            return f"the name in line {number} was changed"
        before = row["hash"]
    return ""


_COVERED = ("number", "who_hash", "surface", "place", "what", "about", "detail")


def _hash(row: Mapping[Any, Any], before: str) -> str:
    covered = {name: row[name] for name in _COVERED}
    return digest(covered | {"at": row["at"].isoformat(), "before": before})


def _hash_of(name: str, salt: str) -> str:
    if name:
        return hashlib.sha256(f"{salt}\0{name}".encode()).hexdigest()
    return ""
