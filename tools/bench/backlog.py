"""Measures a bot's answers while it resumes many unfinished debates, and the longest stop in the
middle of that: ``python -m tools.bench.backlog [COUNT]``, a separate process on a SQLite file.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

from storage.debates import Debates
from tools.bench.served import KEPT
from tools.bench.stores import opened
from tools.bench.tables import change, opening

_LOOK = 0.05  # seconds between two questions
_LONGEST = 180.0  # seconds


async def _unfinished(file: Path, count: int) -> None:
    async with opened(str(file)) as store:
        debates = Debates(store)
        for number in range(count):
            first, begun = opening(f"backlog-{number}", 5, 3, change())
            begun = replace(begun, cast=dict.fromkeys(begun.cast, ("scripted",)))
            await debates.create(first, first.id, past=(begun,))


def _answer(port: int, path: str) -> int:
    """Returns the status of an answer, 0 if the connection fails."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", headers={"Authorization": "Bearer bench-watch-token"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_LONGEST) as answer:  # noqa: S310  our own
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def _started(file: Path, port: int, latency: float) -> subprocess.Popen[bytes]:
    kept = {k: v for k, v in os.environ.items() if k in KEPT}
    env = kept | {
        "DEBATE_DATABASE_URL": str(file),
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_SCRIPTED_LATENCY": str(latency),
        "DEBATE_PORT": str(port),
        "DEBATE_WATCH_TOKEN": "bench-watch-token",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "bot", "serve"], env=env, stderr=subprocess.DEVNULL
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _measured(file: Path, stop_after: float, latency: float) -> None:
    """Starts the bot, polls it until it is ready or for ``stop_after`` seconds, and stops it."""
    port = _free_port()
    begun = time.perf_counter()
    process = _started(file, port, latency)
    alive = ready = 0.0
    longest = 0.0
    while (now := time.perf_counter() - begun) < stop_after and not ready:
        status = _answer(port, "/healthz")
        took = time.perf_counter() - begun - now
        if status == 200:
            alive = alive or time.perf_counter() - begun
            longest = max(longest, took)
        if alive and _answer(port, "/readyz") == 200:
            ready = time.perf_counter() - begun
        time.sleep(_LOOK)
    at = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    code = process.wait()
    print(
        f"stop after {stop_after:>5.0f} s, model {latency:g} s:  alive after {alive:.1f} s   "
        f"longest /healthz {longest:.2f} s   ready after {ready:.1f} s   "
        f"stopped in {time.perf_counter() - at:.1f} s (exit {code})",
        flush=True,
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory(prefix="bench-backlog-") as folder:
        file = Path(folder) / "debate.db"
        asyncio.run(_unfinished(file, count))
        print(f"{count} unfinished debates on SQLite")
        _measured(file, _LONGEST, 600.0)
        _measured(file, 5.0, 0.5)
        _measured(file, 15.0, 0.5)


if __name__ == "__main__":
    main()
