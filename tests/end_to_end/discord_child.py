"""``debate serve`` in a process that can be killed, and the truth about what it was to post:
Discord's side against the store's.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from adapters.discord.outgoing.layout import layout
from bot.posting.record import incoming
from storage.claims import EDITS
from storage.database import Database
from storage.debates import Debates
from storage.outbox import Outbox
from storage.schema import open_database
from storage.tables import OUTBOX
from tests.end_to_end import nursery
from tests.project import ROOT
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_rest import Call
from tests.standins.discord_world import PUBLIC_THREAD, render
from tests.standins.github import GitHubStandIn

UNPACED = (sys.executable, "-m", "tests.end_to_end.unpaced")
EFFECTS = ("POST", "PUT", "PATCH", "DELETE")


def environment(folder: Path, discord: DiscordStandIn, github: GitHubStandIn) -> dict[str, str]:
    ours = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_SCRIPTED_LATENCY": "0.05",
        "DEBATE_SCRIPTED_LEDGER": str(folder / "ledger"),
        "DEBATE_DATABASE_URL": str(folder / "debate.db"),
        "DEBATE_PORT": "0",
        "DISCORD_TOKEN": discord.token,
        "DISCORD_API_URL": discord.api_url,
        "DISCORD_GATEWAY_URL": discord.gateway_url,
        "GITHUB_API_URL": github.url,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
    }
    return {**os.environ, **ours}


@dataclass
class Child:
    """Runs ``debate serve`` again and again on one database.

    ``killed`` counts the deaths that a test has caused.
    """

    discord: DiscordStandIn
    github: GitHubStandIn
    folder: Path
    process: nursery.Popen | None = None
    killed: int = 0
    effects: list[str] = field(default_factory=list)
    """The effects on Discord for the debate, in order: method and kind of path."""
    in_flight: list[int] = field(default_factory=list)
    """The number of calls that were not settled when the process died, for each death."""

    async def start(self) -> None:
        if self.process is not None:
            await asyncio.to_thread(self.process.wait)
            begun = self.count("state <> 'done'") - sum(self.in_flight)
            self.in_flight.append(begun)
        env = environment(self.folder, self.discord, self.github)
        with (self.folder / "log").open("ab") as log:
            self.process = nursery.Popen(
                [*UNPACED, "serve"], cwd=self.folder, env=env, stdout=log, stderr=log
            )

    async def stop(self) -> None:
        """Stops the process as an operator would; its exit code is of no interest when it was
        killed before.
        """
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(self.process.wait)

    def count(self, condition: str) -> int:
        """Returns the number of calls of models in the store for which a condition is true."""
        file = f"file:{self.folder / 'debate.db'}?mode=ro"
        with closing(sqlite3.connect(file, uri=True)) as store:
            query = f"select count(*) from llm_call where {condition}"  # noqa: S608  ours
            return int(store.execute(query).fetchone()[0])

    def paid(self) -> list[str]:
        """Returns the requests that a model answered, in all lives."""
        lines = (self.folder / "ledger").read_text("utf-8").splitlines()
        return [json.loads(line)["request"] for line in lines]

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def kill_at(self, points: Sequence[int], *, before: bool = False) -> None:
        """Kills the process at these effects on Discord, counted from 0 over all its lives: right
        after one, before it hears of it, or right ``before`` one.
        """

        def tap(call: Call, done: bool) -> None:
            if call.method not in EFFECTS or not call.path.startswith("/channels"):
                return
            if done:
                self.effects.append(f"{call.method} {call.template}")
            due = len(self.effects) - 1 if done else len(self.effects)
            alive = self.process is not None and self.process.poll() is None
            if done is not before and due in points and self.killed < len(points) and alive:
                assert self.process is not None
                self.process.kill()
                self.killed += 1

        self.discord.rest.tap = tap

    async def outlives(self, seconds: float = 250.0) -> str:
        """Starts the process again whenever it died, until its one debate is over and all is told;
        the debate's id.

        The id is the store's: a process that dies early answers no command.
        """
        end = asyncio.get_running_loop().time() + seconds
        async with stored(self.folder) as database:
            while not (id := await _settled(database)):
                if self.process is None or self.process.poll() is not None:
                    await self.start()
                assert asyncio.get_running_loop().time() < end, self.log()[-3000:]
                await asyncio.sleep(0.05)
        return id


async def _settled(database: Database) -> str:
    lines = await Debates(database).find_recent()
    over = bool(lines) and lines[0].status in ("finished", "failed", "stopped")
    return (
        lines[0].id if over and not (await Outbox(database).count_backlog(lines[0].id)).open else ""
    )


@asynccontextmanager
async def stored(folder: Path) -> AsyncIterator[Database]:
    """Opens the store, for a look from outside."""
    database = await open_database(str(folder / "debate.db"))
    try:
        yield database
    finally:
        await database.close()


async def untold(discord: DiscordStandIn, database: Database, debate: str) -> list[str]:
    """Returns every difference between what the store says was to be told of a debate and what
    stands in Discord; empty when all is well.
    """
    query = sa.select(OUTBOX).where(OUTBOX.c.debate_id == debate).order_by(OUTBOX.c.id)
    rows = await database.read(lambda conn: conn.execute(query).all())
    wrong, expected = list[str](), dict[str, list[tuple[str, str]]]()
    for row in rows:
        if row.op in EDITS:
            continue
        post = incoming(row.body)
        if row.state != "sent":
            wrong.append(f"{row.key} is {row.state}: {row.reason}")
            continue
        if row.op != "post":
            continue
        for id in row.ref["ids"]:
            channel, message, *_ = id.split("/")
            expected.setdefault(channel, []).append((message, row.key))
        if len(row.ref["ids"]) != len(layout(post, 1)):
            wrong.append(f"{row.key} stands in {len(row.ref['ids'])} messages")
    threads = {
        channel: messages
        for channel, messages in expected.items()
        if discord.world.channels[channel]["type"] == PUBLIC_THREAD
    }
    for channel, messages in threads.items():
        there = [
            message["id"]
            for message in discord.messages(channel)
            if message["author"] is discord.world.bot
        ]
        verdicts = {id for id, key in messages if key.endswith(":verdict")}  # may pass what waits
        in_order = [id for id, _ in messages if id not in verdicts]
        if [id for id in there if id not in verdicts] != in_order or not verdicts <= {*there}:
            wrong.append(
                f"in {channel}: {[render(m)[:60] for m in discord.messages(channel)]} "
                f"instead of {[key for _, key in messages]}"
            )
    outside = [
        channel
        for channel in discord.world.messages
        if discord.world.channels[channel]["type"] != PUBLIC_THREAD
    ]
    roots = [
        m["id"]
        for channel in outside
        for m in discord.messages(channel)
        if f"debate {debate}" in render(m)
    ]
    if sorted(roots) != sorted(threads):
        wrong.append(f"starters {roots} and threads {list(threads)}")
    return wrong
