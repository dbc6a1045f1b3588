"""Computes the needs of ten thousand workspaces: ``python -m tools.bench.scale [DEBATES_A_DAY]``.

A day is played minute by minute: how many debates begin, the load on the platforms, the queue and
the database, and the posts that wait because a platform accepts no more. The bot's cost of a debate
is measured first, on real debates (scripted model); the limits of platforms are their published
limits; the length of a debate, the differences between hours and the prices of machines are
assumptions, printed with the result.
"""

from __future__ import annotations

import asyncio
import math
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from tests.bot.crashing import settings_for
from tests.origins import origin

_DAY = 1440  # minutes
_WORKSPACES = 10_000
_DEBATES = 200_000
_PEAK = 60.0
"""Starts a second in the worst minute."""
_LASTS = 180.0
"""Seconds of a debate: mostly models."""
_AT_ONCE = 200
"""Debates that one replica advances at the same time."""
_CORE = 0.7
"""Of a core that a replica may use before it is late."""
_SHARES = {"Slack": 0.7, "Discord": 0.2, "room and forges": 0.1}
_DISCORD = 50.0
"""Requests a second of one bot account, over all guilds."""
_SLACK_CHANNEL = 1.0
"""Messages a second in one channel."""
_GITHUB = 5_000 / 3600
"""Requests a second of one installation."""
_REVIEW_CALLS = 25
"""Requests to a forge for one review: the change, its archive, what is posted."""
_COMMITS = 400.0
"""Commits of groups a second that one PostgreSQL flushes; 2.5 ms each."""
_MACHINE, _DATABASE, _STORED = 35.0, 900.0, 0.12
"""Dollars a month: a replica of a core, a database of that size, a gigabyte kept."""


@dataclass(frozen=True)
class OneDebate:
    """The needs of one debate: seconds of processor, transactions, rows, posts, bytes kept."""

    cpu: float
    commits: int
    rows: int
    posts: int
    stored: float


async def measured() -> OneDebate:
    """Measures the last of thirteen debates, so that nothing is loaded for the first time; the
    bytes kept are the mean of the last ten.
    """
    counted = {"commits": 0, "rows": 0}

    def committed(_conn: object) -> None:
        counted["commits"] += 1

    def wrote(_c: object, cursor: object, text: str, *_more: object) -> None:
        if text.split(maxsplit=1)[0] in ("INSERT", "UPDATE", "DELETE"):
            counted["rows"] += max(0, int(getattr(cursor, "rowcount", 0)))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with open_parts(settings_for(str(folder / "d.db"), folder), shell=False) as parts:
            sa.event.listen(sa.Engine, "commit", committed)
            sa.event.listen(sa.Engine, "after_cursor_execute", wrote)
            cpu, before, id = 0.0, 0, ""
            for number in range(13):
                if number == 3:
                    await parts.stores.database.checkpoint()
                    before = (folder / "d.db").stat().st_size
                counted.update(commits=0, rows=0)
                begun = time.process_time()
                request = DebateRequest(
                    "triad", f"Should queue {number} live in PostgreSQL?", "slack:T1/U1",
                    "slack:T1/C1", vote_window=0.0,
                )  # fmt: skip
                id = await parts.service.take(request, origin(f"scale-{number}"))
                await parts.advancer.advance(id)
                cpu = time.process_time() - begun
            posts = (await parts.stores.outbox.count_backlog(id)).open
            sa.event.remove(sa.Engine, "commit", committed)
            sa.event.remove(sa.Engine, "after_cursor_execute", wrote)
            await parts.stores.database.checkpoint()
            stored = ((folder / "d.db").stat().st_size - before) / 10
    # each post is claimed and noted as sent, and a debate beats every ten seconds
    sent = 2 * posts
    beats = int(_LASTS / 10)
    commits, rows = counted["commits"] + sent + beats, counted["rows"] + sent + beats
    return OneDebate(cpu, commits, rows, posts, stored)


def starts(debates: int, peak: float) -> list[float]:
    """Returns the starts in each minute of a working day around the world: two humps above a floor,
    with this peak and this sum.
    """
    lowest, highest = 0.1, 5_000.0
    rates: list[float] = []
    for _ in range(60):
        sharp = (lowest + highest) / 2
        shape = [_hump(minute, 600, sharp) + _hump(minute, 960, sharp) for minute in range(_DAY)]
        rates = [debates / (60 * sum(shape)) * each for each in shape]
        if max(rates) > peak:
            highest = sharp
        else:
            lowest = sharp
    return rates


def _hump(minute: int, at: int, sharp: float) -> float:
    return 0.002 + math.exp(-sharp * ((minute - at) / 240) ** 2)


def line_of(wanted: list[float], takes: float) -> tuple[float, float]:
    """Returns how many items wait in the worst minute, and how many seconds they then wait."""
    waiting = worst = 0.0
    for each in wanted:
        waiting = max(0.0, waiting + 60 * (each - takes))
        worst = max(worst, waiting)
    return worst, worst / takes


def played(one: OneDebate, debates: int) -> None:
    rate = starts(debates, _PEAK * debates / _DEBATES)
    peak = max(rate)
    going = peak * _LASTS
    by_room, by_core = going / _AT_ONCE, peak * one.cpu / _CORE
    replicas, databases = math.ceil(max(by_room, by_core)) + 1, _databases(one, peak)
    print(f"{debates:,} debates a day, {peak:.1f} starts a second in the worst minute")
    _line("at once at the peak", f"{going:,.0f} debates")
    why = f"{by_room:.1f} for room, {by_core:.1f} for processor, one to spare"
    _line("replicas", f"{replicas:,}", why)
    rows = f"{peak * one.rows:,.0f} rows"
    _line("transactions a second at the peak", f"{peak * one.commits:,.0f}", rows)
    _line("databases, by workspace", f"{databases}", f"{_COMMITS:g} flushes a second each")
    _line("kept in a year", f"{debates * 365 * one.stored / 1e12:,.1f} TB")
    channels = _SLACK_CHANNEL * _WORKSPACES * _SHARES["Slack"]
    for name, takes in (("Discord", _DISCORD), ("Slack", channels)):
        wanted = [each * _SHARES[name] * one.posts for each in rate]
        worst, seconds = line_of(wanted, takes)
        waits = f"{worst:,.0f} wait at worst, {seconds / 60:,.0f} minutes"
        _line(f"posts a second to {name}", f"{max(wanted):,.0f} of {takes:,.0f}", waits)
    forge = peak * 0.5 * _REVIEW_CALLS / _WORKSPACES
    _line("requests a second of an installation", f"{forge:.2f} of {_GITHUB:.2f}")
    month = replicas * _MACHINE + databases * _DATABASE
    kept = debates * 365 * one.stored / 1e9 * _STORED
    _line("dollars a month beside the models", f"{month:,.0f}", f"{kept:,.0f} for a year's texts")


def _line(what: str, figure: str, more: str = "") -> None:
    print(f"  {what:<38} {figure:>18}   {more}".rstrip())


def _databases(one: OneDebate, peak: float) -> int:
    """Returns the number of databases. If replicas commit in groups, only one transaction in ten
    needs a separate flush.
    """
    return math.ceil(peak * one.commits / 10 / _COMMITS)


def main() -> None:
    one = asyncio.run(measured())
    print(
        f"One debate: {1000 * one.cpu:.0f} ms of processor, {one.commits} transactions, {one.rows} "
        f"rows, {one.posts} posts, {one.stored / 1e3:.0f} KB kept. Assumed: {_LASTS:.0f} s long, "
        f"{_AT_ONCE} at once in a replica, {_COMMITS:.0f} flushes a second in a database.\n"
    )
    for debates in [int(word.replace(",", "")) for word in sys.argv[1:]] or (
        2_000,
        20_000,
        _DEBATES,
    ):
        played(one, debates)
        print()


if __name__ == "__main__":
    main()
