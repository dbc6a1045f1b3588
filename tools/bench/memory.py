"""Measures the memory that a bot keeps of debates that are over: ``python -m tools.bench.memory
MINUTES [--trace]``, a debate a second with the scripted model in one process on a SQLite file. It
prints the resident memory every half minute, each time after a collection of everything as
``serve`` makes it, and the slope of its second half by least squares with the slope's standard
error; with ``--trace`` also what Python holds more of at the end than after a third, by the line
that made it.
"""

from __future__ import annotations

import asyncio
import gc
import math
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from bot.__main__ import GARBAGE_AFTER
from bot.serve.collecting import collect_everything, settle
from bot.serve.journal import open_journal
from bot.wire.bot import open_bot
from bot.wire.parts import Parts
from core.debate.events import DebateRequest
from tests.bot.crashing import settings_for
from tests.origins import origin

_EVERY = 1.0  # seconds between two debates
_LOOK = 30.0  # seconds
_MB = 1 << 20


def _resident() -> float:
    """Returns the MB of this process that are in memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns the MB an hour, by least squares, and the standard error."""
    count = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / count for i in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return 3600 * slope, 3600 * math.sqrt(left / (count - 2) / spread)


async def _asked(parts: Parts, number: int) -> None:
    question = f"Should queue {number} of jobs live in PostgreSQL?"
    request = DebateRequest("triad", question, "shell:bench", "shell:bench", vote_window=0.0)
    id = await parts.service.take(request, origin(f"memory-{number}"))
    parts.stores.queue.notify(id)


async def _played(folder: Path, minutes: float, trace: bool) -> None:
    settings = settings_for(str(folder / "debate.db"), folder)
    async with open_bot(settings) as (parts, bot):
        await bot.start("127.0.0.1", 0)
        settle()
        begun, number = time.monotonic(), 0
        points: list[tuple[float, float]] = []
        first: tracemalloc.Snapshot | None = None
        while (now := time.monotonic() - begun) < minutes * 60:
            if now >= number * _EVERY:
                await _asked(parts, number)
                number += 1
            if now >= len(points) * _LOOK:
                collect_everything()
                points.append((now, _resident()))
                print(f"{now:7.0f} s  {number:6} debates  {points[-1][1]:7.1f} MB", flush=True)
                if trace and first is None and now > minutes * 20:
                    first = tracemalloc.take_snapshot()
            await asyncio.sleep(0.05)
        later = points[len(points) // 2 :]
        line = "too short for a slope: take three minutes or more"
        if len(later) > 2:
            slope, error = _slope(later)
            line = f"slope of the second half: {slope:.2f} MB/h, standard error {error:.2f}"
        print(line, flush=True)
        if first is not None:
            gc.collect()
            last = tracemalloc.take_snapshot()
            for stat in last.compare_to(first, "traceback")[:25]:
                print(f"\n{stat.size_diff / 1024:+.0f} KB, {stat.count_diff:+} objects")
                print("\n".join(stat.traceback.format()[-12:]))
        await bot.stop()


def main() -> None:
    minutes, trace = float(sys.argv[1]), "--trace" in sys.argv
    open_journal("error", (), str)
    gc.set_threshold(GARBAGE_AFTER)
    if trace:
        tracemalloc.start(12)
    with tempfile.TemporaryDirectory(prefix="bench-memory-") as folder:
        asyncio.run(_played(Path(folder), minutes, trace))


if __name__ == "__main__":
    main()
