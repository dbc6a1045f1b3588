"""Starts programs beside the loop.

Python stands still in the thread that starts a program until the program has begun; on a busy
machine that takes up to a third of a second, in which the loop would answer nobody. So a thread
starts it, and the loop gets its pipes.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

__all__ = ["DEVNULL", "PIPE", "Child", "start"]


@dataclass(frozen=True, slots=True)
class Child:
    """A program that was started, with its pipes; ``stderr`` is at its end from the start where it
    goes elsewhere.
    """

    stdin: StreamWriter
    stdout: StreamReader
    stderr: StreamReader
    _program: Popen[bytes]
    _pipes: tuple[asyncio.BaseTransport, ...]

    @property
    def pid(self) -> int:
        return self._program.pid

    @property
    def returncode(self) -> int | None:
        """The return code; None as long as the program runs."""
        return self._program.poll()

    def kill(self) -> None:
        self._program.kill()

    async def wait(self) -> int:
        """Waits for the program to end and returns its code."""
        return await asyncio.to_thread(self._program.wait)

    async def end(self) -> None:
        """Kills the program unless it has ended, and closes its pipes."""
        self._program.kill()
        for pipe in (self.stdin.transport, *self._pipes):
            pipe.close()
        await self.wait()


async def start(
    *command: str | Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stderr: int = DEVNULL,
) -> Child:
    """Returns a program with pipes to its input and from its output; ``stderr`` is a file's number,
    ``PIPE`` or ``DEVNULL``. Raises ``OSError`` where it can't be started.
    """

    def begin() -> Popen[bytes]:
        return Popen(  # noqa: S603  the caller's own command, no shell
            command, env=env, cwd=cwd, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=stderr
        )

    starting = asyncio.ensure_future(asyncio.to_thread(begin))
    try:
        program = await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_unwanted)
        raise
    sender = StreamReaderProtocol(StreamReader())
    loop = asyncio.get_running_loop()
    writing, _ = await loop.connect_write_pipe(lambda: sender, program.stdin)
    stdout, reading = await _from(program.stdout)
    errors, erring = await _from(program.stderr)
    pipes = tuple(each for each in (reading, erring) if each is not None)
    return Child(StreamWriter(writing, sender, None, loop), stdout, errors, program, pipes)


async def _from(pipe: IO[bytes] | None) -> tuple[StreamReader, asyncio.ReadTransport | None]:
    reader = StreamReader()
    if pipe is None:
        reader.feed_eof()
        return reader, None
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
    return reader, transport


def _unwanted(starting: asyncio.Future[Popen[bytes]]) -> None:
    """Ends a program whose caller was cancelled while it started."""
    if starting.cancelled() or starting.exception() is not None:
        return
    with starting.result() as program:  # closes the pipes and waits, a moment after the kill
        program.kill()
