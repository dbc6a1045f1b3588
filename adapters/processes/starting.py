"""Starts programs without blocking the event loop.

Python blocks in the thread that starts a program until the program has begun; on a busy machine
that takes up to a third of a second, in which the loop would be blocked. So a thread starts it, and
the loop gets its pipes.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

__all__ = ["DEVNULL", "PIPE", "Child", "read_upto", "send", "start"]


@dataclass(frozen=True, slots=True)
class Child:
    """A program that was started, with its pipes; ``stderr`` is at its end from the start if it
    goes elsewhere. With ``group`` it ends together with all programs that it started.
    """

    stdin: StreamWriter
    stdout: StreamReader
    stderr: StreamReader
    _program: Popen[bytes]
    _pipes: tuple[asyncio.BaseTransport, ...]
    _group: bool

    @property
    def pid(self) -> int:
        return self._program.pid

    @property
    def returncode(self) -> int | None:
        """The return code; None as long as the program runs."""
        return self._program.poll()

    def kill(self) -> None:
        _kill(self._program, group=self._group)

    async def wait(self) -> int:
        """Waits for the program to end and returns its code."""
        return await asyncio.to_thread(self._program.wait)

    async def end(self) -> None:
        """Kills the program unless it has ended, and closes its pipes."""
        self.kill()
        for pipe in self._pipes:
            pipe.close()
        await self.wait()


async def start(
    *command: str | Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stderr: int = DEVNULL,
    group: bool = False,
) -> Child:
    """Returns a program with pipes to its input and from its output; ``stderr`` is a file's number,
    ``PIPE`` or ``DEVNULL``. With ``group`` it leads a process group, which ends with it. Raises
    ``OSError`` if it can't be started.
    """

    # Not the loop's own future: a loop that ends lets go of it while the program still starts.
    starting: Future[Popen[bytes]] = Future()
    starting.set_running_or_notify_cancel()

    def begin() -> None:
        try:
            program = Popen(  # noqa: S603  the caller's own command, no shell
                command,
                env=env,
                cwd=cwd,
                bufsize=0,
                stdin=PIPE,
                stdout=PIPE,
                stderr=stderr,
                start_new_session=group,
            )
        except BaseException as error:  # noqa: BLE001  handed to the caller that waits for the program
            starting.set_exception(error)
        else:
            starting.set_result(program)

    asyncio.get_running_loop().run_in_executor(None, begin)
    try:
        program = await asyncio.shield(asyncio.wrap_future(starting))
    except asyncio.CancelledError:
        starting.add_done_callback(partial(_unwanted, group=group))
        raise
    pipes: list[asyncio.BaseTransport] = []
    try:
        return await _connected(program, pipes, group=group)
    except BaseException:
        for pipe in pipes:
            pipe.close()
        _end(program, group=group)
        raise


async def send(stream: StreamWriter, data: bytes) -> None:
    """Writes all of ``data``, unless the program ends and reads no more."""
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
    stream.close()


async def read_upto(stream: StreamReader, most: int) -> bytes:
    """Returns the bytes until the end, or the first ``most`` of them."""
    parts, left = list[bytes](), most
    while left and (part := await stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


async def _connected(
    program: Popen[bytes], pipes: list[asyncio.BaseTransport], *, group: bool
) -> Child:
    """Connects a program's pipes with the loop; ``pipes`` holds those that are connected."""
    sender = StreamReaderProtocol(StreamReader())
    loop = asyncio.get_running_loop()
    writing, _ = await loop.connect_write_pipe(lambda: sender, program.stdin)
    pipes.append(writing)
    stdout = await _from(program.stdout, pipes)
    errors = await _from(program.stderr, pipes)
    stdin = StreamWriter(writing, sender, None, loop)
    return Child(stdin, stdout, errors, program, tuple(pipes), group)


async def _from(pipe: IO[bytes] | None, pipes: list[asyncio.BaseTransport]) -> StreamReader:
    reader = StreamReader()
    if pipe is None:
        reader.feed_eof()
        return reader
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
    pipes.append(transport)
    return reader


def _unwanted(starting: Future[Popen[bytes]], *, group: bool) -> None:
    """Ends a program whose caller was cancelled while it started."""
    if starting.exception() is None:
        _end(starting.result(), group=group)


def _end(program: Popen[bytes], *, group: bool) -> None:
    with program:  # closes the pipes and waits, a moment after the kill
        _kill(program, group=group)


def _kill(program: Popen[bytes], *, group: bool) -> None:
    if group:
        with suppress(ProcessLookupError, PermissionError):  # all have ended
            os.killpg(program.pid, signal.SIGKILL)
    program.kill()
