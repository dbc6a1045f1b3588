"""Programs that are started beside the loop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from subprocess import Popen
from typing import Any

import pytest

from adapters.processes.environment import child_environment
from adapters.processes.starting import PIPE, Child, start

_ECHO = (
    "import sys; sys.stdout.write(sys.stdin.read().upper()); sys.stderr.write('bad'); sys.exit(3)"
)


@dataclass
class Starts:
    """The threads that started a program; each goes on when the gate is open."""

    threads: list[int] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    seen = Starts()
    seen.gate.set()

    class Noted(Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            seen.threads.append(threading.get_ident())
            seen.gate.wait(60)

    monkeypatch.setattr("adapters.processes.starting.Popen", Noted)
    return seen


async def test_what_it_reads_and_says_and_how_it_ended() -> None:
    child = await start(sys.executable, "-c", _ECHO, env=child_environment(), stderr=PIPE)
    child.stdin.write(b"words " * 100_000)
    await child.stdin.drain()
    child.stdin.close()
    output = tuple(await asyncio.gather(child.stdout.read(), child.stderr.read()))
    assert output == (b"WORDS " * 100_000, b"bad")
    assert await child.wait() == 3
    await child.end()
    assert child.returncode == 3


async def test_the_loop_never_starts_one_itself_and_one_that_runs_is_killed(
    starts: Starts,
) -> None:
    child = await start("cat", env=child_environment())
    assert len(starts.threads) == 1
    assert starts.threads[0] != threading.get_ident()
    assert child.returncode is None
    await child.end()
    assert child.returncode == -signal.SIGKILL


async def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(FileNotFoundError):
        await start("no-such-program", env=child_environment())


async def test_whose_caller_was_cancelled_meanwhile_is_ended(starts: Starts) -> None:
    reading, writing = os.pipe()  # its end is seen when nobody is left who could write
    starts.gate.clear()
    starting = asyncio.create_task(start("sleep", "1000", env=child_environment(), stderr=writing))
    while not starts.threads:  # noqa: ASYNC110  the thread tells no loop
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    starts.gate.set()
    os.close(writing)
    async with asyncio.timeout(60):
        assert await asyncio.to_thread(os.read, reading, 1) == b""
    os.close(reading)


def test_that_begins_while_the_loop_ends_is_ended(starts: Starts) -> None:
    reading, writing = os.pipe()
    starts.gate.clear()
    left: list[asyncio.Task[Child]] = []

    async def main() -> None:
        starting = start("sleep", "1000", env=child_environment(), stderr=writing)
        left.append(asyncio.create_task(starting))
        left[0].add_done_callback(lambda _: starts.gate.set())
        while not starts.threads:  # noqa: ASYNC110  the thread tells no loop
            await asyncio.sleep(0)

    asyncio.run(main())
    os.close(writing)
    assert left[0].cancelled()
    assert os.read(reading, 1) == b""
    os.close(reading)


@pytest.mark.parametrize("connecting", ["connect_write_pipe", "connect_read_pipe"])
async def test_whose_caller_was_cancelled_while_its_pipes_were_connected_is_ended(
    connecting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    connect = getattr(loop, connecting)

    async def cancelled(protocol: object, pipe: object) -> object:
        starting.cancel()
        return await connect(protocol, pipe)

    monkeypatch.setattr(loop, connecting, cancelled)
    starting = asyncio.create_task(start("sleep", "1000", env=child_environment(), stderr=writing))
    with pytest.raises(asyncio.CancelledError):
        await starting
    os.close(writing)
    async with asyncio.timeout(60):
        assert await asyncio.to_thread(os.read, reading, 1) == b""
    os.close(reading)
