"""The program of a reader's process: it takes an order, gives an answer, and ends when its input
does, which happens when its parent is gone, however it went.

It may take no more memory than it was given, writes no file and opens none but the program's own.
"""

from __future__ import annotations

import importlib
import math
import mmap
import os
import signal
import struct
import sys
import types
import typing
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from core.debate.errors import BadInput, CouldNotFinish

_BEHIND = 5
"""How much nicer such a process is than its parent: people who read pages come first."""
ORDER, ANSWER = struct.Struct("!IQI"), struct.Struct("!I")
"""The head of an order: its length, the bytes that its work may take in addition to those of the
process, and the seconds of processor time; the head of an answer: its length.
"""
_KEPT = 24 << 20
"""Bytes by which a process may grow and still get more work; a larger one ends."""


class Order(msgspec.Struct, array_like=True):
    """The function as ``module:name``, and its arguments in MessagePack."""

    function: str
    arguments: msgspec.Raw


class Failure(msgspec.Struct, array_like=True):
    """The reason why there is no result. ``kind`` is bad_input, could_not_finish, memory or
    defect.
    """

    kind: str
    message: str


@cache
def result_type(function: Callable[..., Any]) -> Any:
    """Returns the function's result type, from its annotations."""
    return typing.get_type_hints(function)["return"]


def serve(memory: int, loads: Sequence[str] = ()) -> None:
    """Answers orders from standard input until it ends. ``loads`` is imported ahead of them."""
    _bound(memory)
    for module in loads:
        importlib.import_module(module)
    small = _size()
    orders, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := orders.read(ORDER.size):
        length, memory, seconds = ORDER.unpack(head)
        _allow(memory, seconds)
        answer, go_on = _answered(orders.read(length))
        _allow(None, None)
        if go_on and _size() - small > _KEPT:
            answer, go_on = (b"=" if answer[:1] == b"+" else b"!") + answer[1:], False
        answers.write(ANSWER.pack(len(answer)) + answer)
        answers.flush()
        if not go_on:
            return


def _bound(memory: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal is for our parent
    try:
        import resource
    except ImportError:  # a system without such limits: the time is bounded all the same
        return
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(what, (most, most))
    os.nice(_BEHIND)


def _allow(memory: int | None, seconds: int | None) -> None:
    """Limits this process to ``memory`` bytes and ``seconds`` of processor time more, after which
    the system ends it; None for all that it may ever take.
    """
    try:
        import resource
    except ImportError:
        return
    size, times = _size(), resource.getrusage(resource.RUSAGE_SELF)
    used = math.ceil(times.ru_utime + times.ru_stime)
    for what, now, more in (
        (resource.RLIMIT_AS, size, memory if size else None),
        (resource.RLIMIT_CPU, used, seconds),
    ):
        _, most = resource.getrlimit(what)
        limit = most
        if more is not None:
            limit = now + more
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        resource.setrlimit(what, (limit, most))


def _size() -> int:
    """Returns the bytes of address space of this process, 0 if the system does not say."""
    try:
        with Path("/proc/self/statm").open("rb") as file:
            return int(file.read().split()[0]) * mmap.PAGESIZE
    except OSError:
        return 0


def _answered(order: bytes) -> tuple[bytes, bool]:
    """Returns the answer, and whether this process may continue. An answer begins with + for a
    result,
    - for a failure, = and ! for those after which the process ends.
    """
    go_on = True
    try:
        return b"+" + msgspec.msgpack.encode(_result(order)), True
    except BadInput as error:
        failure = Failure("bad_input", str(error))
    except CouldNotFinish as error:
        failure = Failure("could_not_finish", str(error))
    except MemoryError:
        failure, go_on = Failure("memory", ""), False
    except Exception as error:  # noqa: BLE001  everything that a parser raises is reported, not lost
        failure = Failure("defect", type(error).__name__)
    # what filled the memory is let go by now
    return (b"-" if go_on else b"!") + msgspec.msgpack.encode(failure), go_on


def _result(order: bytes) -> Any:
    received = msgspec.msgpack.decode(order, type=Order)
    module, _, name = received.function.partition(":")
    function = getattr(importlib.import_module(module), name)
    hints = typing.get_type_hints(function)
    kinds = tuple(kind for parameter, kind in hints.items() if parameter != "return")
    whole: Any = types.GenericAlias(tuple, kinds)
    arguments = msgspec.msgpack.decode(received.arguments, type=whole)
    return function(*arguments)
