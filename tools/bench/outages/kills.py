"""A thousand kills -9 at random moments, over every surface and both databases."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import psycopg
import sqlalchemy as sa
from psycopg import sql

from storage.schema import open_database
from storage.tables import COMPATIBLE, METADATA
from tests.bot.conftest import Breeder
from tests.bot.debates.test_crashes import KINDS, check, empty, find, killed_lives
from tests.bot.forges.test_killed import KILLED, judged_in, stage
from tests.end_to_end.discord_child import untold
from tests.project import ROOT
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tools.bench.outages.lives import Book, Life, ended, environment, killed, rows
from tools.bench.stores import postgres

BATCH = 6
"""Debates that are asked for at once, whenever nothing is left to do."""
LONGEST = 300.0
"""Seconds in which everything has to come to its end once nobody dies any more."""
ENV = {"DEBATE_SIGNING_KEY": "5a" * 32}
_OPEN = (
    "SELECT (SELECT count(*) FROM debate WHERE status NOT IN ('finished', 'stopped', 'failed')), "
    "(SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending') AND op <> 'hook')"
)
_TWICE = (
    "SELECT debate_id, payload ->> 'turn' FROM event WHERE kind = 'turn_finished' "
    "GROUP BY 1, 2 HAVING count(*) > 1"
)


@dataclass
class Tally:
    """The result of one surface: ``lost`` and ``doubled`` name the posts that were."""

    kills: int = 0
    debates: int = 0
    calls: int = 0
    again: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    def count(self, url: str) -> None:
        """Checks what every surface has to keep: each debate is whole, and each turn was spoken
        once.
        """
        states = rows(url, "SELECT id, status FROM debate")
        self.debates = len(states)
        self.lost += [f"{id} is {status}" for id, status in states if status != "finished"]
        self.lost += [
            f"{key} is {state}: {reason}"
            for key, state, reason in rows(
                url, "SELECT key, state, reason FROM outbox WHERE op = 'post'"
            )
            if state != "sent"
        ]
        failed = rows(url, "SELECT debate_id, payload FROM event WHERE kind = 'turn_failed'")
        self.lost += [f"a turn of {id} failed: {payload}" for id, payload in failed]
        self.doubled += [f"{turn} of {id} was spoken twice" for id, turn in rows(url, _TWICE)]

    def compare(self, wanted: list[str], there: list[str], where: str) -> None:
        """Compares, key by key, what a surface should show with what it shows."""
        counts = Counter(there)
        self.lost += [f"{key} is not in {where}" for key in wanted if not counts[key]]
        self.doubled += [f"{key} is {n} times in {where}" for key, n in counts.items() if n > 1]
        if not self.lost and not self.doubled and there != wanted:
            self.lost.append(f"the order in {where}: {there} instead of {wanted}")


@dataclass
class Town:
    """A database, and the bot that uses it. ``draw`` chooses when the bot dies."""

    folder: Path
    url: str
    env: dict[str, str]
    draw: Random
    tally: Tally = field(default_factory=Tally)
    begun: int = 0

    def __post_init__(self) -> None:
        self.life = Life(self.folder, environment(self.folder, self.url, **ENV, **self.env))
        self.book = Book(self.url, self.folder / "ledger")

    async def idle(self) -> bool:
        """Return whether all work is done."""
        debates, posts = (await asyncio.to_thread(rows, self.url, _OPEN))[0]
        return not debates and not posts

    async def under(self, kills: int, begin: Callable[[int], Awaitable[object]]) -> Tally:
        """Kills the bot ``kills`` times while debates are played, then lets it finish them all."""
        process = self.life.begin()
        try:
            await self._first(process, begin)
            while self.tally.kills < kills:
                if await self.idle():
                    await self._more(begin)
                await asyncio.sleep(self.draw.uniform(0.2, 2.5))
                await self._dead(process)
                process = self.life.begin()
            async with asyncio.timeout(LONGEST):
                while not await self.idle():  # noqa: ASYNC110 (another process has no event of ours)
                    await asyncio.sleep(0.2)
        finally:
            process.terminate()
            await ended(process)
        self.book.note()
        self.tally.calls, self.tally.again = self.book.calls, self.book.again
        self.tally.count(self.url)
        return self.tally

    async def _first(self, process: BaseProcess, begin: Callable[[int], Awaitable[object]]) -> None:
        """Waits until the first process has made its tables."""
        async with asyncio.timeout(LONGEST):
            while "ready" not in self.log():
                if not process.is_alive():
                    raise RuntimeError(self.log())
                await asyncio.sleep(0.05)
        await self._more(begin)

    async def _more(self, begin: Callable[[int], Awaitable[object]]) -> None:
        numbers = range(self.begun, self.begun + BATCH)
        self.begun += BATCH
        async with asyncio.timeout(LONGEST), asyncio.TaskGroup() as group:
            for number in numbers:
                group.create_task(_once(begin, number))
        async with asyncio.timeout(LONGEST):
            while len(rows(self.url, "SELECT id FROM debate")) < self.begun:  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    async def _dead(self, process: BaseProcess) -> None:
        alive = process.is_alive()
        await killed(process)
        if not alive:
            raise RuntimeError(f"it ended by itself: {self.log()[-3000:]}")
        self.tally.kills += 1
        await asyncio.to_thread(self.book.note)

    def log(self) -> str:
        log = self.folder / "log"
        return log.read_text("utf-8", "replace") if log.exists() else ""


async def _once(begin: Callable[[int], Awaitable[object]], number: int) -> None:
    await begin(number)


def _of(debate: str, keys: list[str]) -> list[str]:
    return [key for key in keys if key.startswith(f"{debate}:")]


def question(number: int) -> str:
    return f"Should queue {number} of jobs live in PostgreSQL?"


async def in_room(folder: Path, url: str, kills: int, draw: Random) -> Tally:
    """Programs that ask over HTTP, under one key until they are answered, while it dies."""
    town = Town(folder, url, {}, draw)
    words = ("tokens", "add", "kills", "--scopes", "read,start", "--budget", "10000")
    token = await asyncio.to_thread(_printed, town.life, words)
    answers: dict[str, set[str]] = {}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as web:

        async def begin(number: int) -> None:
            key = f"queue-{number}"
            headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
            body = {"template": "triad", "target": question(number), "vote_window": "off"}
            for _ in range(3):  # the program does not believe the first two answers
                answers.setdefault(key, set()).add(
                    await _taken(web, town, headers, body | {"budget": 0.5})
                )

        tally = await town.under(kills, begin)
    tally.doubled += [f"{key} is {sorted(ids)}" for key, ids in answers.items() if len(ids) > 1]
    return tally


async def _taken(
    web: aiohttp.ClientSession, town: Town, headers: dict[str, str], body: dict[str, Any]
) -> str:
    while True:
        address = town.log().rpartition("ready ")[2].partition("\n")[0]
        try:
            url = f"{address}/api/v1/debates"
            async with web.post(url, headers=headers, json=body) as answer:
                if answer.status in (200, 201):
                    return str((await answer.json())["id"])
        except (aiohttp.ClientError, TimeoutError):
            pass  # it is dead just now
        await asyncio.sleep(0.2)


def _printed(life: Life, words: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bot", *words], cwd=life.folder, env=dict(life.env), check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


async def in_slack(folder: Path, url: str, kills: int, draw: Random) -> Tally:
    async with SlackStandIn() as slack:
        env = {
            "SLACK_API_URL": slack.url,
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
        }
        town = Town(folder, url, env, draw)
        channels = [f"C{n + 1}" for n in range(BATCH)]
        for channel in channels:
            slack.world.channel(channel)

        async def begin(number: int) -> None:
            channel = channels[number % BATCH]
            await slack.slash(f"triad {question(number)} --vote-window off", channel=channel)

        tally = await town.under(kills, begin)
        posts = rows(url, "SELECT place, key FROM outbox WHERE op = 'post' ORDER BY id")
        for channel in channels:
            messages = slack.world.channel(channel).messages.values()
            there = [m["metadata"]["event_payload"]["key"] for m in messages if "metadata" in m]
            keys = [key for place, key in posts if place.endswith(f"/{channel}")]
            for id in {key.partition(":")[0] for key in (*keys, *there)}:
                tally.compare(_of(id, keys), _of(id, there), channel)
        tally.doubled += slack.complaints
        return tally


async def in_discord(folder: Path, url: str, kills: int, draw: Random) -> Tally:
    async with DiscordStandIn() as discord:
        env = {
            "DISCORD_TOKEN": discord.token,
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
        }
        town = Town(folder, url, env, draw)

        async def begin(number: int) -> None:
            await discord.connected()
            options = {"template": "triad", "target": question(number), "vote_window": "0s"}
            await discord.command("start", options)

        tally = await town.under(kills, begin)
        database = await open_database(url)
        try:
            for (id,) in rows(url, "SELECT id FROM debate"):
                tally.lost += await untold(discord, database, id)
        finally:
            await database.close()
        tally.lost += discord.violations
        return tally


async def in_shell(folder: Path, _url: str, kills: int, draw: Random) -> Tally:
    """Plays each debate in a shell on a separate file, resumed until it ends by itself."""
    tally = Tally()
    while tally.kills < kills:
        home = folder / str(tally.debates)
        home.mkdir()
        url, words = str(home / "debate.db"), ("triad", question(tally.debates), "--json")
        book, one = Book(url, home / "ledger"), Tally()
        while True:
            process = Life(home, environment(home, url, **ENV), words).begin()
            await asyncio.sleep(draw.uniform(0.2, 3.0) if tally.kills < kills else LONGEST / 5)
            alive = process.is_alive()
            await killed(process)
            book.note()
            if not alive:
                break
            tally.kills += 1
            if ids := rows(url, "SELECT id FROM debate") if (home / "debate.db").exists() else []:
                words = ("resume", ids[0][0], "--json")
        one.count(url)
        tally.debates += 1
        tally.calls += book.calls
        tally.again += book.again
        tally.lost += one.lost
        tally.doubled += one.doubled
        shutil.rmtree(home)
    return tally


async def at_steps(folder: Path, url: str, kills: int, draw: Random) -> Tally:
    """Kills between an effect and the commit that notes it; the thread is a file."""
    tally = Tally()
    with subprocess.Popen(  # noqa: ASYNC220 (it is talked to in threads)
        [sys.executable, "-m", "tests.bot.crashing"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        breeder = Breeder(process)
        counts = await asyncio.to_thread(_steps, breeder, folder)
        while tally.kills < kills:
            home = folder / str(tally.debates)
            home.mkdir()
            here = url if "://" in url else str(home / "debate.db")
            fates = [(kind := draw.choice(KINDS), draw.randint(1, counts[kind])) for _ in range(4)]
            died, lost = await asyncio.to_thread(_lives, breeder, here, home, fates)
            tally.kills += died
            tally.debates += 1
            end = await asyncio.to_thread(_reached, here, home)
            check(end, lost)
            tally.calls += end.paid
            if "://" in url:
                empty(url)
            shutil.rmtree(home)
        assert process.stdin is not None
        process.stdin.close()
    return tally


def _steps(breeder: Breeder, folder: Path) -> dict[str, int]:
    """Counts the steps of each kind in an unbroken life."""
    import json

    whole = folder / "whole"
    whole.mkdir()
    assert breeder.live(str(whole / "debate.db"), whole)["code"] == 0
    steps: dict[str, int] = json.loads((whole / "counts.json").read_text())
    return steps


def _lives(
    breeder: Breeder, url: str, folder: Path, fates: list[tuple[str, int]]
) -> tuple[int, int]:
    return killed_lives(breeder, url, folder, fates)


def _reached(url: str, folder: Path) -> Any:
    return asyncio.run(find(url, folder))


async def on_forges(folder: Path, url: str, kills: int, draw: Random) -> Tally:
    """Kills processes while they write a review and an issue that were approved."""
    tally = Tally()
    while tally.kills < kills:
        home = folder / str(tally.debates)
        home.mkdir()
        judged = await judged_in(home, url)
        async with stage(judged, home / "copy") as s:
            for _ in range(6):
                step, after = draw.randint(1, 12), draw.random() < 0.5
                if await s.life(step, after=after).end() != KILLED:
                    break
                tally.kills += 1
            assert await s.life().end() == 0
            try:
                await s.stands_once()
            except AssertionError as error:
                tally.doubled.append(f"what the forge holds: {error}")
        tally.debates += 1
        if url:
            await asyncio.to_thread(_emptied, url)
        shutil.rmtree(home)
    return tally


def _emptied(url: str) -> None:
    """Empties the database, with the events from the forge."""
    with psycopg.connect(url.replace("+psycopg", "")) as conn:
        for table in reversed(METADATA.sorted_tables):
            if table is not COMPATIBLE:  # a part of the schema
                conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table.name)))


SURFACES: dict[str, tuple[Callable[[Path, str, int, Random], Awaitable[Tally]], bool, int]] = {
    "shell": (in_shell, False, 100),
    "steps, SQLite": (at_steps, False, 150),
    "steps, PostgreSQL": (at_steps, True, 150),
    "room, SQLite": (in_room, False, 100),
    "room, PostgreSQL": (in_room, True, 100),
    "Slack, SQLite": (in_slack, False, 75),
    "Slack, PostgreSQL": (in_slack, True, 75),
    "Discord, SQLite": (in_discord, False, 75),
    "Discord, PostgreSQL": (in_discord, True, 75),
    "forges, SQLite": (on_forges, False, 50),
    "forges, PostgreSQL": (on_forges, True, 50),
}
"""The surfaces on which processes are killed, whether on PostgreSQL, and how many of a thousand
kills each gets.
"""


@asynccontextmanager
async def _place(on_server: str, folder: Path, name: str) -> AsyncIterator[str]:
    """Returns an empty database."""
    if not on_server:
        yield str(folder / "debate.db")
        return
    made = "".join(letter for letter in name.lower() if letter.isalpha())
    with psycopg.connect(on_server.replace("+psycopg", ""), autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {made}".encode())
    yield sa.make_url(on_server).set(database=made).render_as_string(hide_password=False)


async def _all(names: list[str], share: float, seed: int) -> bool:
    total, good = Tally(), True
    head = ("killed", "kills", "debates", "model calls", "lost", "doubled", "paid again")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    with postgres() as server:
        for name in names:
            surface, on_postgres, kills = SURFACES[name]
            with tempfile.TemporaryDirectory(prefix="bench-kills-") as base:
                folder = Path(base)
                async with _place(server if on_postgres else "", folder, name) as url:
                    if on_postgres and surface in (at_steps, on_forges):
                        await (await open_database(url)).close()
                    here = "" if surface is on_forges and not on_postgres else url
                    tally = await surface(folder, here, max(1, round(kills * share)), Random(seed))
            figures = (
                tally.kills, tally.debates, tally.calls, len(tally.lost), len(tally.doubled),
                tally.again,
            )  # fmt: skip
            print(f"| {name} | " + " | ".join(f"{n:,}" for n in figures) + " |", flush=True)
            for fault in (*tally.lost, *tally.doubled):
                print(f"    {fault}", flush=True)
            total.kills += tally.kills
            good = good and not (tally.lost or tally.doubled or tally.again)
    print(f"{total.kills:,} kills", flush=True)
    return good


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.outages kills")
    parser.add_argument("--kills", type=int, default=1000, help="over all surfaces")
    parser.add_argument("--only", nargs="*", choices=SURFACES, default=list(SURFACES))
    parser.add_argument("--seed", type=int, default=26)
    options = parser.parse_args(words)
    whole = sum(kills for _, _, kills in SURFACES.values())
    return 0 if asyncio.run(_all(options.only, options.kills / whole, options.seed)) else 1
