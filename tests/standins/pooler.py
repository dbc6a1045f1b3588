"""A real pgbouncer before a test's PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import pwd
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from tests.standins.programs import answers, find, free_port

SIZES = {"transaction": 8, "session": 30}
"""Connections to the server; lent ones are fewer than two replicas ask for, so that they go
around.
"""


@dataclass
class Pooler:
    """pgbouncer before the server at ``where``, on a port of its own. As Debian ships it, it takes
    no start-up options.
    """

    address: str
    settings: Path
    where: Path
    port: int
    _process: asyncio.subprocess.Process | None = field(default=None)

    async def begin(self) -> None:
        log = self.settings.with_suffix(".log")
        with log.open("ab") as out:
            self._process = await asyncio.create_subprocess_exec(
                find("pgbouncer"),
                *_as_owner(self.where),
                str(self.settings),
                stdout=out,
                stderr=out,
            )
        await answers(self._process, self.port, log)

    async def end(self) -> None:
        """Breaks every connection and allows no new one."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


@asynccontextmanager
async def pooler(url: str, folder: Path, mode: str) -> AsyncIterator[Pooler]:
    """Runs a pgbouncer in that mode before the database at ``url``."""
    server, port = sa.make_url(url), free_port()
    where = Path(str(server.query["host"]))
    settings = folder / f"pgbouncer-{port}.ini"
    settings.write_text(
        f"[databases]\n* = host={where} user={server.username}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = {mode}\ndefault_pool_size = {SIZES[mode]}\n"
        "max_client_conn = 200\n"
    )
    through = server.set(host="127.0.0.1", port=port, query={}, username=server.username)
    one = Pooler(through.render_as_string(hide_password=False), settings, where, port)
    await one.begin()
    try:
        yield one
    finally:
        await one.end()


@asynccontextmanager
async def pooled(url: str, folder: Path, mode: str) -> AsyncIterator[str]:
    """Returns the address of the database at ``url`` behind a pgbouncer in that mode."""
    async with pooler(url, folder, mode) as one:
        yield one.address


def _as_owner(where: Path) -> list[str]:
    """Returns the options that run pgbouncer as the owner of the server's socket, which is an
    account of its own where tests run as root.
    """
    if os.geteuid() != 0:
        return []
    return ["-u", pwd.getpwuid(where.stat().st_uid).pw_name]
