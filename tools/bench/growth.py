"""Measures which costs grow with history: ``python -m tools.bench.growth [COUNT ...] [--kept
FOLDER]``, on SQLite.

A store of COUNT debates (by default 1,000, 10,000 and 100,000) is made of six real debates, played
with the scripted model, and of copies of them, spread over two years, fifty repositories, forty
people; one in a hundred was resolved, and ten people began twenty each. With ``--kept`` the stores
are made once, and stay in the folder for the next time. Then the requests of people and of the bot
itself are measured: processor time of this process and wall time, both in milliseconds, medians of
five; a request that can be made only once is measured once.
"""

from __future__ import annotations

import asyncio
import gc
import shutil
import statistics
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection, connect

import sqlalchemy as sa

from bot.debates.retention import Retention
from bot.debates.search_texts import SearchTextKeeper
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.commands.row import Request
from core.application.desk import Caller
from core.application.schedules import Schedule
from core.debate.events import DebateRequest
from storage.debates.calls import Limit
from storage.schema import backup
from storage.tables import DEBATE, METADATA
from tests.bot.crashing import settings_for
from tests.bot.room.serving import Served, served
from tests.origins import origin

SIZES = (1_000, 10_000, 100_000)
_TEMPLATES = ("triad", "critique", "panel", "adversarial", "design_doc", "architecture_review")
_YEARS = timedelta(days=730)
_PEOPLE, _REPOSITORIES, _SCHEDULES = 40, 50, 100
_RARE = 10
"""Debates that hold the rare word, whatever the size."""
_FEW, _EACH = 10, 20
"""People who began few debates, and how many each of them, whatever the size."""
_RUNS = 5
_OLD = timedelta(days=10_000)
"""No debate is that old, so retention finds none."""
_ASKER = "slack:T1/U1"
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
            request = DebateRequest(template, question, _ASKER, place, vote_window=0.0)
            ids.append(await parts.service.take(request, origin(f"growth-{number}")))
            await parts.advancer.advance(ids[-1])
        await SearchTextKeeper(parts.stores.debates, parts.stores.search, parts.clock).keep()
        return ids


def _copied(conn: Connection, bases: Sequence[str], count: int) -> None:
    """Copies debates under ids of the same length, each in all tables; the index of words is made
    anew.
    """
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
                _asker(number, count),
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


def _asker(number: int, count: int) -> str:
    """Spreads the debates of the people who began few over the whole time."""
    step = count // (_FEW * _EACH)
    if step and number % step == 0 and number // step < _FEW * _EACH:
        return f"slack:T1/UFEW{number // step % _FEW}"
    return f"slack:T1/U{number % _PEOPLE}"


def _copies_of(name: str) -> str:
    table = METADATA.tables[name]
    key = "id" if name == "debate" else "debate_id"
    replaced = {
        key: "copy.new", "origin_key": "copy.new", "asker": "copy.asker", "created_at": "copy.at",
        "updated_at": "copy.at", "at": "copy.at", "concluded_at": "copy.at",
        "repository": "copy.repo", "words": "words || copy.extra", "held": "copy.held",
        **{c: f"replace({name}.{c}, copy.old, copy.new)" for c in _NAMING},
    }  # fmt: skip
    if name == "event":
        replaced["payload"] = f"""replace({replaced["payload"]}, '"{_ASKER}"', '"'||asker||'"')"""
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
        one, *_ = await _newest(parts, 1)
        if not await stores.schedules.find_all():
            for number in range(_SCHEDULES):
                await stores.schedules.add(_schedule(number))
        caller = Caller("slack:T1/U1", "slack:T1/C1", "growth", "debate")
        await _measured("the days that are over, summed", stores.spending.sum_days, 1)
        for name, do in (
            ("the same, an hour later", stores.spending.sum_days),
            ("a call within a day's budget", lambda: stores.spending.left([_budget()])),
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
            ("readiness (/readyz)", lambda: stores.debates.get("")),
            ("figures (/metrics)", stores.debates.count_by_status),
            ("delivery's look", stores.outbox.count_backlog),
        ):
            await _measured(name, do)
        await _deleted(room, file, count)
    copy = folder / "copy.db"
    await _measured("backup", lambda: asyncio.to_thread(backup, str(file), copy), 1)
    copy.unlink()


async def _deleted(room: Served, file: Path, count: int) -> None:
    parts = room.parts
    await parts.stores.database.checkpoint()
    retention: Retention = parts.retention
    newest = await _newest(parts, _RUNS)
    single = iter(newest)

    written: list[tuple[int, int]] = []

    async def forget() -> None:
        before = _written()
        await retention.delete(await parts.service.load(next(single)), "asked")
        written.append((_written()[0] - before[0], _written()[1] - before[1]))

    await _measured("forget one debate", forget)
    handed, pages = (statistics.median(each) / 1024 for each in zip(*written, strict=True))
    print(f"  {'  written by each':<34} {handed:9.0f} KB, {pages:.0f} KB in whole pages")
    person = await _with_few(parts)
    await _measured(
        f"forget a person with {_EACH} debates", lambda: retention.forget_person(person), 1
    )
    oldest = await parts.stores.forgetting.find_old(_now(), min(1000, count // 2))

    async def thousand() -> None:
        for id in oldest:
            await retention.delete(await parts.service.load(id), "kept for a year")

    await _measured(f"retention of {len(oldest)}", thousand, 1)


async def _newest(parts: Parts, count: int) -> list[str]:
    """Returns the newest copies whose texts are there."""
    query = sa.select(DEBATE.c.id).where(~DEBATE.c.emptied, DEBATE.c.id.startswith("c0"))
    query = query.order_by(DEBATE.c.created_at.desc()).limit(count)
    return list(await parts.stores.database.read(lambda conn: conn.execute(query).scalars().all()))


async def _with_few(parts: Parts) -> str:
    """Returns a person who began few debates, none of them deleted yet."""
    query = sa.select(DEBATE.c.asker).where(DEBATE.c.asker.startswith("slack:T1/UFEW"))
    query = query.group_by(DEBATE.c.asker).having(sa.func.count() == _EACH).limit(1)
    return str(await parts.stores.database.read(lambda conn: conn.execute(query).scalar_one()))


def _written() -> tuple[int, int]:
    """Returns the bytes that this process has handed to the system to write, and those of the pages
    that the system has to write for them.
    """
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["wchar"]), int(lines["write_bytes"])


def _now() -> datetime:
    return datetime.now(UTC)


def _budget() -> Limit:
    return Limit(1_000.0, _now().replace(hour=0, minute=0, second=0, microsecond=0))


def _before() -> datetime:
    return _now() - _OLD


def _schedule(number: int) -> Schedule:
    at = _now() + timedelta(days=100 + number)
    return Schedule(
        f"s{number}", "0 9 * * *", "UTC", 3600.0, at, "triad", f"question {number}",
        "slack:T1/C1", "slack:T1/U1", _now(),
    )  # fmt: skip


async def _made(folder: Path, size: int) -> None:
    """Makes the store of ``size`` debates, unless it is there."""
    file, begun = folder / "debate.db", time.perf_counter()
    if not file.exists():
        with tempfile.TemporaryDirectory(prefix="bench-growth-") as base:
            ids = await _played(Path(base))
            unfinished = folder / "unfinished.db"
            shutil.copy(Path(base) / "debate.db", unfinished)
            with closing(connect(unfinished)) as conn:
                _copied(conn, ids, size)
            unfinished.rename(file)
    print(
        f"{size:,} debates, {file.stat().st_size / 1e6:,.0f} MB, there after "
        f"{time.perf_counter() - begun:.0f} s",
        flush=True,
    )


async def main() -> None:
    parser = ArgumentParser(prog="python -m tools.bench.growth")
    parser.add_argument("sizes", nargs="*", default=SIZES, type=int)
    parser.add_argument("--kept", type=Path, help="a folder for the stores, used again next time")
    options = parser.parse_args()
    for size in options.sizes:
        with tempfile.TemporaryDirectory(prefix="bench-growth-") as name:
            folder = options.kept / str(size) if options.kept else Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            await _made(folder, size)
            await _readings(folder, size)


if __name__ == "__main__":
    asyncio.run(main())
