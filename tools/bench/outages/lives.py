"""Processes that can be killed for good, forked from one that has everything loaded, and the book
of what is paid for while they come and go.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import aiohttp
import psycopg

from bot import settings
from bot.__main__ import main as debate
from bot.serve.stopping import STOPPING, stop_signal
from bot.wire.bot import Timing, open_bot
from storage.claims import Pace, Rate
from storage.database import database_url, sqlite_file
from storage.database.servers import libpq
from tests.bot.serve.replica import QUICK
from tests.project import ROOT
from tests.standins.programs import free_port
from tools.bench.served import KEPT

FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(
    [
        __name__,
        "adapters.slack.outgoing.chat",
        "adapters.discord.outgoing.layout",
        "adapters.terminal.terminal",
        "sqlalchemy.dialects.sqlite",
        "sqlalchemy.dialects.postgresql",
        "procrastinate",
        "psycopg_pool",
    ]
)
WATCH = "outages-watch-token"
PACE = 0.15
"""Seconds between two posts in a channel: a platform's own second would make a debate take a
minute.
"""


def environment(folder: Path, url: str, **more: str) -> dict[str, str]:
    """Returns a bot's environment, with the scripted model and no setting of the person who runs
    this.
    """
    kept = {k: v for k, v in os.environ.items() if k in KEPT}
    ours = {
        "HOME": str(folder), "PYTHONPATH": str(ROOT), "DEBATE_DATABASE_URL": url,
        "DEBATE_MODELS": "scripted", "DEBATE_SCRIPTED": "1", "DEBATE_SCRIPTED_LATENCY": "0.15",
        "DEBATE_SCRIPTED_LEDGER": str(folder / "ledger"), "DEBATE_PORT": "0",
        "DEBATE_LIMITS": "person-debates=10000,place-debates=10000",
    }  # fmt: skip
    return kept | ours | more


@dataclass(frozen=True)
class Life:
    """``debate`` with these ``words``; without any the bot, as quick to miss another one as tests
    need it.
    """

    folder: Path
    env: Mapping[str, str]
    words: tuple[str, ...] = ()

    def begin(self) -> BaseProcess:
        process = FORK.Process(target=_live, args=(self,), daemon=False)
        process.start()
        return process


def _live(life: Life) -> None:
    os.chdir(life.folder)
    os.environ.clear()
    os.environ.update(life.env)
    log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    os._exit(debate(life.words) if life.words else asyncio.run(_serve()))


async def _serve() -> int:
    requested, _ = stop_signal(STOPPING, 0.0)
    paces = dict.fromkeys(("slack", "discord"), Pace(Rate(PACE), Rate(PACE)))
    timing = Timing(paces=paces, idle=0.1, heartbeat=0.4, lease=timedelta(seconds=4), rhythm=QUICK)
    read = settings.read()
    async with open_bot(read, timing=timing) as (_, bot):
        await bot.start(read.host, read.port)
        print("ready", bot.address, flush=True)
        await requested.wait()
        await bot.stop()
    return 0


@asynccontextmanager
async def serving(
    folder: Path, env: Mapping[str, str], port: int = 0
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Runs ``debate serve`` as everybody starts it, yields it once it is ready and stops it at the
    end.
    """
    port = port or free_port()
    more = {"DEBATE_PORT": str(port), "DEBATE_WATCH_TOKEN": WATCH}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-m", "bot", "serve"], cwd=folder, env={**env, **more}, stdout=log,
            stderr=log,
        )  # fmt: skip
    try:
        if await ready(f"http://127.0.0.1:{port}", 200) < 0:
            raise RuntimeError((folder / "log").read_text("utf-8", "replace")[-3000:])
        yield process
    finally:
        process.terminate()
        process.wait()


async def ready(address: str, status: int, longest: float = 300.0) -> float:
    """Returns the seconds until the bot has this status; -1 if it never has."""
    began = time.monotonic()
    headers, timeout = {"Authorization": f"Bearer {WATCH}"}, aiohttp.ClientTimeout(total=5)
    async with aiohttp.ClientSession(timeout=timeout, headers=headers) as web:
        while time.monotonic() - began < longest:
            with suppress(aiohttp.ClientError, TimeoutError):
                async with web.get(f"{address}/readyz") as answer:
                    if answer.status == status:
                        return time.monotonic() - began
            await asyncio.sleep(0.1)
    return -1.0


async def ended(process: BaseProcess) -> int:
    await asyncio.to_thread(process.join)
    assert process.exitcode is not None
    return process.exitcode


async def killed(process: BaseProcess) -> None:
    process.kill()
    await ended(process)


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    """Returns the rows as they are on the disk, or in the server."""
    address = database_url(url)
    if file := sqlite_file(address):
        if not file.exists():
            return []
        with closing(sqlite3.connect(file)) as conn:
            if not conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return []  # killed before its tables were made
            return conn.execute(query).fetchall()
    with psycopg.connect(libpq(address)) as conn:
        return conn.execute(query.encode()).fetchall()


@dataclass
class Book:
    """The model's requests while processes died: answers that were stored at a death may not be
    requested again.
    """

    url: str
    ledger: Path
    calls: int = 0
    again: int = 0
    _stored: set[str] = field(default_factory=set)

    def note(self) -> None:
        """Notes the stored answers, at each death and at the end."""
        lines = self.ledger.read_text("utf-8").splitlines() if self.ledger.exists() else []
        fresh = [json.loads(line)["request"] for line in lines[self.calls :]]
        self.again += sum(request in self._stored for request in fresh)
        self.calls = len(lines)
        done = "SELECT request_hash FROM llm_call WHERE state = 'done'"
        self._stored = {request for (request,) in rows(self.url, done)}
