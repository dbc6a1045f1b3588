"""Stores the tokens by which programs act as a person. Only the digest of a token's secret is
stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from secrets import token_urlsafe

import sqlalchemy as sa

from core.application.place import PROGRAM
from core.application.tokens import Token
from core.debate.errors import BadInput, Refused
from core.debate.issued import new_secret
from core.languages import money
from storage.audit import Act, actor, append_act
from storage.database import Database, value_of
from storage.people.sessions import digest
from storage.tables import TOKEN, TOKEN_START

_LEAST = 1e-9  # USD, of sums that are rounded


class Tokens:
    """The tokens of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def make(
        self,
        person: str,
        place: str,
        name: str,
        scopes: Sequence[str],
        budget: float,
        until: datetime,
    ) -> tuple[str, str]:
        """Makes a token and returns its id and its secret, which is shown once; expired tokens are
        deleted.
        """
        id, secret = secrets.token_hex(4), new_secret(token_urlsafe)
        made = sa.insert(TOKEN).values(
            id=id,
            secret_hash=digest(secret),
            person=person,
            place=place,
            name=name,
            scopes=list(scopes),
            purse=budget,
            created_at=self._db.now(),
            expires_at=until,
        )

        def work(conn: sa.Connection) -> None:
            over = sa.select(TOKEN.c.id).where(TOKEN.c.expires_at <= self._db.now())
            delete_tokens(conn, conn.execute(over).scalars().all())
            conn.execute(made)
            act = Act("make a token", id, {"may": " ".join(scopes), "usd": budget})
            append_act(conn, actor(person, place), act, self._db.now())

        await self._db.write(work)
        return id, secret

    async def find(self, secret: str) -> Token | None:
        """Returns the token of a secret, unless it was revoked or has expired."""
        return next(iter(await self._load(TOKEN.c.secret_hash == digest(secret))), None)

    async def all(self) -> Sequence[Token]:
        """Returns every valid token, the oldest first."""
        return await self._load(sa.true())

    async def of(self, person: str, place: str = "") -> Sequence[Token]:
        """Returns a person's valid tokens, the oldest first; with a ``place`` also those of the
        services there.
        """
        theirs = TOKEN.c.person == person
        if place:
            services = TOKEN.c.person.startswith(f"{PROGRAM}:", autoescape=True)
            theirs = sa.or_(theirs, sa.and_(TOKEN.c.place == place, services))
        return await self._load(theirs)

    async def end(self, id: str) -> bool:
        """Revokes a token; False if there is none."""
        there = sa.select(TOKEN.c.id).where(TOKEN.c.id == id)

        def work(conn: sa.Connection) -> bool:
            ended = delete_tokens(conn, conn.execute(there).scalars().all()) > 0
            if ended:
                append_act(conn, actor(), Act("take a token back", id), self._db.now())
            return ended

        return await self._db.write(work)

    async def hold(self, token: str, key: str, text: str, budget: float) -> str:
        """Reserves ``budget`` USD for the request ``text`` under ``key``, and returns
        the debate of an earlier same request, else "".

        Raises ``Refused`` if less is left, ``BadInput`` if the key was used for another request or
        its first request never ended.
        """
        asked_hash = digest(text)
        row = sa.select(TOKEN.c.purse).where(TOKEN.c.id == token)
        before = sa.select(TOKEN_START).where(
            TOKEN_START.c.token == token, TOKEN_START.c.key == key
        )
        held = sa.select(sa.func.coalesce(sa.func.sum(TOKEN_START.c.budget), 0.0)).where(
            TOKEN_START.c.token == token
        )
        made = sa.insert(TOKEN_START).values(
            token=token, key=key, asked_hash=asked_hash, budget=budget, debate=""
        )

        def work(conn: sa.Connection) -> str:
            most = conn.execute(row).scalar_one_or_none()
            if most is None:
                raise Refused("This token was taken back.")
            known = conn.execute(before).one_or_none()
            if known is not None and known.asked_hash != asked_hash:
                raise BadInput("This Idempotency-Key was used for another request: take a new one.")
            if known is not None and not known.debate:
                raise BadInput(
                    "The first request with this Idempotency-Key is under way or was cut off: list "
                    "the debates, then take a new key."
                )
            if known is not None:
                return str(known.debate)
            left = most - conn.execute(held).scalar_one()
            if budget > left + _LEAST:
                raise Refused(
                    "This token's budget has {left} and the debate may cost {budget}: take a "
                    "smaller budget, or a token with a larger budget.",
                    left=money(max(0.0, left)),
                    budget=money(budget),
                )
            conn.execute(made)
            return ""

        return await self._db.write(work)

    async def settle(self, token: str, key: str, debate: str) -> None:
        """Records the debate that was started; without one, releases the reserved money."""
        here = (TOKEN_START.c.token == token, TOKEN_START.c.key == key)
        change: sa.Update | sa.Delete
        if debate:
            change = sa.update(TOKEN_START).where(*here).values(debate=debate)
        else:
            change = sa.delete(TOKEN_START).where(*here, TOKEN_START.c.debate == "")
        await self._db.change(change)

    async def _load(self, which: sa.ColumnElement[bool]) -> Sequence[Token]:
        held = (
            sa.select(sa.func.coalesce(sa.func.sum(TOKEN_START.c.budget), 0.0))
            .where(TOKEN_START.c.token == TOKEN.c.id)
            .scalar_subquery()
        )
        query = (
            sa.select(TOKEN, held.label("held"))
            .where(which, TOKEN.c.expires_at > self._db.now())
            .order_by(TOKEN.c.created_at, TOKEN.c.id)
        )
        rows = await self._db.rows(query)
        return [value_of(Token, row, scopes=tuple(row.scopes), budget=row.purse) for row in rows]


def delete_tokens(conn: sa.Connection, ids: Sequence[str]) -> int:
    """Deletes these tokens and their requests within a transaction, and counts the tokens."""
    conn.execute(sa.delete(TOKEN_START).where(TOKEN_START.c.token.in_(ids)))
    return conn.execute(sa.delete(TOKEN).where(TOKEN.c.id.in_(ids))).rowcount
