"""Stores browsers' sessions, and links under which one debate can be read.

Of a cookie's secret only its digest is stored, of a link nothing that would open it: nobody can
sign in by reading the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from secrets import token_urlsafe

import sqlalchemy as sa

from core.debate.issued import new_link_id
from storage.audit import Act, Actor, actor, append_act, write_act
from storage.database import Database, value_of
from storage.tables import LINK, SESSION


@dataclass(frozen=True, slots=True)
class Session:
    """One signed-in browser.

    ``workspaces`` maps each (``slack:T1``, ``discord:G1``) to True if the account is an admin
    there; ``workspace`` is the one it looks at; a person of the shell has none. ``checked_at`` is
    when the platform last confirmed this, ``browser`` the browser's own name.
    """

    id: str
    platform: str
    account: str
    name: str
    workspace: str
    workspaces: Mapping[str, bool]
    browser: str
    created_at: datetime
    seen_at: datetime
    checked_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Link:
    """A link to one debate."""

    id: str
    debate: str
    made_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


class Sessions:
    """The sessions of one database; ``key`` is always the secret of a cookie."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def begin(self, key: str, session: Session) -> None:
        """Signs a browser in; expired sessions are deleted."""
        now = self._db.now()
        await self._db.write(lambda conn: begin_session(conn, key, session, now))

    async def find(self, key: str) -> Session | None:
        """Returns the session of a cookie, unless it has expired."""
        wanted = SESSION.c.key_hash == digest(key)
        sessions = await self._sessions(wanted, SESSION.c.expires_at > self._db.now())
        return next(iter(sessions), None)

    async def get(self, id: str) -> Session | None:
        return next(iter(await self._sessions(SESSION.c.id == id)), None)

    async def change(self, id: str, **values: object) -> None:
        change = sa.update(SESSION).where(SESSION.c.id == id).values(**values)
        await self._db.change(change)

    async def of(self, platform: str, account: str) -> list[Session]:
        """Returns every session of one account, the last active first."""
        whose = (SESSION.c.platform == platform, SESSION.c.account == account)
        return await self._sessions(*whose, SESSION.c.expires_at > self._db.now())

    async def end(self, platform: str, account: str, id: str = "") -> int:
        """Signs one browser of an account out, or all of them, and counts them."""
        whose = (SESSION.c.platform == platform, SESSION.c.account == account)
        gone = sa.delete(SESSION).where(*whose)
        if id:
            gone = gone.where(SESSION.c.id == id)
        now, returned = self._db.now(), gone.returning(SESSION.c.workspace)

        def work(conn: sa.Connection) -> int:
            ended = conn.execute(returned).scalars().all()
            for workspace in ended:
                by = Actor(_who(platform, workspace, account), "room")
                append_act(conn, by, Act("sign out", workspace), now)
            return len(ended)

        return await self._db.write(work)

    async def _sessions(self, *wanted: sa.ColumnElement[bool]) -> list[Session]:
        query = sa.select(SESSION).where(*wanted).order_by(SESSION.c.seen_at.desc())
        return [value_of(Session, row) for row in await self._db.rows(query)]


class Links:
    """The links of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def make(self, debate: str, by: str, until: datetime) -> Link:
        made = Link(new_link_id(token_urlsafe), debate, by, self._db.now(), until)
        row = asdict(made)
        row["debate_id"] = row.pop("debate")
        act = Act("make a link", debate, {"until": until.isoformat()})
        await write_act(self._db, sa.insert(LINK).values(**row), actor(by), act)
        return made

    async def get(self, id: str) -> Link | None:
        """Returns the link, unless it has expired or was revoked."""
        good = LINK.c.revoked_at.is_(None), LINK.c.expires_at > self._db.now()
        return next(iter(await self._links(LINK.c.id == id, *good)), None)

    async def of(self, debate: str) -> Sequence[Link]:
        """Returns every link of a debate, the newest first."""
        return await self._links(LINK.c.debate_id == debate)

    async def revoke(self, debate: str, id: str) -> bool:
        """Revokes a link; False if there is no valid one."""
        change = (
            sa.update(LINK)
            .where(LINK.c.debate_id == debate, LINK.c.id == id, LINK.c.revoked_at.is_(None))
            .values(revoked_at=self._db.now())
        )
        return await write_act(self._db, change, actor(), Act("take a link back", debate))

    async def _links(self, *wanted: sa.ColumnElement[bool]) -> list[Link]:
        query = sa.select(LINK).where(*wanted).order_by(LINK.c.created_at.desc())
        rows = await self._db.rows(query)
        return [value_of(Link, row, debate=row.debate_id) for row in rows]


def begin_session(conn: sa.Connection, key: str, session: Session, now: datetime) -> None:
    """Makes ``key``, within a transaction, the secret of a cookie from now on."""
    row = asdict(session) | {"key_hash": digest(key), "workspaces": dict(session.workspaces)}
    who = _who(session.platform, session.workspace, session.account)
    conn.execute(sa.delete(SESSION).where(SESSION.c.expires_at <= now))
    conn.execute(sa.insert(SESSION), row)
    append_act(conn, Actor(who, "room"), Act("sign in", session.workspace), now)


def _who(platform: str, workspace: str, account: str) -> str:
    """Returns the person's name; a person of this machine's shell belongs to no workspace."""
    if not workspace:
        return f"{platform}:{account}"
    return f"{workspace}/{account}"


def digest(key: str) -> str:
    """Returns a cookie's secret as it is stored: it is long and random, so one round is enough."""
    return hashlib.sha256(key.encode()).hexdigest()
