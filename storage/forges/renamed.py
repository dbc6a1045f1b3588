"""Follows repositories through renames and transfers by their id on the forge: what is stored under
a former name gets the present one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from storage.audit import Act, actor, append_act
from storage.database import Database, in_places, upsert
from storage.tables import BINDING, FINDING_OUTCOME, FOLLOWED_CHANGE, SCHEDULE, WATCH


@dataclass(frozen=True, slots=True)
class SeenRepository:
    """A repository as its forge named it at a time (``at``, in ISO 8601): ``key`` is its name in
    bindings, ``id`` that of the forge with its host.
    """

    host: str
    name: str
    key: str
    id: str
    at: str

    def name_of(self, key: str) -> str:
        """Returns the name of a repository on the same host without the host."""
        return key.removeprefix(self.key.removesuffix(self.name.lower()))


class RenamedRepositories:
    """The names of bound repositories in one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def former_names(self, seen: SeenRepository) -> list[str]:
        """Returns the names under which a repository is bound that is seen under another one now,
        unless it had this one before, and the forge's word is older than its next name.
        """
        rows = await self._db.rows(sa.select(BINDING).where(*_elsewhere(seen)))
        return [seen.name_of(row.repository) for row in rows if _is_news(row, seen)]

    async def without_id(self, keys: Collection[str]) -> bool:
        """True if a binding under one of these names has no id yet."""
        query = sa.select(BINDING.c.place).where(*_without_id(keys)).limit(1)
        return await self._db.one(query) is not None

    async def learn(self, keys: Collection[str], id: str) -> None:
        """Stores the id of a repository in its bindings that have only one of its names."""
        await self._db.change(sa.update(BINDING).where(*_without_id(keys)).values(repository_id=id))

    async def rename(self, seen: SeenRepository) -> None:
        """Gives everything that is stored under a repository's former names the present one. A
        place that was bound to both keeps the newer binding.
        """

        def work(conn: sa.Connection) -> None:
            for row in conn.execute(sa.select(BINDING).where(*_elsewhere(seen))).all():
                if _is_news(row, seen) and _rebind(conn, row, seen):
                    act = Act("rename", row.repository, {"to": seen.key, "in": row.place})
                    append_act(conn, actor(), act, self._db.now())
                    _carry(conn, seen, seen.name_of(row.repository))

        await self._db.write(work)


def names_of_renamed(conn: sa.Connection, within: Sequence[str] | None) -> list[frozenset[str]]:
    """Returns the present and former names, without hosts, of each renamed repository that is bound
    to a place with one of these beginnings, or to any place (None).
    """
    renamed = sa.cast(BINDING.c.former, sa.Text) != "{}"
    query = sa.select(BINDING).where(renamed, in_places(BINDING.c.place, within))
    rows = conn.execute(query).all()
    return [frozenset(map(_without_host, (row.repository, *row.former))) for row in rows]


def _without_host(key: str) -> str:
    return key if key.count("/") == 1 else key.partition("/")[2]


def _without_id(keys: Collection[str]) -> tuple[sa.ColumnElement[bool], ...]:
    return BINDING.c.repository.in_(keys), BINDING.c.repository_id == ""


def _elsewhere(seen: SeenRepository) -> tuple[sa.ColumnElement[bool], ...]:
    return BINDING.c.repository_id == seen.id, BINDING.c.repository != seen.key


def _is_news(row: sa.Row[tuple[object, ...]], seen: SeenRepository) -> bool:
    return seen.key not in row.former or seen.at > row.former[seen.key]


def _rebind(conn: sa.Connection, row: sa.Row[tuple[object, ...]], seen: SeenRepository) -> bool:
    """Renames one binding; returns False if the place is bound to another repository of that name,
    which has yet to be seen under its own new name.
    """
    place = BINDING.c.place == row.place
    taken = conn.execute(sa.select(BINDING).where(place, BINDING.c.repository == seen.key)).first()
    if taken is not None and taken.repository_id != seen.id:
        return False
    former = {name: at for name, at in row.former.items() if name != seen.key}
    values = (taken or row)._asdict()
    values |= {"repository": seen.key, "former": former | {row.repository: seen.at}}
    conn.execute(sa.delete(BINDING).where(place, BINDING.c.repository == row.repository))
    conn.execute(upsert(conn, BINDING), values)
    return True


def _carry(conn: sa.Connection, seen: SeenRepository, old: str) -> None:
    """Renames followed changes, the state of polls, judged findings and schedules."""
    before, after = f"https://{seen.host}/{old}", f"https://{seen.host}/{seen.name}"

    def moved(link: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
        return sa.literal(after) + sa.func.substr(link, len(before) + 1)

    for table, same in ((FOLLOWED_CHANGE, ("place", "number")), (WATCH, ())):
        newer = table.alias()
        of_old = table.c.host == seen.host, table.c.repository == old
        of_new = newer.c.host == seen.host, newer.c.repository == seen.name.lower()
        both = [newer.c[name] == table.c[name] for name in same]
        conn.execute(sa.delete(table).where(*of_old, sa.exists().where(*of_new, *both)))
        values: dict[str, object] = {"repository": seen.name.lower()}
        if table is FOLLOWED_CHANGE:
            values |= {"link": moved(table.c.link)}
        conn.execute(sa.update(table).where(*of_old).values(values))
    conn.execute(
        sa.update(FINDING_OUTCOME)
        .where(FINDING_OUTCOME.c.repository == f"{seen.host}/{old}")
        .values(
            repository=f"{seen.host}/{seen.name}".lower(), change=moved(FINDING_OUTCOME.c.change)
        )
    )
    named = re.compile(
        rf"(github:|{re.escape(before[: -len(old)])}){re.escape(old)}(?![\w.-])", re.IGNORECASE
    )
    for row in conn.execute(sa.select(SCHEDULE.c.id, SCHEDULE.c.target, SCHEDULE.c.heads)).all():
        target = named.sub(rf"\g<1>{seen.name}", row.target)
        if target != row.target:
            heads = {named.sub(rf"\g<1>{seen.name}", link): at for link, at in row.heads.items()}
            change = sa.update(SCHEDULE).where(SCHEDULE.c.id == row.id)
            conn.execute(change.values(target=target, heads=heads))
