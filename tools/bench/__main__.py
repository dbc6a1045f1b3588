"""``make bench``: prints the cost of a debate compared with the time that it waits.

Figures are medians; bars are the figures that the project wants to beat.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from storage.database import Database
from storage.schema import open_database
from tools.bench import money, takeover
from tools.bench import stores as stored
from tools.bench.tables import Cost, Voice, cacheable, change, measured, one, opening, topic

RUNS = 7


def line(what: str, figure: str, bar: str = "") -> None:
    print(f"{what:<66} {figure:>22}   {bar}", flush=True)


async def median(make: Callable[[], Awaitable[Cost]], runs: int = RUNS) -> Cost:
    await make()
    costs = []
    for _ in range(runs):
        gc.collect()
        costs.append(await make())
    return Cost(
        statistics.median(c.cpu for c in costs),
        statistics.median(c.wall for c in costs),
        costs[0].events,
    )


BARS = {
    ("log in memory", 3): ("bar 5 ms", "bar 15 ms"),
    ("durable store", 3): ("bar 25 ms", "bar 40 ms"),
}


async def costs(store: Database) -> None:
    for seats, rounds in ((3, 3), (5, 6)):
        for name, where in (("log in memory", None), ("durable store", store)):
            bars = BARS.get((name, seats), ("", ""))
            play = partial(measured, seats, rounds, topic(), store=where)
            quick = await median(play)
            line(
                f"{seats} x {rounds}, {name}, model 0 ms: CPU per debate",
                f"{quick.cpu * 1000:.1f} ms",
                bars[0],
            )
            slow = await median(partial(play, latency=0.05), 5)
            ideal = 0.05 * (rounds + 1)
            over = f"{(slow.wall - ideal) * 1000:.1f} ms ({slow.wall / ideal:.2f} x)"
            line(
                f"{seats} x {rounds}, {name}, model 50 ms: wall over the critical path",
                over,
                bars[1],
            )


async def crowds(store: Database) -> None:
    for name, where in (("log in memory", None), ("durable store", store)):
        many = await measured(3, 3, topic(), latency=1.0, count=100, store=where)
        line(
            f"100 debates 3 x 3 at once, {name}, model 1 s: wall to ideal",
            f"{many.wall:.2f} s ({many.wall / 4:.2f} x)",
            "bar 1.1 x",
        )


async def stores(folder: Path) -> None:
    with stored.postgres() as server:
        for name, url in (("SQLite", str(folder / "crowd.db")), ("PostgreSQL", server)):
            async with stored.opened(url) as store:
                for count in (100, 1000):
                    wall, ratio, rate = await stored.crowd(store, count)
                    figure = f"{wall:.1f} s ({ratio:.2f} x)"
                    line(
                        f"{count} debates 3 x 3 at once, {name}, model 1 s: wall to ideal",
                        figure,
                        f"{rate:.0f} events/s",
                    )
                line(
                    f"{name}: events a second, model 0 s, 300 debates",
                    f"{await stored.flood(store, 300):.0f}",
                )
            median_s, worst = await stored.commands(url)
            line(
                f"{name}: a command from one replica to another",
                f"{median_s * 1000:.1f} ms",
                f"worst {worst * 1000:.0f} ms",
            )
    with stored.postgres() as server:  # an empty one: replicas would take up what the crowds left
        took = await takeover.seconds(server, folder)
    line(
        "PostgreSQL: kill -9 of a replica to the survivor's first event",
        f"{took:.1f} s",
        "missed after 1.5 s, swept every 0.5 s",
    )
    line(
        "memory of one paused debate in a running bot",
        f"{await stored.waiting(folder) / 1024:.1f} KiB",
    )


async def prompts() -> None:
    for name, material, bar in (
        ("2,000-character topic", topic(), "bar 40,000"),
        ("20,000-character diff", change(), "bar 110,000 at .70"),
    ):
        voice = Voice()
        await one(*opening("p1", 3, 3, material), voice)
        total = sum(map(len, voice.prompts))
        line(
            f"3 x 3 prompt characters, {name} (cacheable share)",
            f"{total:,} ({cacheable(voice.prompts):.2f})",
            bar,
        )
    voice = Voice()
    await one(*opening("p2", 5, 6, change()), voice)
    line(
        "5 x 6 prompt characters, 20,000-character diff (cacheable share)",
        f"{sum(map(len, voice.prompts)):,} ({cacheable(voice.prompts):.2f})",
    )


def started(*argv: str, runs: int = 5) -> tuple[float, float]:
    """Returns the median CPU and wall seconds of a process."""
    cpu, wall = [], []
    for _ in range(runs):
        before, at = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(argv, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - at)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(cpu), statistics.median(wall)


def starting() -> None:
    bare, _ = started(sys.executable, "-I", "-c", "pass")
    helped, wall = started(str(Path(sys.executable).with_name("debate")), "--help")
    line(
        "debate --help: CPU beyond a bare interpreter",
        f"{(helped - bare) * 1000:.0f} ms",
        f"wall {wall * 1000:.0f} ms",
    )
    first, wall = started(sys.executable, "-c", FIRST_PROMPT)
    line(
        "start to a debate's first prompt: CPU beyond a bare interpreter",
        f"{(first - bare) * 1000:.0f} ms",
        f"wall {wall * 1000:.0f} ms",
    )


FIRST_PROMPT = """
import asyncio
from tools.bench import money
from tools.bench import stores as stored
from tools.bench import takeover
from tools.bench.tables import Voice, one, opening, topic
voice = Voice()
asyncio.run(one(*opening("f", 3, 3, topic()), voice))
assert voice.prompts
"""


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = await open_database(str(Path(folder) / "bench.db"))
        try:
            await costs(store)
            await crowds(store)
        finally:
            await store.close()
        await stores(Path(folder))
    await prompts()
    for what, figure, beside in await asyncio.to_thread(money.lines):
        line(what, figure, beside)
    starting()
    line(
        "peak memory of this process",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB",
    )


if __name__ == "__main__":
    asyncio.run(main())
