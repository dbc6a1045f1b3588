"""Two releases at once: ``python -m tools.bench.two_wheels [--debates 50] [--before COMMIT]``.

The wheels of this checkout (N) and of the last commit before its newest migration (N-1) share one
PostgreSQL. Two replicas of ``debate serve`` run from them while programs ask for debates over HTTP
and each replica is exchanged, N-1 to N and back. Counted are what was lost or doubled, model calls
that were paid again (by the provider's own book of prompts), and receipts of either release that
verify under both. It ends with 1 where anything of that is wrong, and says why.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import psycopg

from tests.project import ROOT
from tools.bench.installed import build
from tools.bench.served import KEPT, MODEL, Served, provider
from tools.bench.stores import postgres

ANSWER = 1.0
"""Seconds that an answer of the model takes."""
PACE = 0.2
"""Seconds between two debates that are asked for."""
START, STOP, ONE_ASK, WHOLE = 120.0, 90.0, 120.0, 600.0
"""Seconds that a replica may take to be ready and to stop, a program to be answered, all debates
to end: beyond them something hangs.
"""
_WATCH = {"Authorization": "Bearer two-wheels"}
_SETTINGS = {
    "DEBATE_MODELS": MODEL,
    "DEBATE_ASK_ABOVE": "1000",
    "DEBATE_SIGNING_KEY": "5a" * 32,
    "DEBATE_WATCH_TOKEN": "two-wheels",
    "DEBATE_LIMITS": "person-debates=10000,place-debates=10000",
    "DEBATE_MIGRATE": "0",
    "DEBATE_DRAIN": "60s",
}
_VERIFY = """
import sys
from debatebot.__main__ import main
failed = [name for name in sys.argv[1:] if main(["verify", name, "--stored"])]
print("FAILED", *failed, file=sys.stderr)
sys.exit(bool(failed))
"""


@dataclass(frozen=True)
class Release:
    """A wheel, unpacked next to this checkout's packages. ``tables`` is its newest migration."""

    name: str
    commit: str
    folder: Path
    tables: str


@dataclass
class Town:
    """The database, what every command finds in its environment, and the replicas by place."""

    folder: Path
    url: str
    model: Served
    replicas: dict[int, Replica] = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)

    def env(self, release: Release) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k in KEPT}
        more = {"PYTHONPATH": str(release.folder), "DEBATE_DATABASE_URL": self.url}
        return kept | self.model.env | _SETTINGS | more | {"HOME": str(self.folder)}

    def say(self, words: str) -> None:
        print(f"{time.monotonic() - self.begun:6.1f} s  {words}", flush=True)

    def run(self, release: Release, *words: str) -> str:
        """Runs one command of a release to its end."""
        ran = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=self.env(release), capture_output=True,
            text=True, check=False, timeout=WHOLE,
        )  # fmt: skip
        if ran.returncode:
            raise SystemExit(f"{release.name}: {words} ended with {ran.returncode}\n{ran.stderr}")
        return ran.stdout

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url.replace("postgresql+psycopg", "postgresql")) as conn:
            return conn.execute(query.encode()).fetchall()


@dataclass
class Replica:
    """``debate serve`` of a release."""

    release: Release
    process: asyncio.subprocess.Process
    address: str
    log: Path

    def cause(self, what: str) -> SystemExit:
        lines = self.log.read_text("utf-8", "replace").splitlines()[-15:]
        return SystemExit("\n".join([f"a replica of {self.release.name} {what}:", *lines]))


@dataclass
class Answers:
    """The answers to a program: the ids by key, each with its statuses."""

    ids: dict[str, Counter[str]] = field(default_factory=dict)
    again: int = 0


async def started(town: Town, release: Release, web: aiohttp.ClientSession) -> Replica:
    """Starts a replica and returns it once it is ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = town.folder / f"{release.name}-{port}.log"
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "debatebot", "serve", cwd=town.folder,
            env=town.env(release) | {"DEBATE_PORT": str(port)}, stdout=out, stderr=out,
        )  # fmt: skip
    replica = Replica(release, process, f"http://127.0.0.1:{port}", log)
    deadline = time.monotonic() + START
    while process.returncode is None and time.monotonic() < deadline:
        try:
            async with web.get(f"{replica.address}/readyz", headers=_WATCH) as answer:
                if answer.status == 200:
                    return replica
        except aiohttp.ClientError:
            pass  # it does not listen yet
        await asyncio.sleep(0.1)
    if process.returncode is None:
        process.kill()
    raise replica.cause("is not ready")


async def stopped(replica: Replica) -> None:
    replica.process.send_signal(signal.SIGTERM)
    try:
        code = await asyncio.wait_for(replica.process.wait(), STOP)
    except TimeoutError:
        replica.process.kill()
        raise replica.cause(f"did not stop in {STOP:.0f} s") from None
    if code:
        raise replica.cause(f"ended with {code}")


async def exchanged(town: Town, place: int, release: Release, web: aiohttp.ClientSession) -> None:
    """Exchanges a replica, the new one first, so that there are always two."""
    new = await started(town, release, web)
    old, town.replicas[place] = town.replicas[place], new
    await stopped(old)
    town.say(f"replica {place}: {old.release.name} to {release.name}")


async def ask(town: Town, number: int, token: str, answers: Answers, web: Any) -> None:
    """Requests one debate, under one key for as long as nobody has answered."""
    key = f"queue-{number}"
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    body = {
        "template": "triad", "target": f"Should queue {number} of jobs live in PostgreSQL?",
        "budget": 0.5, "vote_window": "off",
    }  # fmt: skip
    deadline, last, tries = time.monotonic() + ONE_ASK, "nobody", number
    while time.monotonic() < deadline:
        replica = town.replicas[tries % len(town.replicas)]
        tries += 1
        try:
            url = f"{replica.address}/api/v1/debates"
            async with web.post(url, headers=headers, json=body) as answer:
                reply = await answer.json(content_type=None)
                if answer.status in (200, 201):
                    answers.ids.setdefault(key, Counter())[reply["id"]] += 1
                    return
                last = f"{answer.status} {reply}"
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            last = repr(error)
        answers.again += 1
        await asyncio.sleep(0.2)
    raise SystemExit(f"{key} was not taken in {ONE_ASK:.0f} s; the last answer: {last}")


async def ask_many(town: Town, numbers: range, token: str, answers: Answers, web: Any) -> None:
    async with asyncio.TaskGroup() as group:
        for number in numbers:
            group.create_task(ask(town, number, token, answers, web))
            await asyncio.sleep(PACE)


async def ended(town: Town, count: int) -> None:
    """Waits until that many debates are over, with a line about each change."""
    deadline, before = time.monotonic() + WHOLE, ""
    while time.monotonic() < deadline:
        there = Counter(dict(town.rows("SELECT status, count(*) FROM debate GROUP BY 1")))
        if (now := ", ".join(f"{n} {status}" for status, n in sorted(there.items()))) != before:
            before = now
            town.say(now)
        if there["finished"] + there["stopped"] + there["failed"] >= count:
            return
        await asyncio.sleep(1.0)
    raise next(iter(town.replicas.values())).cause(f"holds debates that do not end ({before})")


async def receipts(town: Town, release: Release, token: str, ids: Sequence[str]) -> list[Path]:
    """Returns the receipts that a replica of the release issues."""
    headers, files = {"Authorization": f"Bearer {token}"}, []
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(timeout=timeout, headers=headers) as web:
        replica = next(
            (one for one in town.replicas.values() if one.release is release), None
        ) or await started(town, release, web)
        for id in ids:
            url = f"{replica.address}/api/v1/debates/{id}/receipt"
            async with web.get(url) as answer:
                if answer.status != 200:
                    raise replica.cause(f"issues no receipt ({answer.status})")
                files.append(town.folder / f"{release.name}-{id}.json")
                files[-1].write_bytes(await answer.read())
        if replica not in town.replicas.values():
            await stopped(replica)
    return files


@asynccontextmanager
async def running(town: Town, release: Release, web: Any) -> AsyncIterator[None]:
    """Runs two replicas and ends all of them at the end, whatever they were exchanged for."""
    try:
        for place in range(2):
            town.replicas[place] = await started(town, release, web)
        yield
        for replica in town.replicas.values():
            await stopped(replica)
    finally:
        for replica in town.replicas.values():
            if replica.process.returncode is None:
                replica.process.kill()
                await replica.process.wait()


async def rolled(town: Town, old: Release, new: Release, debates: int) -> list[str]:
    """Returns everything that is wrong, one line each."""
    town.run(old, "-m", "debatebot", "db", "upgrade")
    terms = ("--scopes", "read,start", "--budget", "10000")
    token = town.run(old, "-m", "debatebot", "tokens", "add", "wheels", *terms).strip()
    answers = Answers()
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as web:

        async def migrated() -> None:
            await asyncio.to_thread(town.run, new, "-m", "debatebot", "db", "upgrade")
            (version,) = town.rows("SELECT version_num FROM alembic_version")
            town.say(f"tables at {version[0]}, both replicas of {old.name}")

        order = ((0, new), (1, new), (0, old), (1, old))
        steps: list[Callable[[], Awaitable[None]]] = [migrated]
        steps += [partial(exchanged, town, at, to, web) for at, to in order]
        async with running(town, old, web):
            town.say(f"two replicas of {old.name} are ready")
            for number, step in enumerate(steps):
                part = range(debates * number // len(steps), debates * (number + 1) // len(steps))
                await asyncio.gather(ask_many(town, part, token, answers, web), step())
                town.say(f"{part.stop} debates asked for, {answers.again} requests made again")
            await ended(town, debates)
            ids = sorted(id for each in answers.ids.values() for id in each)
            files = {r: await receipts(town, r, token, ids) for r in (old, new)}
    wrong = counted(town, answers, ids, debates)
    for issuer, theirs in files.items():
        for release in (old, new):
            town.run(release, "-c", _VERIFY, *map(str, theirs))
            print(f"| receipts of {issuer.name} that verify under {release.name} | {len(theirs)} |")
    return wrong


def counted(town: Town, answers: Answers, ids: Sequence[str], debates: int) -> list[str]:
    """Prints the table, and returns the lines of it that are wrong."""
    statuses: dict[str, str] = dict(town.rows("SELECT id, status FROM debate"))
    lost = [id for id in ids if statuses.get(id) != "finished"]
    doubled = [key for key, each in answers.ids.items() if len(each) > 1]
    unasked = sorted(statuses.keys() - set(ids))
    turns = "SELECT debate_id, payload ->> 'turn' FROM event WHERE kind = "
    failed = town.rows(f"{turns}'turn_failed'")
    twice = town.rows(f"{turns}'turn_finished' GROUP BY 1, 2 HAVING count(*) > 1")
    epochs = "SELECT debate_id FROM event GROUP BY 1 HAVING count(DISTINCT epoch) > 2"
    calls = town.model.calls()
    paid_again = len(calls) - len({call["prompt"] for call in calls})
    lines = {
        "debates asked for": debates,
        "taken in": len(ids),
        "requests made again under their key": answers.again,
        "debates that went from one replica to another": len(town.rows(epochs)),
        "model calls": len(calls),
    }
    faults: dict[str, Sequence[object] | int] = {
        "lost: not finished": lost,
        "doubled: two debates for one key": doubled,
        "doubled: stored and not asked for": unasked,
        "turns that failed": failed,
        "turns that were spoken twice": twice,
        "model calls paid again": paid_again,
    }
    print("| | |\n|---|---|")
    for name, number in lines.items():
        print(f"| {name} | {number} |")
    wrong = []
    for name, fault in faults.items():
        number = fault if isinstance(fault, int) else len(fault)
        print(f"| {name} | {number} |")
        if number:
            wrong.append(f"{name}: {fault if isinstance(fault, int) else list(fault)[:5]}")
    if len(ids) != debates:
        wrong.append(f"{len(ids)} debates were taken in of {debates}")
    return wrong


def before_the_newest_migration() -> str:
    """Returns the last commit that knew one migration less. Raises ``SystemExit`` where git knows
    none.
    """
    migrations = sorted((ROOT / "storage" / "migrations" / "versions").glob("0*.py"))
    words = ["log", "--diff-filter=A", "--format=%H", "-1", "--", str(migrations[-1])]
    commit = _git(*words)
    if not commit:
        raise SystemExit("no history here: name the commit of the release before (--before)")
    return _git("rev-parse", "--short", f"{commit}^")


def _git(*words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def unpacked(folder: Path, name: str, commit: str) -> Release:
    """Unpacks the wheel of a commit, or of this checkout. Raises ``SystemExit`` if it can't be
    built.
    """
    folder.mkdir()
    try:
        wheel = build(folder, commit)
    except subprocess.CalledProcessError as error:
        reply = (error.stderr or b"").decode("utf-8", "replace")
        raise SystemExit(
            f"{name} ({commit or 'this checkout'}) can't be built here:\n{reply}"
        ) from None
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "wheel")
    code = "from debatebot.storage import schema; print(schema.__file__, schema.HEAD)"
    env = {**os.environ, "PYTHONPATH": str(folder / "wheel")}
    words = [sys.executable, "-c", code]
    ran = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=True)
    file, tables = ran.stdout.split()
    if not Path(file).is_relative_to(folder):
        raise SystemExit(f"{name} was not taken from its wheel but from {file}")
    return Release(name, commit or _git("rev-parse", "--short", "HEAD"), folder / "wheel", tables)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.two_wheels")
    parser.add_argument("--debates", type=int, default=50)
    parser.add_argument("--before", default="", metavar="COMMIT")
    options = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="bench-wheels-") as temporary:
        folder = Path(temporary)
        old = unpacked(folder / "before", "N-1", options.before or before_the_newest_migration())
        new = unpacked(folder / "now", "N", "")
        for each in (old, new):
            print(f"{each.name}: commit {each.commit}, tables {each.tables}", flush=True)
        (folder / "work").mkdir()
        with postgres() as url, provider(ANSWER) as model:
            town = Town(folder / "work", url, model)
            wrong = asyncio.run(rolled(town, old, new, options.debates))
    for line in wrong:
        print(f"WRONG: {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
