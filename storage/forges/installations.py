"""Stores installations of a GitHub App, each with the workspace whose admin proved that it is
theirs.
"""

from __future__ import annotations

import sqlalchemy as sa

from core.errors import BadInput
from storage.audit import Act, actor, append_act, write_act
from storage.database import Database, inserted
from storage.tables import FORGE_INSTALLATION


class ForgeInstallations:
    """The installations of one database. Tokens are never here; they are made when they are
    needed.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    async def keep(
        self, host: str, installation: int, account: str, workspace: str, by: str, giver: str = ""
    ) -> None:
        """Records the workspace of an installation, who requested it there, and who granted it on
        the forge. Raises ``BadInput`` where it is another workspace's.
        """
        now = self._db.now()
        row = {
            "host": host, "installation": installation, "account": account.lower(),
            "workspace": workspace, "by": by, "at": now,
        }  # fmt: skip
        held = sa.select(FORGE_INSTALLATION.c.workspace).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.installation == installation
        )

        def work(conn: sa.Connection) -> str:
            if inserted(conn, FORGE_INSTALLATION, row, "host", "installation"):
                linked = Act("link an installation", account.lower(), {"on": host})
                append_act(conn, actor(by), linked, now)
                if giver:
                    given = Act("give an installation", account.lower(), {"to": workspace})
                    append_act(conn, actor(giver), given, now)
            return str(conn.execute(held).scalar_one())

        if await self._db.write(work) != workspace:
            raise BadInput(
                f"The installation on {account} belongs to another workspace. Remove it on "
                "GitHub and install it anew."
            )

    async def serving(self, host: str, account: str, workspace: str) -> int | None:
        """Returns the installation with which a workspace reads an account's repositories; that of
        any workspace for "" (the operator's shell).
        """
        query = sa.select(FORGE_INSTALLATION.c.installation).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.account == account.lower()
        )
        if workspace:
            query = query.where(FORGE_INSTALLATION.c.workspace == workspace)
        count: int | None = await self._db.read(lambda conn: conn.execute(query.limit(1)).scalar())
        return count

    async def forget(self, host: str, installation: int) -> bool:
        """Deletes an installation that was removed on the forge."""
        drop = sa.delete(FORGE_INSTALLATION).where(
            FORGE_INSTALLATION.c.host == host, FORGE_INSTALLATION.c.installation == installation
        )
        return await write_act(
            self._db, drop, actor(), Act("end an installation", str(installation))
        )
