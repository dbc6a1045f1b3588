"""Promotes a second server while debates are played: two replicas, one address with both servers,
the first one killed as a machine that is gone.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from storage.schema import open_database
from tests.bot.crashing import settings_for
from tests.origins import origin
from tests.standins.programs import free_port
from tools.bench.outages.kills import ENV, LONGEST, Tally, question
from tools.bench.outages.lives import Book, Life, ended, environment
from tools.bench.outages.servers import Server, ground

DEBATES = 20
AWAY = 8.0
"""Seconds from the end of the first server to the promotion of the second."""
LATENCY = "0.5"


def main(_words: list[str]) -> int:
    with ExitStack() as stack:
        folder = stack.enter_context(ground())
        first = Server(folder / "first", free_port())
        second = Server(folder / "second", free_port())
        for server in (first, second):
            stack.callback(server.end)
        first.make()
        first.begin()
        first.ask("CREATE DATABASE debates")
        second.copy(first)
        second.begin()
        first.ask("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        first.ask("SELECT pg_reload_conf()")
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        return asyncio.run(_played(first, second, home))


async def _played(first: Server, second: Server, folder: Path) -> int:
    hosts = f"{first.address},{second.address}"
    url = f"postgresql+psycopg://postgres@{hosts}/debates?target_session_attrs=read-write"
    await (await open_database(url)).close()
    env = environment(folder, url, **ENV, DEBATE_SCRIPTED_LATENCY=LATENCY)
    replicas = [Life(folder, env, ("serve",)).begin() for _ in range(2)]
    book = Book(url, folder / "ledger")
    try:
        ids = await _request(url, folder)
        before = await _events(url, DEBATES * 6)
        first.kill()
        at = time.monotonic()
        await asyncio.sleep(AWAY)
        second.promote()
        promoted = time.monotonic()
        book.note()
        print(f"killed with {before} events stored; promoted after {promoted - at:.1f} s")
        there = (second.ask("SELECT count(*) FROM event", "debates"))[0][0]
        print(f"  events that the second server holds: {there}")
        await _events(url, int(str(there)) + 1)
        print(f"  first event after the promotion: {time.monotonic() - promoted:.1f} s")
        async with asyncio.timeout(LONGEST):
            while await _left(second):  # noqa: ASYNC110
                await asyncio.sleep(0.2)
        print(f"  all over: {time.monotonic() - promoted:.1f} s after the promotion")
        alive = sum(process.is_alive() for process in replicas)
    finally:
        for process in replicas:
            process.terminate()
            await ended(process)
    book.note()
    tally = Tally(calls=book.calls, again=book.again)
    tally.count(url)
    known = {str(id) for (id,) in second.ask("SELECT id FROM debate", "debates")}
    tally.lost += [f"{id} is gone" for id in ids if id not in known]
    log = (folder / "log").read_text("utf-8", "replace")
    traces = log.count("Traceback")
    print(
        f"  {tally.debates} debates, {tally.calls} model calls, lost {len(tally.lost)}, doubled "
        f"{len(tally.doubled)}, paid again {tally.again}, replicas that lived on {alive} of 2, "
        f"stack traces in the log {traces}"
    )
    for fault in (*tally.lost, *tally.doubled):
        print(f"    {fault}")
    return int(bool(tally.lost or tally.doubled or tally.again or alive < 2))


async def _request(url: str, folder: Path) -> list[str]:
    async with open_parts(settings_for(url, folder), shell=False) as parts:
        return [
            await parts.service.take(
                DebateRequest("triad", question(n), "shell:bench", "shell:bench", vote_window=0.0),
                origin(f"failover-{n}"),
            )
            for n in range(DEBATES)
        ]


async def _events(url: str, least: int) -> int:
    """Waits until at least ``least`` events are stored."""
    from tools.bench.outages.lives import rows

    async with asyncio.timeout(LONGEST):
        while True:
            count = int((await asyncio.to_thread(rows, url, "SELECT count(*) FROM event"))[0][0])
            if count >= least:
                return count
            await asyncio.sleep(0.05)


async def _left(server: Server) -> int:
    query = "SELECT count(*) FROM debate WHERE status NOT IN ('finished', 'stopped', 'failed')"
    return int(str((await asyncio.to_thread(server.ask, query, "debates"))[0][0]))
