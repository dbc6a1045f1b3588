"""``debate`` in a process of its own, forked from one that has loaded the program already, in a
third of the processor time. It has the folder, the environment and the standard streams that it is
given. What a fresh interpreter is about (what is imported when, what help costs) is asked of a real
one.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from tests.project import ROOT

LOADED = (
    "bot.shell.cli", "bot.shell.playing.run", "bot.wire.parts", "bot.wire.desk", "storage.schema",
    "adapters.terminal.terminal", "sqlalchemy.dialects.sqlite",
)  # fmt: skip


class Nursery:
    """The process that is forked from. One order at a time: whoever asks waits for the end."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.end_to_end.nursery"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self._close)

    def run(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], streams: Sequence[str]
    ) -> int:
        """Returns the exit code of ``debate`` with these words; ``streams`` are the files of its
        input, its output and its errors.
        """
        order = Order(list(words), str(folder), dict(env), list(streams))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def _close(self) -> None:
        self._process.communicate()  # it ends when no order comes any more


@dataclass(frozen=True, slots=True)
class Order:
    words: list[str]
    folder: str
    env: dict[str, str]
    streams: list[str]


_idle: list[Nursery] = []


def run(words: Sequence[str], folder: Path, env: Mapping[str, str], streams: Sequence[str]) -> int:
    """Runs ``debate`` with these words in an idle nursery, or in one more."""
    nursery = _idle.pop() if _idle else Nursery()
    code = nursery.run(words, folder, env, streams)
    _idle.append(nursery)
    return code


def main() -> None:
    for name in LOADED:
        importlib.import_module(name)
    for line in sys.stdin.buffer:
        order = Order(**json.loads(line))
        if not (child := os.fork()):
            _be(order)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _be(order: Order) -> NoReturn:
    """Runs the program, from its first line to its end."""
    from bot.__main__ import main as debate

    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.env)
    time.tzset()
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (name, mode) in enumerate(zip(order.streams, (os.O_RDONLY, new, new), strict=True)):
        opened = os.open(name, mode, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open to its end
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.argv = ["debate", *order.words]
    code = 1
    try:
        code = debate(order.words)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001  as an interpreter does
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
