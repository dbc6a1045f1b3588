"""A disk that is full, a database that may not be written and a file system that broke, under a
running bot with six debates in Slack, and the answers of all commands that write; SQLite.

The disks are real: a tmpfs of a few MB, and an ext4 in a file (its files made immutable, then an
error reported to its error handling), in a separate mount namespace. That takes root's rights.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from sqlite3 import connect

from storage.database import database_url
from storage.database.engines import create_engine
from storage.schema import FIRST, migrate, open_database
from tests.project import ROOT
from tests.standins.programs import free_port
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tools.bench.outages.kills import ENV, LONGEST, Tally, question
from tools.bench.outages.lives import Book, environment, ready, rows, serving

_INSIDE = "OUTAGES_MOUNTS"
_SIZE = 48
"""MB of the small disks."""
_AWAY = 10.0
"""Seconds for which a disk takes nothing."""
_DEBATES = 6
_SPOKEN = "(SELECT DISTINCT debate_id FROM event WHERE kind = 'turn_finished')"
_OVER = "('finished', 'stopped', 'failed')"


def main(words: list[str]) -> int:
    if os.environ.get(_INSIDE) != "1":
        again = ["unshare", "--mount", sys.executable, "-m", "tools.bench.outages", "disk"]
        env = {**os.environ, _INSIDE: "1"}
        return subprocess.run([*again, *words], cwd=ROOT, env=env, check=False).returncode
    plays = {"full": _full, "immutable": _immutable, "broken": _broken}
    return int(sum(asyncio.run(plays[name]()) for name in words or plays) > 0)


def missing() -> str:
    """Returns the reason why this machine can't play it, "" if there is none."""
    if os.geteuid():
        return "mounting a small disk needs root's rights"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True,
        check=False, text=True,
    )  # fmt: skip
    return tried.stderr.strip()


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


@contextmanager
def _tmpfs() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        _run("mount", "-t", "tmpfs", "-o", f"size={_SIZE}m", "tmpfs", name)
        try:
            yield Path(name)
        finally:
            _run("umount", "-l", name)


class _Ext4:
    """A file system in a file, which can be made to break and be repaired."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder
        image.write_bytes(b"")
        os.truncate(image, _SIZE << 20)
        _run("mkfs.ext4", "-q", str(image))

    def mount(self) -> None:
        _run("mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.folder))

    def umount(self) -> None:
        _run("umount", str(self.folder))

    def fail(self) -> None:
        source = ["findmnt", "-n", "-o", "SOURCE", str(self.folder)]
        device = subprocess.run(source, check=True, capture_output=True, text=True).stdout.strip()
        (Path("/sys/fs/ext4") / Path(device).name / "trigger_fs_error").write_text("1")

    def repair(self) -> None:
        self.umount()
        subprocess.run(["e2fsck", "-fy", str(self.image)], capture_output=True, check=False)
        self.mount()


class _Scene:
    """A bot in Slack on a separate disk, and the results."""

    def __init__(self, folder: Path, slack: SlackStandIn) -> None:
        self.folder, self.slack = folder, slack
        self.url = str(folder / "debate.db")
        self.old = str(folder / "old.db")
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.env = environment(
            folder, self.url, **ENV, SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=BOT_TOKEN,
            SLACK_APP_TOKEN=APP_TOKEN, DEBATE_SCRIPTED_LATENCY="1",
        )  # fmt: skip
        self.book = Book(self.url, folder / "ledger")
        self.channels = [f"C{n + 1}" for n in range(_DEBATES)]
        self.faults: list[str] = []
        for channel in self.channels:
            slack.world.channel(channel)

    def play_one(self) -> str:
        """Plays a debate in the shell and returns its id."""
        code, output = self.typed("triad", question(99), terminal=False, url=self.url)
        if code:
            raise RuntimeError(output)
        return str(rows(self.url, "SELECT id FROM debate")[0][0])

    async def begin(self) -> None:
        for n, channel in enumerate(self.channels):
            await self.slack.slash(f"triad {question(n)} --vote-window off", channel=channel)
        await self.until(lambda: self.count(_SPOKEN) > _DEBATES)

    @property
    def answers(self) -> list[str]:
        """Returns the private answers that people got."""
        return [str(one.get("text", "")) for one in self.slack.responses]

    def count(self, what: str) -> int:
        return int(rows(self.url, f"SELECT count(*) FROM {what}")[0][0])  # noqa: S608 (our words)

    async def until(self, what: Callable[[], bool], seconds: float = LONGEST) -> float:
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            with suppress(Exception):  # a reader, too, may be refused while the disk takes nothing
                if await asyncio.to_thread(what):
                    return time.monotonic() - began
            await asyncio.sleep(0.2)
        return -1.0

    def is_over(self) -> bool:
        waiting = "outbox WHERE state IN ('pending', 'sending')"
        running = f"debate WHERE status NOT IN {_OVER}"
        return not self.count(running) and not self.count(waiting)

    def note(self, fault: str) -> None:
        self.faults.append(fault)

    def typed(self, *words: str, terminal: bool, url: str) -> tuple[int, str]:
        """Runs a command of the shell on that disk and returns its exit code and what it said."""
        command = [sys.executable, "-m", "bot", *words]
        if terminal:
            command = ["script", "-qec", shlex.join(command), "/dev/null"]
        env = {**self.env, "DEBATE_DATABASE_URL": url}
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, check=False,
            timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        output = done.stderr.strip() or done.stdout.strip()
        if "Traceback" in output:
            self.note(f"`debate {' '.join(words)}` ends in a stack trace")
        return done.returncode, output

    def report(self, name: str) -> int:
        tally = Tally()
        self.book.note()
        tally.calls, tally.again = self.book.calls, self.book.again
        tally.count(self.url)
        posts = rows(self.url, "SELECT place, key FROM outbox WHERE op = 'post' ORDER BY id")
        for channel in self.channels:
            messages = self.slack.world.channel(channel).messages.values()
            there = [m["metadata"]["event_payload"]["key"] for m in messages if "metadata" in m]
            mine = [key for place, key in posts if place.endswith(f"/{channel}")]
            tally.compare(mine, there, channel)
        log = (self.folder / "log").read_text("utf-8", "replace")
        print(
            f"  {name}: {tally.debates} debates, {len(posts)} posts, {tally.calls} model calls, "
            f"lost {len(tally.lost)}, doubled {len(tally.doubled)}, paid again {tally.again}, "
            f"stack traces in the log {log.count('Traceback')}",
            flush=True,
        )
        for fault in (*tally.lost, *tally.doubled, *self.faults):
            print(f"    {fault}", flush=True)
        return len(tally.lost) + len(tally.doubled) + tally.again + len(self.faults)


@asynccontextmanager
async def _scene(folder: Path) -> AsyncIterator[_Scene]:
    async with SlackStandIn() as slack:
        scene = _Scene(folder, slack)
        await (await open_database(scene.url)).close()
        _make_old(scene.old)
        yield scene


def _make_old(file: str) -> None:
    """Makes a database of the first release."""
    url = database_url(file)
    engine = create_engine(url, begin="BEGIN IMMEDIATE", size=1, foreign_keys=False)
    with engine.begin() as conn:
        migrate(conn, FIRST)
    engine.dispose()


WRITES = {
    "an export": ("export", "{id}", "html"),
    "a receipt": ("receipt", "{id}"),
    "a backup": ("db", "backup", "copy.db"),
    "a new debate": ("triad", "Is a full disk told?"),
    "a deletion": ("forget", "{id}", "--yes"),
    "a migration": ("db", "upgrade"),
}
"""The commands that write, by what they write."""
_FILES = ("an export", "a receipt")
"""The commands that make a file on a terminal."""
_AWAY_WORDS = "The database can't be used now"
_OURS = ("debate.db", "old.db", "ledger", "log")


def _typed_on(scene: _Scene, what: str, id: str, *, refused: bool) -> None:
    """Runs one command that writes, on a terminal if the command makes a file there."""
    words = [word.format(id=id) for word in WRITES[what]]
    before = set(scene.folder.rglob("*"))
    url = scene.old if what == "a migration" else scene.url
    code, output = scene.typed(*words, terminal=what in _FILES, url=url)
    new = (path.name for path in set(scene.folder.rglob("*")) - before)
    left = sorted(name for name in new if not name.startswith(_OURS))
    print(f"  {what}: exit {code}: {output.splitlines()[-1][:160] if output else ''}", flush=True)
    if refused and not code:
        scene.note(f"{what} is not refused")
    if refused and left:
        scene.note(f"{what} leaves {', '.join(left)} behind")
    if not refused and code:
        scene.note(f"{what} does not work again: {output}")


async def _all_refused(scene: _Scene, finished: str) -> None:
    """Tries a command in Slack and every write of the shell on a disk that takes nothing."""
    try:
        (scene.folder / "probe").write_text("x")
        (scene.folder / "probe").unlink()
        scene.note("the disk takes what is written")
    except OSError as error:
        print(f"  the disk: {error.strerror}", flush=True)
    await scene.slack.slash("triad Is a full disk told?", channel="C1")
    await scene.until(lambda: _AWAY_WORDS in "".join(scene.answers), 20.0)
    print(f"  a command in Slack: {scene.answers[-1:]}", flush=True)
    if _AWAY_WORDS not in "".join(scene.answers):
        scene.note("a command in Slack is not answered in words")
    for what in WRITES:
        await asyncio.to_thread(_typed_on, scene, what, finished, refused=True)


async def _all_over(scene: _Scene, finished: str) -> None:
    """Waits for the end of all debates and tries every write again."""
    print(f"  all over {await scene.until(scene.is_over):.1f} s later", flush=True)
    for what in WRITES:
        await asyncio.to_thread(_typed_on, scene, what, finished, refused=False)


async def _taking_nothing(
    scene: _Scene, finished: str, stop: Callable[[], None], go_on: Callable[[], None]
) -> None:
    """Lets the disk take nothing for a while, tries every write, and waits for the end."""
    scene.book.note()
    stop()
    print(f"  not ready after {await ready(scene.address, 503, 5.0):.1f} s", flush=True)
    await _all_refused(scene, finished)
    await asyncio.sleep(_AWAY)
    scene.book.note()
    go_on()
    print(f"  ready {await ready(scene.address, 200):.1f} s after there is room", flush=True)
    await _all_over(scene, finished)


@contextmanager
def _ext4() -> Iterator[_Ext4]:
    with tempfile.TemporaryDirectory() as image, tempfile.TemporaryDirectory() as name:
        disk = _Ext4(Path(image) / "disk", Path(name))
        disk.mount()
        try:
            yield disk
        finally:
            _run("umount", "-l", name)


async def _immutable() -> int:
    """Makes the database's files and their folder unwritable for a while."""
    with _ext4() as disk:
        async with _scene(disk.folder) as scene:

            def may_write(sign: str) -> None:
                files = [str(path) for path in disk.folder.glob("*.db*")]
                _run("chattr", f"{sign}i", *files, str(disk.folder))

            finished = await asyncio.to_thread(scene.play_one)
            async with serving(disk.folder, scene.env, scene.port) as process:
                await scene.begin()
                stop, go_on = partial(may_write, "+"), partial(may_write, "-")
                await _taking_nothing(scene, finished, stop, go_on)
                if process.poll() is not None:
                    scene.note("the process did not live on")
            return scene.report("a database that may not be written")


async def _broken() -> int:
    """Breaks the file system under the bot until it is repaired, for which the bot has to go."""
    with _ext4() as disk:
        async with _scene(disk.folder) as scene:
            finished = await asyncio.to_thread(scene.play_one)
            async with serving(disk.folder, scene.env, scene.port):
                await scene.begin()
                scene.book.note()
                disk.fail()
                print(f"  not ready after {await ready(scene.address, 503, 5.0):.1f} s", flush=True)
                await _all_refused(scene, finished)
                scene.book.note()
            disk.repair()
            async with serving(disk.folder, scene.env, scene.port):
                await _all_over(scene, finished)
            return scene.report("a file system that broke")


async def _full() -> int:
    with _tmpfs() as folder:
        async with _scene(folder) as scene:
            filler = folder / "filler"

            def fill() -> None:
                """Empties the log of the database first: in it SQLite would write on for long."""
                with closing(connect(scene.url)) as conn:
                    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                with filler.open("wb", buffering=0) as file, suppress(OSError):
                    while True:
                        file.write(bytes(4096))

            finished = await asyncio.to_thread(scene.play_one)
            async with serving(folder, scene.env, scene.port) as process:
                await scene.begin()
                await _taking_nothing(scene, finished, fill, filler.unlink)
                if process.poll() is not None:
                    scene.note("the process did not live on")
            return scene.report("a full disk")
