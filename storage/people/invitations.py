"""Stores one-time links that each let one browser in; anyone who can write to the database can make
them.

Only the digest of a link's secret is stored, so that reading the database lets nobody in.
"""

from __future__ import annotations

from datetime import datetime
from secrets import token_urlsafe

import sqlalchemy as sa

from core.debate.issued import new_invitation
from storage.database import Database
from storage.people.sessions import Session, begin_session, digest
from storage.tables import INVITATION


class Invitations:
    """The unused links of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def make(self, person: str, until: datetime, debate: str = "") -> str:
        """Makes a link and returns its secret; expired links are deleted."""
        secret = new_invitation(token_urlsafe)
        over = sa.delete(INVITATION).where(INVITATION.c.expires_at <= self._db.now())
        made = sa.insert(INVITATION).values(
            secret_hash=digest(secret), person=person, debate=debate, expires_at=until
        )

        def work(conn: sa.Connection) -> None:
            conn.execute(over)
            conn.execute(made)

        await self._db.write(work)
        return secret

    async def find(self, secret: str) -> tuple[str, str] | None:
        """Returns whom the link lets in, and the debate to whose page it leads, "" for the first
        page; None if it was used or has expired.
        """
        query = sa.select(INVITATION.c.person, INVITATION.c.debate).where(self._good(secret))
        row = await self._db.one(query)
        if row is None:
            return None
        return row.person, row.debate

    async def use(self, secret: str, key: str, session: Session) -> bool:
        """Signs a browser in and ends the link, both or neither; False if the link is not valid."""
        now, gone = self._db.now(), self._ended(secret)

        def work(conn: sa.Connection) -> bool:
            if not conn.execute(gone).rowcount:
                return False
            begin_session(conn, key, session, now)
            return True

        return await self._db.write(work)

    async def end(self, secret: str) -> None:
        gone = self._ended(secret)
        await self._db.change(gone)

    def _ended(self, secret: str) -> sa.Delete:
        return sa.delete(INVITATION).where(self._good(secret))

    def _good(self, secret: str) -> sa.ColumnElement[bool]:
        return sa.and_(
            INVITATION.c.secret_hash == digest(secret), INVITATION.c.expires_at > self._db.now()
        )
