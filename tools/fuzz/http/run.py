"""One run of the attack: its processes, its requests, its measurements."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from adapters.processes.environment import child_environment
from tests.standins.slack import BOT_TOKEN, SlackStandIn
from tools.fuzz.http.hostile import SECRET, Attack, Attacker

MEGA = 1_000_000
_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
_LIMITS = (
    "person-debates=40,place-debates=40,person-prices=1000000,place-prices=1000000,"
    "person-challenges=100000,place-challenges=100000"
)
"""Limits so high that the code behind them is reached, too."""
_IDLE = 150
"""The number of connections that are opened and left."""
_PATIENCE = 90.0
_SLOW = 0.3
_BEHIND = 10
"""The priority of the attackers behind the bot and its reader, since real attackers would use other
machines.
"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a run, in seconds and bytes."""

    busy: float = 0.05
    wait: float = 0.3
    growth: int = 300 * MEGA


@dataclass(slots=True)
class Found:
    """``answers`` counts by status, 0 for none; ``failed`` has the requests with the answer 500,
    shortened; ``pieces`` has the work that kept the loop busy for longest, as seconds of its
    processor time with a description, and ``clock`` the longest by the clock; ``others`` is the
    number of processors that other processes kept busy meanwhile; ``collection`` is the longest
    full garbage collection in any thread, and ``held`` the longest that the loop was due while
    other threads of its process computed, in seconds.
    """

    seed: int
    requests: int = 0
    seconds: float = 0.0
    addresses: int = 0
    answers: Counter[int] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    pieces: list[tuple[float, str]] = field(default_factory=list)
    clock: tuple[float, str] = (0.0, "")
    others: float = 0.0
    collection: float = 0.0
    held: float = 0.0
    grew: int = 0
    reader: dict[str, Any] = field(default_factory=dict)
    debates: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    log: str = ""
    survived: bool = False

    @property
    def busy(self) -> float:
        """Returns the longest time that the loop's thread computed without a pause, in seconds."""
        return self.pieces[0][0] if self.pieces else 0.0

    def lines(self) -> Iterator[str]:
        text = ", ".join(f"{status or 'none'}: {n:,}" for status, n in sorted(self.answers.items()))
        wait, path = self.reader.get("longest", (0.0, ""))
        yield (
            f"{self.requests:,} requests at {self.addresses} addresses in {self.seconds:.0f} s, "
            f"seed {self.seed}; answers {text}"
        )
        yield (
            f"the loop's longest own time  {self.busy * 1000:7.1f} ms of its processor time; "
            f"by the clock {self.clock[0] * 1000:.1f} ms, which others on the machine lengthen: "
            f"{self.clock[1][:500]}"
        )
        yield from (f"  {spent * 1000:.1f} ms, {what[:700]}" for spent, what in self.pieces)
        yield (
            f"the loop's longest time held {self.held * 1000:7.1f} ms at most, in which other "
            "threads of its process computed; it has no bound, as they may have done so beside it"
        )
        yield (
            f"beside it others kept {self.others:.1f} of the machine's {os.cpu_count()} processors "
            "busy: waits are by the clock, and count on an idle machine"
        )
        yield (
            f"the reader's longest wait    {wait * 1000:7.1f} ms  {path}; "
            f"of {self.reader['asked']:,} pages half took {self.reader['usual'] * 1000:.1f} ms "
            "at most, 99 of 100 "
            f"{self.reader['most'] * 1000:.1f} ms, {self.reader['failed']} failed; "
            f"the debate's own page grew from {self.reader['sizes'][0] // 1000:,} to "
            f"{self.reader['sizes'][1] // 1000:,} kB"
        )
        pages = (f"{path} {wait * 1000:.0f}" for path, wait in self.reader["slowest"].items())
        yield f"  the longest of each page, in ms: {', '.join(pages)}"
        yield f"the longest full collection   {self.collection * 1000:7.1f} ms of processor time"
        yield f"memory                       {self.grew / MEGA:7.1f} MB more at its most"
        yield f"answers that were 500        {self.answers[500]:7}"
        yield f"debates beside: {', '.join(f'{n} {name}' for name, n in self.debates.items())}"
        yield from (f"{n} of them failed: {why[:300]}" for why, n in self.failures.items())
        yield from (f"500: {line}" for line in self.failed[:3])
        yield from (f"{n} times: {what}" for what, n in broken(self.log).most_common(12))

    def beyond(self, bounds: Bounds) -> list[str]:
        complaints = []
        if self.answers[500] or not self.survived or self.reader.get("failed"):
            complaints.append("it failed or did not survive")
        if self.busy > bounds.busy:
            complaints.append(f"the loop was busy for more than {bounds.busy * 1000:.0f} ms")
        if self.reader["longest"][0] > bounds.wait:
            complaints.append(f"the reader waited for more than {bounds.wait * 1000:.0f} ms")
        if self.collection > bounds.busy:
            complaints.append(f"garbage was collected for more than {bounds.busy * 1000:.0f} ms")
        if self.grew > bounds.growth:
            complaints.append(f"it took more than {bounds.growth // MEGA} MB")
        return complaints


def broken(log: str) -> Counter[str]:
    """Returns the last lines of unexpected exceptions, with how often each came."""
    places_of: Counter[str] = Counter()
    for line in log.splitlines():
        with suppress(ValueError):
            trace = str(json.loads(line).get("exception") or "")
            ours = [each.strip() for each in trace.splitlines() if "/tests/" not in each]
            places = [
                each for each in ours if each.startswith("File") and "site-packages" not in each
            ]
            if ours:
                places_of[f"{ours[-1][:160]}  {places[-1][-110:] if places else ''}"] += 1
    return places_of


async def run(requests: int, seconds: float, seed: int, at_once: int = 8) -> Found:
    """Runs the attack for that many requests, or for that long."""
    report = Found(seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        async with SlackStandIn() as slack, _server(folder, slack) as (server, bot):
            cookie, token = await _entered(bot["link"])
            other, _ = await _entered(bot["other"])
            attacker = Attacker(
                bot["routes"],
                cookie,
                token,
                bot["debate"],
                other,
                urlsplit(bot["address"]).netloc,
                bot["bearer"],
                bot["theirs"],
            )
            report.addresses = len(bot["routes"])
            await _warm(bot, cookie)
            before = await _asked(server)
            machine, own = _busy(), _spent(before)
            async with _reader(bot, cookie) as reader, _idle(bot["address"]):
                os.setpriority(os.PRIO_PROCESS, 0, _BEHIND)
                began = monotonic()
                until = began + seconds if seconds else float("inf")
                await _attack(attacker, bot["address"], report, requests, until, at_once)
                report.seconds = monotonic() - began
                report.reader = await _ended(reader)
            try:
                after = await _asked(server)
            except ValueError:
                lines = (folder / "log").read_text("utf-8", "replace").splitlines()
                plain = "\n".join([each for each in lines if not each.startswith("{")][-80:])
                raise SystemExit(f"the server has ended ({server.returncode}): {plain}") from None
            report.others = (_busy() - machine - _spent(after) + own) / report.seconds
            report.pieces = [(spent, what) for spent, what in after["pieces"]]
            report.clock = (after["clock"][0], after["clock"][1])
            report.collection, report.held = after["collection"], after["held"]
            report.grew, report.debates = after["peak"] - before["memory"], after["debates"]
            report.failures = after["failures"]
            report.survived = server.returncode is None
        report.log = (folder / "log").read_text("utf-8", "replace")
    return report


async def _attack(
    attacker: Attacker, address: str, report: Found, requests: int, until: float, at_once: int
) -> None:
    numbers = iter(range(requests or sys.maxsize))

    async def one_after_the_other() -> None:
        for number in numbers:
            if monotonic() > until:
                return
            attack = attacker.attack(Random(f"{report.seed}:{number}"))
            status = await _sent(address, attack)
            report.requests += 1
            report.answers[status] += 1
            if status == 500:
                report.failed.append(f"{number}: {attack.name} {attack.data[:300]!r}"[:600])

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))


def _busy() -> float:
    """Returns the seconds for which the machine's processors have computed."""
    with Path("/proc/stat").open(encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _spent(probe: dict[str, Any]) -> float:
    """Returns the seconds of them that were ours: the server's, with the processes that it has
    ended, and this one's, with the reader's.
    """
    return float(probe["spent"]) + sum(os.times()[:4])


async def _sent(address: str, attack: Attack) -> int:
    """Sends an attack and returns the status of the answer, 0 for none."""
    url = urlsplit(address)
    try:
        async with asyncio.timeout(_PATIENCE):
            reader, writer = await asyncio.open_connection(url.hostname, url.port)
            try:
                if attack.slowly:
                    for at in range(0, min(len(attack.data), 60), 6):
                        writer.write(attack.data[at : at + 6])
                        await asyncio.sleep(_SLOW / 10)
                    return 0
                writer.write(attack.data)
                head = await reader.readline()
                if b"/live" not in attack.data[:200]:
                    await reader.read(4_000_000)
                return int(head.split()[1]) if head.startswith(b"HTTP/1") else 0
            finally:
                writer.close()
    except (OSError, ValueError, IndexError):  # TimeoutError is one
        return 0


@asynccontextmanager
async def _server(
    folder: Path, slack: SlackStandIn
) -> AsyncIterator[tuple[Process, dict[str, Any]]]:
    env = child_environment(
        {
            "DEBATE_MODELS": "scripted",
            "DEBATE_SCRIPTED": "1",
            "DEBATE_SCRIPTED_LATENCY": "0.2",
            "DEBATE_DATABASE_URL": str(folder / "debate.db"),
            "DEBATE_SIGNING_KEY": _KEY,
            "DEBATE_LIMITS": _LIMITS,
            "DEBATE_WATCH_TOKEN": SECRET,
            "GITHUB_WEBHOOK_SECRET": SECRET,
            "GITLAB_WEBHOOK_TOKEN": SECRET,
            "SLACK_API_URL": slack.url,
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_SIGNING_SECRET": SECRET,
            "PYTHONPATH": str(Path.cwd()),
            "PYTHONFAULTHANDLER": "1",
        }
    )
    with (folder / "log").open("wb") as log:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tools.fuzz.http.server", str(folder)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=log,
            env=env,
            limit=10 * MEGA,
        )
        try:
            try:
                line = await _line(server)
            except ValueError:
                text = (folder / "log").read_text("utf-8", "replace")[-3_000:]
                raise SystemExit(f"the server does not run: {text}") from None
            yield server, line
        finally:
            await _close(server)


@asynccontextmanager
async def _reader(book: dict[str, Any], cookie: str) -> AsyncIterator[Process]:
    url = urlsplit(book["address"])
    arguments = (str(url.hostname), str(url.port), cookie, book["debate"])
    reader = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tools.fuzz.http.honest", *arguments), stdin=PIPE, stdout=PIPE
    )
    try:
        yield reader
    finally:
        await _close(reader)


@asynccontextmanager
async def _idle(address: str) -> AsyncIterator[None]:
    """Holds connections that send nothing, or half a word."""
    url = urlsplit(address)
    pairs = [await asyncio.open_connection(url.hostname, url.port) for _ in range(_IDLE)]
    for number, (_, writer) in enumerate(pairs):
        writer.write(b"GET / HT"[: number % 9])
    try:
        yield
    finally:
        for _, writer in pairs:
            writer.close()


async def _entered(link: str) -> tuple[str, str]:
    """Returns the cookie and the token of a browser that followed the link."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
        async with web.get(link) as answer:
            page = await answer.text()
        cookies = "; ".join(f"{each.key}={each.value}" for each in web.cookie_jar)
    return cookies, page.partition('name="csrf" content="')[2].partition('"')[0]


async def _warm(book: dict[str, Any], cookie: str) -> None:
    """Requests every page once, since loading and compiling at the first use is not the attack's
    doing.
    """
    async with aiohttp.ClientSession(headers={"Cookie": cookie}) as web:
        for row in book["routes"]:
            if row["method"] == "GET" and not row["path"].endswith("/live"):
                path = row["path"].replace("{id}", book["debate"]).replace("{name}", "panel")
                async with web.get(book["address"] + path, allow_redirects=False) as answer:
                    await answer.read()


async def _asked(server: Process) -> dict[str, Any]:
    assert server.stdin is not None
    server.stdin.write(b"\n")
    return await _line(server)


async def _line(process: Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(_PATIENCE):
        document: dict[str, Any] = json.loads(await process.stdout.readline())
    return document


async def _ended(reader: Process) -> dict[str, Any]:
    assert reader.stdin is not None
    reader.stdin.close()
    line = await _line(reader)
    await reader.wait()
    return line


async def _close(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(20):
            await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()
