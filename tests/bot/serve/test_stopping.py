"""A bot ends in time after a signal, whatever goes on in it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.shell.serve import completed
from core.debate.errors import BadInput
from tests.patience import PATIENCE
from tests.project import ROOT

THREAD = "await asyncio.to_thread(threading.Event().wait)"
LOOP = "while True: pass"
FOLLOWED = "await requested.wait(); print('stopped in order', flush=True)"


@contextmanager
def busy(what: str, first: float = 0.0, limit: float = 0.1) -> Iterator[subprocess.Popen[str]]:
    """Runs a process that waits for ``what``, which never ends by itself, when the signal comes."""
    program = (
        "import asyncio, threading\n"
        "from bot.serve.stopping import stop_signal\n"
        "async def main():\n"
        f"    requested, hurried = stop_signal({limit}, {first})\n"
        "    print('ready', flush=True)\n"
        f"    {what}\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("what", "number"),
    [(THREAD, signal.SIGTERM), (LOOP, signal.SIGINT)],
    ids=["a thread", "the loop itself"],
)
def test_what_never_ends_is_left_to_the_next_start(what: str, number: signal.Signals) -> None:
    with busy(what) as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert err == "stopping took longer than 0.1 s; running work continues at the next start\n"


def test_whoever_asks_twice_does_not_wait_for_what_would_take_long() -> None:
    hurried = "await requested.wait(); print('asked', flush=True); await hurried.wait()"
    for what, warning in (
        (hurried, ""),
        (f"{hurried}; {THREAD}", "stopping took longer than 0.1 s"),
    ):
        with busy(what, first=3600.0) as process:
            process.send_signal(signal.SIGINT)
            assert process.stdout is not None
            assert process.stdout.readline() == "asked\n"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err.startswith(warning)) == (0, True)


@pytest.mark.parametrize(
    ("followed", "first", "limit"),
    [(FOLLOWED, 0.0, PATIENCE), (f"await asyncio.sleep(0.3); {FOLLOWED}", PATIENCE, 0.1)],
)
def test_who_stops_in_time_is_not_hurried(followed: str, first: float, limit: float) -> None:
    """In time is within the seconds that the first signal leaves, too."""
    with busy(f"await requested.wait(); {followed}", first, limit) as process:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "stopped in order\n", "")


async def test_a_start_that_waits_for_something_can_be_stopped() -> None:
    stopped, let_go = asyncio.Event(), []

    async def start() -> None:
        try:
            stopped.set()
            await asyncio.Event().wait()
        finally:
            let_go.append(True)

    assert await completed(start(), "start", stopped) is False
    assert let_go == [True]


async def test_a_start_that_fails_says_why_and_one_that_is_done_is_told() -> None:
    async def start() -> None:
        raise BadInput("Slack refuses the token.")

    with pytest.raises(BadInput, match="Slack refuses the token"):
        await completed(start(), "start", asyncio.Event())
    assert await completed(asyncio.sleep(0), "start", asyncio.Event()) is True
