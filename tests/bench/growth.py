"""What grows with history: ``python -m tests.bench.growth [COUNT ...]``, on SQLite.

A store of so many debates (1,000, 10,000 and 100,000 where nothing is said) is made of six real
ones, played with the scripted model, and of copies of them, spread over two years, fifty
repositories, forty people; one in a hundred was resolved. Then what people and the bot itself ask
is measured: processor time of this process and wall time, both in milliseconds, medians of five;
for what can be done once only, once.
"""

from __future__ import annotations

import asyncio
import gc
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection, connect

from adapters.commands import parse
from adapters.commands.requests import Request
from adapters.ports.desk import Caller
from bot.debates.retention import Retention
from bot.debates.search_texts import SearchTextKeeper
from bot.wire.parts import Parts, open_parts
from core.events import DebateRequest
from storage.schedules import Schedule
from storage.schema import backup
from storage.tables import METADATA
from tests.bot.crashing import settings_for
from tests.bot.room.serving import Served, served
from tests.origins import origin

SIZES = (1_000, 10_000, 100_000)
_TEMPLATES = ("triad", "critique", "panel", "adversarial", "design_doc", "architecture_review")
_YEARS = timedelta(days=730)
_PEOPLE, _REPOSITORIES, _SCHEDULES = 40, 50, 100
_RARE = 10
"""Debates that hold the rare word, whatever the size."""
_RUNS = 5
_OLD = timedelta(days=10_000)
"""Nothing is that old before retention is asked."""
_MOVED = {"debate", "event", "outcome", "outbox", "llm_call", "debate_text", "message"}
"""Tables that hold something of each debate."""
_NAMING = ("payload", "document", "body", "key", "message")
"""Columns that hold a debate's id among other things."""
_NUMBERED = {("outbox", "id"), ("debate_text", "number")}


async def _played(folder: Path) -> list[str]:
    async with open_parts(settings_for(str(folder / "debate.db"), folder), shell=False) as parts:
        ids = []
        for number, template in enumerate(_TEMPLATES):
            question = f"Should queue {number} of jobs live in PostgreSQL?"
            place = "slack:T1/C1"
            request = DebateRequest(template, question, "slack:T1/U1", place, vote_window=0.0)
            ids.append(await parts.service.take(request, origin(f"growth-{number}")))
            await parts.advancer.advance(ids[-1])
        await SearchTextKeeper(parts.stores.debates, parts.stores.search, parts.clock).keep()
        return ids


def _copied(conn: Connection, bases: Sequence[str], count: int) -> None:
    """Copies under ids of the same length, each in all tables; the index of words is made anew."""
    now = datetime.now(UTC).replace(tzinfo=None)
    pragmas = ("journal_mode=OFF", "synchronous=OFF", "foreign_keys=OFF", "cache_size=-200000")
    for pragma in pragmas:
        conn.execute(f"PRAGMA {pragma}").fetchall()
    triggers = conn.execute("SELECT name, sql FROM sqlite_master WHERE type='trigger'").fetchall()
    for name, _ in triggers:
        conn.execute(f"DROP TRIGGER {name}")
    conn.execute(
        "CREATE TEMP TABLE copy (old TEXT, new TEXT, at TEXT, asker TEXT, repo TEXT, extra TEXT, "
        "held INTEGER)"
    )
    width = len(bases[0])
    conn.executemany(
        "INSERT INTO copy VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                bases[number % len(bases)],
                f"c{number:0{width - 1}}",
                str(now - _YEARS * (number + 1) / count),
                f"slack:T1/U{number % _PEOPLE}",
                f"github.com/acme/repo{number % _REPOSITORIES}",
                f" copy{number} " + ("zebra" if number % (count // _RARE) == 0 else ""),
                number % 2 if number % 100 == 0 else None,
            )
            for number in range(count - len(bases))
        ),
    )
    conn.execute("UPDATE outbox SET state = 'sent'")
    for name in sorted(_MOVED):
        conn.execute(_copies_of(name))
    conn.execute("INSERT INTO debate_words (debate_words) VALUES ('rebuild')")
    for _, sql in triggers:
        conn.execute(sql)
    conn.commit()


def _copies_of(name: str) -> str:
    table = METADATA.tables[name]
    key = "id" if name == "debate" else "debate_id"
    replaced = {
        key: "copy.new", "origin_key": "copy.new", "asker": "copy.asker", "created_at": "copy.at",
        "updated_at": "copy.at", "at": "copy.at", "concluded_at": "copy.at",
        "repository": "copy.repo", "words": "words || copy.extra", "held": "copy.held",
        **{c: f"replace({name}.{c}, copy.old, copy.new)" for c in _NAMING},
    }  # fmt: skip
    columns = [c.name for c in table.columns if (name, c.name) not in _NUMBERED]
    values = ", ".join(replaced.get(c, f"{name}.{c}") for c in columns)
    into = f"INSERT INTO {name} ({', '.join(columns)})"
    rows = f"copy CROSS JOIN {name} ON {name}.{key} = copy.old"
    return f"{into} SELECT {values} FROM {rows}"  # noqa: S608 (our own names)


async def _measured(name: str, do: Callable[[], Awaitable[object]], runs: int = _RUNS) -> None:
    cpu, wall = [], []
    for _ in range(runs):
        gc.collect()
        processor, clock = time.process_time(), time.perf_counter()
        await do()
        cpu.append(time.process_time() - processor)
        wall.append(time.perf_counter() - clock)
    print(
        f"  {name:<34} {1000 * statistics.median(cpu):9.1f} ms CPU "
        f"{1000 * statistics.median(wall):9.1f} ms",
        flush=True,
    )


def _asking(parts: Parts, words: str) -> Callable[[], Awaitable[object]]:
    ask: Request = parse(words.split(), templates=_TEMPLATES, prefix="debate")
    caller = Caller("slack:T1/U1", "slack:T1/C1", "growth", "debate")
    return lambda: parts.desk.take(ask, caller)


def _page(room: Served, path: str) -> Callable[[], Awaitable[object]]:
    async def get() -> None:
        status, text, _ = await room.get(path)
        if status != 200:
            raise RuntimeError(f"{path}: {status} {text[:200]}")

    return get


async def _readings(folder: Path, count: int) -> None:
    file = folder / "debate.db"
    begun = time.perf_counter()
    processor = time.process_time()
    async with served(folder) as room:
        print(
            f"  {'start':<34} {1000 * (time.process_time() - processor):9.1f} ms CPU "
            f"{1000 * (time.perf_counter() - begun):9.1f} ms"
        )
        parts, stores = room.parts, room.parts.stores
        one = f"c{7:0{len(await _any(parts)) - 1}}"
        for number in range(_SCHEDULES):
            await stores.schedules.add(_schedule(number))
        caller = Caller("slack:T1/U1", "slack:T1/C1", "growth", "debate")
        for name, do in (
            ("list", _asking(parts, "list")),
            ("show", _asking(parts, f"show {one}")),
            ("leaderboard", _asking(parts, "leaderboard")),
            ("Home", lambda: parts.desk.home(caller)),
            ("page: the list", _page(room, "/")),
            ("page: a debate", _page(room, f"/d/{one}")),
            ("page: search, a common word", _page(room, "/?q=queue")),
            ("page: search, a rare word", _page(room, "/?q=zebra")),
            ("page: search, no such word", _page(room, "/?q=xylophone")),
            ("page: search, two common words", _page(room, "/?q=queue+jobs")),
            ("page: repository", _page(room, "/?repository=acme/repo7")),
            ("page: no such repository", _page(room, "/?repository=acme/none")),
            ("page: person", _page(room, "/?person=U7")),
            ("page: costs", _page(room, "/costs")),
            ("page: leaderboard", _page(room, "/leaderboard")),
            ("page: schedules", _page(room, "/schedules")),
            ("runtime's look for work", stores.debates.find_runnable),
            ("retention's look", lambda: stores.forgetting.find_old(_before(), 50)),
            ("figures (/metrics)", stores.debates.count_by_status),
            ("delivery's look", stores.outbox.count_backlog),
        ):
            await _measured(name, do)
        await _deleted(room, file, count, one)
    copy = folder / "copy.db"
    await _measured("backup", lambda: asyncio.to_thread(backup, str(file), copy), 1)
    copy.unlink()


async def _deleted(room: Served, file: Path, count: int, one: str) -> None:
    parts, log = room.parts, file.with_name("debate.db-wal")
    await parts.stores.database.checkpoint()
    retention: Retention = parts.retention

    single = iter([f"c{number:0{len(one) - 1}}" for number in range(7, 7 + _RUNS)])

    async def forget() -> None:
        await retention.delete(await parts.service.load(next(single)), "asked")

    await _measured("forget one debate", forget)
    written = log.stat().st_size / _RUNS / 1024
    print(f"  {'  written by each':<34} {written:9.0f} KB")
    oldest = await parts.stores.forgetting.find_old(_now(), min(1000, count // 2))

    async def thousand() -> None:
        for id in oldest:
            await retention.delete(await parts.service.load(id), "kept for a year")

    await _measured(f"retention of {len(oldest)}", thousand, 1)


async def _any(parts: Parts) -> str:
    return (await parts.service.list(limit=1))[0].id


def _now() -> datetime:
    return datetime.now(UTC)


def _before() -> datetime:
    return _now() - _OLD


def _schedule(number: int) -> Schedule:
    at = _now() + timedelta(days=100 + number)
    return Schedule(
        f"s{number}", "0 9 * * *", "UTC", 3600.0, at, "triad", f"question {number}",
        "slack:T1/C1", "slack:T1/U1", _now(),
    )  # fmt: skip


async def main() -> None:
    sizes = [int(word.replace(",", "")) for word in sys.argv[1:]] or SIZES
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as base:
        first = Path(base)
        ids = await _played(first)
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="bench-growth-") as name:
                folder = Path(name)
                file = folder / "debate.db"
                shutil.copy(first / "debate.db", file)
                begun = time.perf_counter()
                with closing(connect(file)) as conn:
                    _copied(conn, ids, size)
                print(
                    f"{size:,} debates, {file.stat().st_size / 1e6:,.0f} MB, made in "
                    f"{time.perf_counter() - begun:.0f} s",
                    flush=True,
                )
                await _readings(folder, size)


if __name__ == "__main__":
    asyncio.run(main())
