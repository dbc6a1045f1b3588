"""Stores the grants of a place or a workspace: private repositories that a channel may see, and
installation tokens.

Tokens are sealed (``storage.sealing``); without the operator's key they cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from core.debate.errors import BadInput
from storage.audit import Act, actor, append_act, write_act
from storage.database import Database, inserted, upsert, value_of
from storage.sealing import Seal
from storage.tables import BINDING, HOOK, INSTALLATION, OF_PERSON, SCHEDULE, TOKEN, TOKEN_START

GITHUB = "github.com"
_OF_PLACE = ""
"""The repository of the row that holds a place's own settings."""
_RULES = sa.select(BINDING.c.rules).where(
    BINDING.c.place == sa.bindparam("of"), BINDING.c.repository == sa.bindparam("own")
)


def repository_key(host: str, repo: str) -> str:
    """Names a repository as bindings do: ``owner/name`` on github.com, else with its host
    before it. A repository of the same name on another host is a different one.
    """
    if host == GITHUB:
        return repo.lower()
    return f"{host}/{repo}".lower()


def repository_id(host: str, id: str) -> str:
    """Returns the forge's id of a repository with its host, which a rename or a transfer does not
    change; "" for none.
    """
    if not id:
        return ""
    return f"{host}:{id}"


@dataclass(frozen=True, slots=True)
class Binding:
    """A place that follows a repository, which is known by its id on the forge or, until the forge
    has named one, by its names. ``rules`` are opaque here.
    """

    place: str
    repository: str
    by: str
    rules: Mapping[str, Any]
    repository_id: str = ""
    former: Mapping[str, str] = field(default_factory=dict)

    def is_of(self, repository: str, id: str) -> bool:
        if id and self.repository_id:
            return id == self.repository_id
        return repository in (self.repository, *self.former)


class Places:
    """Bindings of places to private repositories.

    Repository names are compared without case, as forges do. ``may_see_private`` is True if the
    operator lets a place have bindings at all: without it those that are stored count for nothing.
    """

    def __init__(self, database: Database, may_see_private: Callable[[str], bool]) -> None:
        self._db = database
        self._may_see_private = may_see_private

    async def bind(self, place: str, repository: str, by: str) -> bool:
        """Stores an admin's grant that the place may see the repository; False if it did
        already. Its id becomes known with the forge's next word.
        """
        row = {
            "place": place, "repository": repository.lower(), "by": by, "at": self._db.now(),
            "rules": {},
        }  # fmt: skip
        who, now = actor(by, place), self._db.now()

        def work(conn: sa.Connection) -> bool:
            fresh = inserted(conn, BINDING, row, "place", "repository")
            if fresh:
                append_act(conn, who, Act("bind", repository.lower(), {"to": place}), now)
            return fresh

        return await self._db.write(work)

    async def set_rules(self, place: str, repository: str, rules: Mapping[str, Any]) -> bool:
        """Stores what starts debates in a bound place; False if it is not bound."""
        change = sa.update(BINDING).where(*_is(place, repository)).values(rules=dict(rules))
        act = Act("change what starts debates", repository.lower(), {"in": place})
        return await write_act(self._db, change, actor(place=place), act)

    async def bindings(
        self, *, place: str = "", repository: str = "", id: str = ""
    ) -> Sequence[Binding]:
        """Returns the bindings of a place, of a repository under its present or a former name, or
        all; of each place one, by the ``id`` rather than by the present or a former name. With
        ``id`` another repository that has the name now is not the same.
        """
        of_forges = BINDING.c.repository.not_in((_OF_PLACE, OF_PERSON))
        query = sa.select(BINDING).where(of_forges).order_by(BINDING.c.repository, BINDING.c.place)
        if place:
            query = query.where(BINDING.c.place == place)
        if repository:
            renamed = sa.cast(BINDING.c.former, sa.Text) != "{}"
            of_id = sa.and_(BINDING.c.repository_id == id, BINDING.c.repository_id != "")
            query = query.where(sa.or_(BINDING.c.repository == repository.lower(), of_id, renamed))
        rows = await self._db.rows(query)
        bound = [value_of(Binding, row) for row in rows if self._may_see_private(row.place)]
        if not repository:
            return bound
        key = repository.lower()
        matching = [one for one in bound if one.is_of(key, id)]
        of_name = [one for one in matching if one.repository == key]
        of_this_id = [one for one in matching if id and one.repository_id == id]
        best = {one.place: one for one in (*matching, *of_name, *of_this_id)}
        return [one for one in matching if one is best[one.place]]

    async def present_name(self, place: str, host: str, repo: str) -> str:
        """Returns the name that a repository has now, as far as the place is bound to it."""
        key = repository_key(host, repo)
        for bound in await self.bindings(place=place, repository=key):
            if bound.repository != key:
                return bound.repository.removeprefix(key.removesuffix(repo.lower()))
        return repo

    async def language(self, of: str, *, person: bool = False) -> str:
        """Returns the language that was set for a place or a person, "" for none."""
        rules = await self._db.scalar(_RULES, {"of": of, "own": _own(person=person)})
        return str((rules or {}).get("language", ""))

    async def set_language(self, of: str, language: str, by: str, *, person: bool) -> None:
        """Stores the language of a place or a person; "" takes it back."""
        own = _own(person=person)
        row = {
            "place": of, "repository": own, "by": by, "at": self._db.now(),
            "rules": {"language": language},
        }  # fmt: skip
        who, now = actor(by, "" if person else of), self._db.now()

        def work(conn: sa.Connection) -> None:
            conn.execute(
                sa.delete(BINDING).where(BINDING.c.place == of, BINDING.c.repository == own)
            )
            if language:
                conn.execute(sa.insert(BINDING), row)
            append_act(conn, who, Act("set a language", "", {"to": language or "auto"}), now)

        await self._db.write(work)

    async def unbind(self, place: str, repository: str) -> bool:
        drop = sa.delete(BINDING).where(*_is(place, repository))
        act = Act("unbind", repository.lower(), {"from": place})
        return await write_act(self._db, drop, actor(place=place), act)

    async def repositories(self, place: str) -> Sequence[str]:
        """Returns the private repositories that this place may see."""
        return [binding.repository for binding in await self.bindings(place=place)]

    async def forget_workspace(self, workspace: str) -> None:
        """Deletes the data of a workspace ("slack:T1") that removed the bot: its token, schedules,
        bindings and webhooks, and the tokens of its people and services; finished debates stay.
        """
        within = f"{workspace}/"
        theirs = sa.or_(
            TOKEN.c.person.startswith(within, autoescape=True),
            TOKEN.c.person.startswith(f"program:{within}", autoescape=True),
        )
        starts = TOKEN_START.c.token.in_(sa.select(TOKEN.c.id).where(theirs))

        def work(conn: sa.Connection) -> None:
            conn.execute(sa.delete(INSTALLATION).where(INSTALLATION.c.workspace == workspace))
            conn.execute(
                sa.delete(BINDING).where(BINDING.c.place.startswith(within, autoescape=True))
            )
            conn.execute(
                sa.delete(SCHEDULE).where(SCHEDULE.c.place.startswith(within, autoescape=True))
            )
            conn.execute(sa.delete(HOOK).where(HOOK.c.place.startswith(within, autoescape=True)))
            conn.execute(sa.delete(TOKEN_START).where(starts))
            conn.execute(sa.delete(TOKEN).where(theirs))
            append_act(conn, actor(), Act("remove the bot", workspace), self._db.now())

        await self._db.write(work)


def _is(place: str, repository: str) -> tuple[sa.ColumnElement[bool], ...]:
    return BINDING.c.place == place, BINDING.c.repository == repository.lower()


def _own(*, person: bool) -> str:
    """Returns the repository of the row that holds the settings of a place or a person."""
    if person:
        return OF_PERSON
    return _OF_PLACE


class Installations:
    """The sealed tokens of workspaces that installed the app, and other secrets."""

    def __init__(self, database: Database, seal: Seal) -> None:
        self._db = database
        self._seal = seal

    async def keep(self, workspace: str, token: str) -> None:
        """Stores or replaces a workspace's token, sealed. Raises ``BadInput`` without a key."""
        row = {"workspace": workspace, "sealed": self._seal.close(token), "at": self._db.now()}
        now = self._db.now()

        def work(conn: sa.Connection) -> None:
            conn.execute(upsert(conn, INSTALLATION), row)
            append_act(conn, actor(), Act("keep a token", workspace), now)

        await self._db.write(work)

    async def token(self, workspace: str) -> str | None:
        """Returns the token, None if the workspace never installed the app. Raises ``BadInput``
        when it was sealed under another key.
        """
        query = sa.select(INSTALLATION.c.sealed).where(INSTALLATION.c.workspace == workspace)
        sealed = await self._db.scalar(query)
        if sealed is None:
            return None
        return self._opened(workspace, sealed)

    async def holders(self, token: str) -> list[str]:
        """Returns the workspaces for which this text is kept."""
        query = sa.select(INSTALLATION.c.workspace, INSTALLATION.c.sealed)
        rows = await self._db.rows(query)
        return sorted(name for name, sealed in rows if self._seal.open(sealed) == token)

    async def find_unopened(self) -> list[str]:
        """Returns the workspaces, and other owners, whose secrets none of our keys opens."""
        query = sa.select(INSTALLATION.c.workspace, INSTALLATION.c.sealed)
        rows = await self._db.rows(query)
        return sorted(name for name, sealed in rows if self._seal.open(sealed) is None)

    async def rotate(self) -> int:
        """Seals everything anew with the first key, and counts it.

        Raises ``BadInput``, and changes nothing, if something can't be opened.
        """
        query, now = sa.select(INSTALLATION.c.workspace, INSTALLATION.c.sealed), self._db.now()

        def work(conn: sa.Connection) -> int:
            rows = [
                (name, self._seal.close(self._opened(name, sealed)))
                for name, sealed in conn.execute(query).all()
            ]
            for name, sealed in rows:
                conn.execute(
                    sa.update(INSTALLATION)
                    .where(INSTALLATION.c.workspace == name)
                    .values(sealed=sealed)
                )
            append_act(conn, actor(), Act("rotate keys", "", {"sealed": len(rows)}), now)
            return len(rows)

        return await self._db.write(work)

    def _opened(self, workspace: str, sealed: bytes) -> str:
        opened = self._seal.open(sealed)
        if self._seal.opens_nothing:
            raise BadInput(
                "What is kept of {workspace} is sealed, and there is no key to open it with: set "
                "DEBATE_SECRET_KEY to the key that it was sealed with, or install the app there "
                "again.",
                workspace=workspace,
            )
        if opened is None:
            raise BadInput(
                "What is kept of {workspace} was sealed under another key. Put that one behind "
                "the present one in DEBATE_SECRET_KEY, with a comma, or install the app there "
                "again.",
                workspace=workspace,
            )
        return opened
