"""A network that swallows all packets: between a replica and its database, with and without another
replica, and between a bot and its platform.

The replica runs in a separate network with one cable to the database and one to the rest, and a
cable is pulled: nothing arrives, nothing is refused. Needs root, as networks do; everything is in
networks that no other process sees.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from storage.schema import open_database
from tests.bot.crashing import settings_for
from tests.origins import origin
from tests.project import ROOT
from tests.standins.programs import free_port
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tools.bench.outages.kills import ENV, LONGEST, Tally, question
from tools.bench.outages.lives import Book, Life, ended, environment, rows
from tools.bench.outages.servers import Server, ground

DATABASE, PEOPLE = "10.99.1", "10.99.2"
"""The two cables: .1 is this end, .2 the replica's."""
PORT = 20_765
DEBATES = 12
LATENCY = "4"
CUT = 60.0
"""Seconds."""
_INSIDE = "OUTAGES_NETWORK"
_WATCH = {"Authorization": "Bearer outages"}


def main(words: list[str]) -> int:
    if os.environ.get(_INSIDE) != "1":
        again = ["unshare", "--net", sys.executable, "-m", "tools.bench.outages", "partition"]
        env = {**os.environ, _INSIDE: "1"}
        return subprocess.run([*again, *words], cwd=ROOT, env=env, check=False).returncode
    _ip("link", "set", "lo", "up")
    for cable in (DATABASE, PEOPLE):
        _ip("addr", "add", f"{cable}.1/32", "dev", "lo")
    wrong = 0
    for name, play in (("survivor", _beside), ("alone", _alone), ("platform", _platform)):
        if words and name not in words:
            continue
        with ExitStack() as stack:
            server = Server(
                stack.enter_context(ground()) / "first", free_port(), f"127.0.0.1,{DATABASE}.1"
            )
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            stack.callback(server.end)
            wrong += asyncio.run(play(server, home))
    return int(wrong > 0)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Replica:
    """``debate serve`` behind its two cables."""

    process: subprocess.Popen[str]

    def pull(self, cable: str) -> None:
        _ip("link", "set", _name(cable), "down")

    def plug(self, cable: str) -> None:
        _ip("link", "set", _name(cable), "up")
        _ip("route", "replace", f"{cable}.2/32", "dev", _name(cable), "src", f"{cable}.1")

    async def ready(self, status: int, seconds: float = LONGEST) -> float:
        """Returns the seconds until the replica has this status; -1 if it never has."""
        began = time.monotonic()
        timeout = aiohttp.ClientTimeout(total=5)
        async with aiohttp.ClientSession(timeout=timeout, headers=_WATCH) as web:
            while time.monotonic() - began < seconds:
                try:
                    async with web.get(f"http://{PEOPLE}.2:{PORT}/readyz") as answer:
                        if answer.status == status:
                            return time.monotonic() - began
                except (aiohttp.ClientError, TimeoutError):
                    pass
                await asyncio.sleep(0.1)
        return -1.0


def _name(cable: str) -> str:
    return f"out{cable[-1]}"


@asynccontextmanager
async def _replica(folder: Path, env: Mapping[str, str]) -> AsyncIterator[Replica]:
    more = {
        "DEBATE_HOST": f"{PEOPLE}.2", "DEBATE_PORT": str(PORT), "DEBATE_WATCH_TOKEN": "outages",
    }  # fmt: skip
    shell = f"read go; ip link set lo up; exec {sys.executable} -m bot serve"
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(  # noqa: ASYNC220
            ["unshare", "--net", "sh", "-c", shell], cwd=folder, env={**env, **more}, text=True,
            stdin=subprocess.PIPE, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        while _network(process.pid) == _network(os.getpid()):  # noqa: ASYNC110 (another process has no event)
            await asyncio.sleep(0.02)
        for cable in (DATABASE, PEOPLE):
            _wire(cable, process.pid)
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        one = Replica(process)
        if await one.ready(200) < 0:
            raise RuntimeError((folder / "log").read_text("utf-8", "replace")[-3000:])
        yield one
    finally:
        process.terminate()
        process.wait()
        for cable in (DATABASE, PEOPLE):
            with suppress(subprocess.CalledProcessError):  # it goes with its other end
                _ip("link", "del", _name(cable))


def _network(pid: int) -> Path:
    return Path(f"/proc/{pid}/ns/net").readlink()


def _wire(cable: str, pid: int) -> None:
    _ip("link", "add", _name(cable), "type", "veth", "peer", "name", "in", "netns", str(pid))
    inside = f"cable{cable[-1]}"
    within = ["nsenter", "-t", str(pid), "-n", "ip"]
    for words in (
        ["link", "set", "in", "name", inside],
        ["addr", "add", f"{cable}.2/24", "dev", inside],
        ["link", "set", inside, "up"],
    ):
        subprocess.run([*within, *words], check=True, capture_output=True)
    _ip("link", "set", _name(cable), "up")
    _ip("route", "add", f"{cable}.2/32", "dev", _name(cable), "src", f"{cable}.1")


async def _made(server: Server) -> tuple[str, str]:
    """Makes the database and returns its address from here, and from behind the cable."""
    server.make()
    server.begin()
    server.ask("CREATE DATABASE debates")
    here = f"postgresql+psycopg://postgres@{server.address}/debates"
    await (await open_database(here)).close()
    return here, here.replace("127.0.0.1", f"{DATABASE}.1")


async def _ask(url: str, folder: Path) -> None:
    async with open_parts(settings_for(url, folder), shell=False) as parts:
        for n in range(DEBATES):
            request = DebateRequest(
                "triad", question(n), "shell:bench", "shell:bench", vote_window=0.0
            )
            await parts.service.take(request, origin(f"partition-{n}"))


async def _until(what: Callable[[], Awaitable[bool]], seconds: float = LONGEST) -> float:
    """Returns the seconds until ``what`` is true, -1 if it never was."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if await what():
            return time.monotonic() - began
        await asyncio.sleep(0.1)
    return -1.0


async def _count(url: str, query: str) -> int:
    return int((await asyncio.to_thread(rows, url, query))[0][0])


_RUNNING = "SELECT count(*) FROM debate WHERE status NOT IN ('finished', 'stopped', 'failed')"
_EVENTS = "SELECT count(*) FROM event"


def _report(folder: Path, url: str, book: Book, tally: Tally) -> int:
    book.note()
    tally.calls, tally.again = book.calls, book.again
    tally.count(url)
    log = (folder / "log").read_text("utf-8", "replace")
    print(
        f"  {tally.debates} debates, {tally.calls} model calls, lost {len(tally.lost)}, doubled "
        f"{len(tally.doubled)}, paid again {tally.again}, stack traces {log.count('Traceback')}",
        flush=True,
    )
    for fault in (*tally.lost, *tally.doubled):
        print(f"    {fault}")
    return len(tally.lost) + len(tally.doubled) + tally.again


async def _beside(server: Server, folder: Path) -> int:
    here, there = await _made(server)
    book = Book(here, folder / "ledger")
    env = environment(folder, there, **ENV, DEBATE_SCRIPTED_LATENCY=LATENCY)
    async with _replica(folder, env) as replica:
        await _ask(here, folder)
        await _until(lambda: _at_least(here, f"{_EVENTS} WHERE kind = 'turn_finished'", DEBATES))
        ours = "SELECT DISTINCT owner FROM debate WHERE owner <> ''"
        (owner,) = (one for (one,) in await asyncio.to_thread(rows, here, ours))
        other = Life(folder, {**env, "DEBATE_DATABASE_URL": here}, ("serve",)).begin()
        await _until(lambda: _both(folder))
        replica.pull(DATABASE)
        at = time.monotonic()
        book.note()
        held = f"{_RUNNING} AND owner = '{owner}'"
        print(f"a replica that plays {await _count(here, held)} debates loses the database")
        taken = asyncio.create_task(_until(lambda: _none(here, held)))
        print(f"  it says that it is not ready after {await replica.ready(503):.1f} s", flush=True)
        print(f"  all its debates are another one's or over after {await taken:.1f} s", flush=True)
        await asyncio.sleep(max(0.0, CUT - (time.monotonic() - at)))
        replica.plug(DATABASE)
        print(f"  ready again {await replica.ready(200):.1f} s after the cable is back", flush=True)
        await _until(lambda: _none(here, _RUNNING))
        other.terminate()
        await ended(other)
    return _report(folder, here, book, Tally())


async def _both(folder: Path) -> bool:
    return (folder / "log").read_text("utf-8", "replace").count("the bot runs") > 1


async def _none(url: str, query: str) -> bool:
    return not await _count(url, query)


async def _at_least(url: str, query: str, least: int) -> bool:
    return await _count(url, query) >= least


async def _alone(server: Server, folder: Path) -> int:
    here, there = await _made(server)
    book = Book(here, folder / "ledger")
    env = environment(folder, there, **ENV, DEBATE_SCRIPTED_LATENCY=LATENCY)
    async with _replica(folder, env) as replica:
        await _ask(here, folder)
        await _until(lambda: _at_least(here, f"{_EVENTS} WHERE kind = 'turn_finished'", DEBATES))
        replica.pull(DATABASE)
        at = time.monotonic()
        await asyncio.sleep(1.0)
        book.note()
        before = await _count(here, _EVENTS)
        print("a replica alone loses the database")
        print(f"  it says that it is not ready after {1 + await replica.ready(503):.1f} s")
        await asyncio.sleep(max(0.0, CUT - (time.monotonic() - at)))
        replica.plug(DATABASE)
        goes_on = asyncio.create_task(_until(lambda: _at_least(here, _EVENTS, before + 1)))
        print(f"  ready again {await replica.ready(200):.1f} s after the cable is back", flush=True)
        print(f"  debates go on after {await goes_on:.1f} s", flush=True)
        over = await _until(lambda: _none(here, _RUNNING))
        print(f"  all over {over:.1f} s later; the process is the same: "
              f"{replica.process.poll() is None}", flush=True)  # fmt: skip
    return _report(folder, here, book, Tally())


async def _platform(server: Server, folder: Path) -> int:
    here, there = await _made(server)
    book, tally = Book(here, folder / "ledger"), Tally()
    async with SlackStandIn(host=f"{PEOPLE}.1") as slack:
        env = environment(
            folder, there, **ENV, DEBATE_SCRIPTED_LATENCY=LATENCY, SLACK_API_URL=slack.url,
            SLACK_BOT_TOKEN=BOT_TOKEN, SLACK_APP_TOKEN=APP_TOKEN,
        )  # fmt: skip
        channels = [f"C{n + 1}" for n in range(6)]
        for channel in channels:
            slack.world.channel(channel)
        async with _replica(folder, env) as replica:
            await asyncio.gather(*(
                slack.slash(f"triad {question(n)} --vote-window off", channel=channel)
                for n, channel in enumerate(channels)
            ))  # fmt: skip
            sent = "SELECT count(*) FROM outbox WHERE op = 'post' AND state = 'sent'"
            await _until(lambda: _at_least(here, sent, len(channels)))
            replica.pull(PEOPLE)
            print("a bot loses its platform in the middle of six threads", flush=True)
            await asyncio.sleep(CUT)
            left, before = await _count(here, _RUNNING), await _count(here, sent)
            print(f"  debates that still run after {CUT:g} s: {left} of 6", flush=True)
            replica.plug(PEOPLE)
            first = await _until(lambda: _at_least(here, sent, before + 1))
            print(f"  the next post after {first:.1f} s", flush=True)
            waiting = "SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')"
            rest = await _until(lambda: _none(here, waiting))
            print(f"  the last one {rest:.1f} s later", flush=True)
            await _until(lambda: _none(here, _RUNNING))
            began = time.monotonic()
            await slack.slash("list", channel="C1")
            print(f"  a command is heard {time.monotonic() - began:.1f} s later", flush=True)
        posts = rows(here, "SELECT place, key FROM outbox WHERE op = 'post' ORDER BY id")
        for channel in channels:
            messages = slack.world.channel(channel).messages.values()
            there_are = [m["metadata"]["event_payload"]["key"] for m in messages if "metadata" in m]
            keys = [key for place, key in posts if place.endswith(f"/{channel}")]
            tally.compare(keys, there_are, channel)
    return _report(folder, here, book, tally)
