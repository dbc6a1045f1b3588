"""Work on foreign text in separate processes that can be ended.

Parsers of strangers' text can be made to take for ever or to fill the memory, and a thread that
does so can neither be stopped nor kept from slowing the event loop. So such work is done by a few
processes that are kept for the next piece of it. Each process receives the name of a function and
its arguments and returns the result; a process that takes too long is killed and replaced. It does
not have our environment, and its answer is read as data of the function's type, so that a
compromised process can only give a wrong answer.

Small texts are read in a thread: every algorithm here is linear, the slowest takes 3 microseconds a
byte (``python -m tools.fuzz`` measures it), so ``SMALL`` bytes are a few milliseconds whatever they
hold.
"""

from __future__ import annotations

import asyncio
import math
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from adapters.processes.environment import child_environment
from adapters.processes.memory import ByteBudget
from adapters.processes.starting import Child, start
from adapters.processes.worker import ANSWER, ORDER, Failure, Order, result_type
from core.debate.errors import BadInput, CouldNotFinish

T = TypeVar("T")

SMALL = 4_000
SECONDS, LONGEST = 30.0, 300.0
_MEMORY = 1 << 30
"""The default for the bytes that all readers together may take for their texts."""
_PROCESS = 3 << 29
"""Bytes of address space that one process never goes beyond, with the program itself."""
_BASE, _EACH = 32 << 20, 24
"""Bytes set aside for any text, and for each of its bytes: twice as many as a diff takes. A text
that takes more is read once more with all the memory that readers have.
"""
_LARGEST_RESULT = 64_000_000  # bytes
_RESULTS, _LAST = (b"+", b"="), (b"!", b"=")
"""The first bytes of answers that hold a result, and of those after which the process ends."""
_HERE = __name__.rpartition(".")[0]
_CPU_LIMIT: int = getattr(signal, "SIGXCPU", 0)
"""The signal that ends a process whose processor time is used up; 0 on a system without limits."""
_ROOT = Path(__file__).parents[_HERE.count(".") + 1]
"""The folder from which this package is imported, under any name."""
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    f"from {_HERE}.worker import serve; serve(int(sys.argv[2]), sys.argv[3:])"
)


_UNPACKING: set[Callable[..., Any]] = set()


def unpacks(function: Callable[..., T]) -> Callable[..., T]:
    """Marks work on packed data: how small it is says nothing about what comes out of it, so it is
    never done in a thread.
    """
    _UNPACKING.add(function)
    return function


class TakesTooMuch(BadInput):
    """Reading a text needs too much time or memory; ``why`` says so in words, for texts that a
    debate can do without.
    """

    def __init__(self, much: str, then: str = "") -> None:
        super().__init__(f"That text takes {much} to read{then}. Give a smaller part of it.")
        self.why = f"reading it takes {much}"


class ReaderFailed(CouldNotFinish):
    """Reading a text broke; ``why`` says so in words, for texts that a debate can do without."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The text could not be read: {why}. Nothing was started.")
        self.why = why


class Work(Protocol):
    """Calls a function on foreign text in a process that can be ended. Arguments and result are
    data: texts, numbers, frozen dataclasses, by the function's annotations.

    Raises what the function raises of ``errors``, ``TakesTooMuch`` (time or memory), and
    ``ReaderFailed`` for any other failure.
    """

    def __call__(self, function: Callable[..., T], *arguments: Any) -> Awaitable[T]: ...


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Runs the function in a thread without a limit, for people who read only their own files."""
    return await asyncio.to_thread(function, *arguments)


@dataclass(slots=True)
class Workers:
    """Does ``Work`` in at most ``size`` processes at once, which start on first use, or ahead of
    it.

    A text may take ``seconds`` of processor time, so that a busy machine refuses none for being
    slow, and ``longest`` seconds in all. Their texts may take ``memory`` bytes together; others
    wait. ``loads`` names the modules that each process imports as it starts.
    """

    size: int = 2
    seconds: float = SECONDS
    longest: float = LONGEST
    memory: int = _MEMORY
    small: int = SMALL
    loads: Sequence[str] = ()
    started: int = 0
    _idle: list[Child] = field(default_factory=list)
    _room: asyncio.Semaphore = field(init=False)
    _budget: ByteBudget = field(init=False)

    def __post_init__(self) -> None:
        self._room = asyncio.Semaphore(self.size)
        self._budget = ByteBudget(self.memory, patience=None)

    async def __call__(self, function: Callable[..., T], *arguments: Any) -> T:
        order = _order(function, arguments)
        if len(order) <= self.small and function not in _UNPACKING:
            return await asyncio.to_thread(function, *arguments)
        usual = min(self.memory, _BASE + _EACH * len(order))
        answer = b""
        try:
            answer = await self._within(usual, order)
        except ReaderFailed:  # a parser that gets no memory ends its process
            if usual >= self.memory:
                raise
        if not answer or (usual < self.memory and _ran_out(answer)):
            answer = await self._within(self.memory, order)
        if answer[:1] not in _RESULTS:
            raise _error(_failure(answer))
        try:
            result: T = await asyncio.to_thread(
                msgspec.msgpack.decode, answer[1:], type=result_type(function)
            )
        except msgspec.DecodeError as error:
            raise ReaderFailed("its reader's answer is not what was asked for") from error
        return result

    async def start(self) -> None:
        """Starts a process ahead of its first work, which then need not wait for the process's
        imports.
        """
        if not self._idle:
            self._idle.append(await self._spawned())

    async def _within(self, memory: int, order: bytes) -> bytes:
        """Returns the answer, as soon as there is room for its memory and a process."""
        async with self._budget.hold(memory), self._room:
            return await self._asked(memory, order)

    async def _asked(self, memory: int, order: bytes) -> bytes:
        """Returns the answer of a process; one that does not answer in time, or answers badly, is
        ended.
        """
        process = self._idle.pop() if self._idle else await self._spawned()
        longest = self.longest if _CPU_LIMIT else self.seconds
        limit = asyncio.timeout(longest)
        try:
            async with limit:
                answer = await _answer(process, memory, math.ceil(self.seconds), order)
        except (OSError, asyncio.IncompleteReadError) as error:  # a time-out is an OSError
            process.kill()
            code = await process.wait()
            if not limit.expired() and not (_CPU_LIMIT and code == -_CPU_LIMIT):
                raise ReaderFailed("its reader ended unexpectedly") from error
            took = longest if limit.expired() else self.seconds
            raise TakesTooMuch(f"longer than {took:g} s", ", so it is not debated") from error
        else:
            if answer[:1] not in _LAST:
                self._idle.append(process)
            return answer
        finally:
            if process not in self._idle:
                await process.end()

    async def _spawned(self) -> Child:
        self.started += 1
        return await start(
            *(sys.executable, "-I", "-B", "-c", _START, str(_ROOT), str(_PROCESS), *self.loads),
            env=child_environment(),
        )

    async def aclose(self) -> None:
        """Ends all that wait for work."""
        while self._idle:
            await self._idle.pop().end()


def _order(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    name = f"{function.__module__}:{function.__qualname__}"
    try:
        return msgspec.msgpack.encode(Order(name, msgspec.Raw(msgspec.msgpack.encode(arguments))))
    except UnicodeEncodeError as error:
        raise BadInput("The text holds characters that are none (lone surrogates).") from error


def _ran_out(answer: bytes) -> bool:
    return answer[:1] == b"!" and _failure(answer).kind == "memory"


def _failure(answer: bytes) -> Failure:
    return msgspec.msgpack.decode(answer[1:], type=Failure)


async def _answer(process: Child, memory: int, seconds: int, order: bytes) -> bytes:
    process.stdin.write(ORDER.pack(len(order), memory, seconds))
    process.stdin.write(order)
    await process.stdin.drain()
    (size,) = ANSWER.unpack(await process.stdout.readexactly(ANSWER.size))
    if not 0 < size <= _LARGEST_RESULT:
        raise OSError("an answer of impossible size")
    return await process.stdout.readexactly(size)


def _error(failure: Failure) -> Exception:
    match failure.kind:
        case "bad_input":
            return BadInput(failure.message)
        case "could_not_finish":
            return CouldNotFinish(failure.message)
        case "memory":
            return TakesTooMuch("too much memory")
        case _:
            return CouldNotFinish(
                "The text could not be read ({why}). Nothing was started.", why=failure.message
            )
