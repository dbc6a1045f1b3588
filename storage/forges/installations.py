"""Stores installations of a GitHub App, each with the workspace whose admin proved that it is
theirs.
"""

from __future__ import annotations

import sqlalchemy as sa

from storage.audit import Act, actor, append_act, write_act
from storage.database import Database, upsert
from storage.tables import FORGE_INSTALLATION


class ForgeInstallations:
    """The installations of one database. Tokens are never here; they are made when they are
    needed.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    async def keep(
        self, host: str, installation: int, account: str, workspace: str, by: str, giver: str
    ) -> None:
        """Record the workspace of an installation, the person who requested it there, and the
        person on the forge (``github:HOST/LOGIN``) who gave it. The latest proof counts: it takes
        the installation from the workspace that had it.
        """
        now, account = self._db.now(), account.lower()
        row = {
            "host": host, "installation": installation, "account": account,
            "workspace": workspace, "by": by, "at": now, "giver": giver,
        }  # fmt: skip
        held = sa.select(FORGE_INSTALLATION.c.workspace, FORGE_INSTALLATION.c.giver).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.installation == installation
        )

        def work(conn: sa.Connection) -> None:
            before = conn.execute(held).one_or_none()
            if before is not None and tuple(before) == (workspace, giver):
                return
            conn.execute(upsert(conn, FORGE_INSTALLATION), row)
            on = {"on": host} | ({"from": before.workspace} if before is not None else {})
            append_act(conn, actor(by), Act("link an installation", account, on), now)
            given = Act("give an installation", account, {"to": workspace})
            append_act(conn, actor(giver), given, now)

        await self._db.write(work)

    async def serving(self, host: str, account: str, workspace: str) -> tuple[int, str] | None:
        """Return the installation with which a workspace reads an account's repositories; that of
        any workspace for "" (the operator's shell).
        """
        columns = FORGE_INSTALLATION.c
        query = sa.select(columns.installation, columns.giver).where(
            columns.host == host, columns.account == account.lower()
        )
        if workspace:
            query = query.where(columns.workspace == workspace)
        row = await self._db.one(query.limit(1))
        if row is None:
            return None
        return row.installation, row.giver.rpartition("/")[2]

    async def of(self, host: str, account: str) -> list[int]:
        """Returns the installations on an account."""
        columns = FORGE_INSTALLATION.c
        query = sa.select(columns.installation)
        return await self._db.column(
            query.where(columns.host == host, columns.account == account.lower())
        )

    async def rename(self, host: str, installation: int, account: str) -> None:
        """Stores the present name of an installation's account."""
        change = sa.update(FORGE_INSTALLATION).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.installation == installation
        )
        await self._db.change(change.values(account=account.lower()))

    async def forget(self, host: str, installation: int) -> bool:
        """Deletes an installation that was removed on the forge."""
        drop = sa.delete(FORGE_INSTALLATION).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.installation == installation
        )
        return await write_act(
            self._db, drop, actor(), Act("end an installation", str(installation))
        )
