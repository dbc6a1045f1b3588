"""A clock that jumps under a running bot, forwards and backwards, by minutes and by days, while
debates are played and posted; SQLite and PostgreSQL. And two replicas whose clocks differ.

Only the wall clock jumps, as it does when it is set (libfaketime; Debian: apt-get install
faketime).
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random

from storage.schema import open_database
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tools.bench.outages.kills import BATCH, ENV, LONGEST, Tally, question
from tools.bench.outages.lives import environment, rows, serving
from tools.bench.stores import postgres

JUMPS = (90, -90, 3600, -3600, 86_400, -86_400, -86_400, 86_400, 30 * 86_400, -30 * 86_400)
"""Seconds, one after the other."""
EVERY = 4.0
LIBRARIES = ("/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime")


def library() -> Path | None:
    return next((f for at in LIBRARIES if (f := Path(at) / "libfaketimeMT.so.1").exists()), None)


def main(words: list[str]) -> int:
    faked = library()
    if faked is None:
        print("libfaketime is not here (Debian: apt-get install faketime)")
        return 2
    wrong = 0
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        wrong += asyncio.run(_jumping(faked, Path(home), str(Path(home) / "debate.db"), "SQLite"))
    with ExitStack() as stack:
        home, url = (
            stack.enter_context(tempfile.TemporaryDirectory()),
            stack.enter_context(postgres()),
        )
        wrong += asyncio.run(_jumping(faked, Path(home), url, "PostgreSQL"))
    return int(wrong > 0)


async def _jumping(library: Path, folder: Path, url: str, name: str) -> int:
    set_to, tally = folder / "clock", Tally()
    await (await open_database(url)).close()
    set_to.write_text("+0")
    async with SlackStandIn() as slack:
        channels = [f"C{n + 1}" for n in range(BATCH)]
        for channel in channels:
            slack.world.channel(channel)
        env = environment(
            folder, url, **ENV, SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=BOT_TOKEN,
            SLACK_APP_TOKEN=APP_TOKEN, DEBATE_SCRIPTED_LATENCY="1", LD_PRELOAD=str(library),
            FAKETIME_TIMESTAMP_FILE=str(set_to), FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1", FAKETIME_FORCE_MONOTONIC_FIX="0",
        )  # fmt: skip
        async with serving(folder, env) as process:
            ahead, begun, draw = 0, 0, Random(26)
            for jump in JUMPS:
                for _ in range(2):
                    channel = channels[begun % BATCH]
                    await slack.slash(f"triad {question(begun)} --vote-window off", channel=channel)
                    begun += 1
                await asyncio.sleep(EVERY * draw.uniform(0.5, 1.5))
                ahead += jump
                set_to.write_text(f"{ahead:+d}")
                print(f"  {name}: the clock is {ahead:+,d} s off", flush=True)
            left = -1
            try:
                async with asyncio.timeout(LONGEST):
                    while (left := await _left(url)) or await _count(url) < begun:  # noqa: ASYNC110
                        await asyncio.sleep(0.2)
            except TimeoutError:
                print(f"  {left} debates and posts are not done after {LONGEST:g} s")
            alive = process.poll() is None
        posts = rows(url, "SELECT place, key FROM outbox WHERE op = 'post' ORDER BY id")
        for channel in channels:
            messages = slack.world.channel(channel).messages.values()
            there = [m["metadata"]["event_payload"]["key"] for m in messages if "metadata" in m]
            keys = [key for place, key in posts if place.endswith(f"/{channel}")]
            for id in {key.partition(":")[0] for key in (*keys, *there)}:
                mine, theirs = ([k for k in e if k.startswith(f"{id}:")] for e in (keys, there))
                tally.compare(mine, theirs, channel)
    tally.count(url)
    log = (folder / "log").read_text("utf-8", "replace")
    print(
        f"{name}: {len(JUMPS)} jumps, {tally.debates} debates, lost {len(tally.lost)}, doubled "
        f"{len(tally.doubled)}; the process lived on: {alive}; "
        f"stack traces {log.count('Traceback')}",
        flush=True,
    )
    for fault in (*tally.lost, *tally.doubled):
        print(f"    {fault}")
    return len(tally.lost) + len(tally.doubled) + (not alive)


async def _left(url: str) -> int:
    query = (
        "SELECT (SELECT count(*) FROM debate WHERE status NOT IN ('finished', 'stopped', "
        "'failed')) + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending'))"
    )
    return int((await asyncio.to_thread(rows, url, query))[0][0])


async def _count(url: str) -> int:
    return int((await asyncio.to_thread(rows, url, "SELECT count(*) FROM debate"))[0][0])
