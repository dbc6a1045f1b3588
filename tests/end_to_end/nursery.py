"""Python programs in processes of their own, forked from one that has loaded the product already,
in a third of the processor time. They have the folder, the environment and the standard streams
that they are given. What a fresh interpreter is about (what is imported when, what help costs) is
asked of a real one.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn

from tests.end_to_end import relay
from tests.end_to_end.relay import NUMBER, ask, number_from
from tests.project import ROOT

LOADED = (
    "bot.shell.cli", "bot.shell.playing.run", "bot.shell.playing.live", "bot.shell.maintain",
    "bot.shell.serve", "bot.shell.links", "bot.wire.bot", "bot.desk.dispatch", "storage.schema",
    "adapters.processes.worker", "adapters.terminal.terminal", "sqlalchemy.dialects.sqlite",
    "tests.patience",
)  # fmt: skip
_START = (sys.executable, "-m", "tests.end_to_end.nursery")
_making = Lock()
_here: list[str] = []
"""The address of the nursery that this process is, or was forked from."""


class Nursery:
    """The process that is forked from, and the address at which it takes orders. It runs the code
    ``before`` it loads.
    """

    def __init__(self, before: str = "", loads: Sequence[str] = LOADED) -> None:
        folder = tempfile.mkdtemp(prefix="nursery-")
        atexit.register(shutil.rmtree, folder)
        self.address = f"{folder}/s"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.address)
            listening.listen(64)
            self._process = subprocess.Popen(
                [*_START, str(listening.fileno()), self.address, before, *loads],
                cwd=ROOT, stdin=subprocess.PIPE, pass_fds=[listening.fileno()],
            )  # fmt: skip
        atexit.register(self._process.communicate)  # it ends when its input does


def command() -> str:
    """Returns what a shell script types to run ``debate`` in the nursery, with the script's own
    arguments; signals are not passed on.
    """
    words = [sys.executable, "-IS", relay.__file__, usual(), "-m", "bot"]
    return f'{shlex.join(words)} "$@"'


@cache
def _made() -> Nursery:
    return Nursery()


def usual() -> str:
    """Returns the address of the one nursery that this process and what comes of it share."""
    with _making:
        return _here[0] if _here else _made().address


class Popen(subprocess.Popen[Any]):
    """As ``subprocess.Popen``, for a command that begins with this Python; ``executable`` is the
    address of another nursery than the usual one. Whoever was forked is a child of the nursery,
    which therefore tells how it ended.
    """

    def _execute_child(self, args: Sequence[str | Path], *given: Any) -> None:
        address, before, _, _, folder, env, _, _, shell, *pipes = given
        p2cread, _, _, c2pwrite, _, errwrite = pipes[:6]
        python, *typed = map(str, args)
        assert (python, before, shell) == (sys.executable, None, False)
        streams = [
            given if given >= 0 else number
            for number, given in enumerate((p2cread, c2pwrite, errwrite))
        ]
        given_env = os.environ if env is None else env
        folder = str(folder or Path.cwd())
        self.pid, self._news = ask(address or usual(), typed, folder, given_env, streams)
        self._child_created = True
        self._close_pipe_fds(*pipes[:6])  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        self._news.setblocking(wait_flags != os.WNOHANG)
        try:
            status = number_from(self._news)
        except BlockingIOError:
            return 0, 0
        self._news.close()
        return self.pid, status

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def start_reader(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
    """Forks a reader of strangers' text; starts any other program as it is."""
    python, *flags = command[:3]
    if (python, *flags) == (sys.executable, "-I", "-B"):
        return Popen([python, *command[3:]], **options)
    return subprocess.Popen(command, **options)


def run(
    args: Sequence[str | Path], *, timeout: float | None = None, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """As ``subprocess.run`` with ``capture_output``."""
    pipe = subprocess.PIPE
    with Popen(args, stdout=pipe, stderr=pipe, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(args, process.returncode, out, err)


def main(number: str, address: str, before: str, *loads: str) -> None:
    _here.append(address)
    exec(before, {})  # noqa: S102  a test's own
    for name in loads:
        importlib.import_module(name)
    if starting := sys.modules.get("adapters.processes.starting"):
        vars(starting)["Popen"] = start_reader
    gc.collect()
    gc.freeze()
    orders = socket.socket(fileno=int(number))
    deaths, bell = socket.socketpair()
    bell.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(bell.fileno())
    children: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([orders, deaths, sys.stdin], [], [])
        if deaths in ready:
            deaths.recv(4096)
            _tell(children)
        if orders in ready:
            _bear(children, orders)
        if sys.stdin in ready:
            return


def _bear(children: dict[int, socket.socket], orders: socket.socket) -> None:
    news, _ = orders.accept()
    head, streams, _, _ = socket.recv_fds(news, NUMBER.size, 3, socket.MSG_WAITALL)
    text = news.recv(NUMBER.unpack(head)[0], socket.MSG_WAITALL)
    if not (child := os.fork()):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _be(streams, **json.loads(text))
    children[child] = news
    news.sendall(NUMBER.pack(child))
    for each in streams:
        os.close(each)


def _tell(children: dict[int, socket.socket]) -> None:
    """Tells how those ended that have, to whoever still wants to know."""
    for child in list(children):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            with children.pop(child) as news, suppress(BrokenPipeError):
                news.sendall(NUMBER.pack(status))


def _be(streams: Sequence[int], typed: list[str], folder: str, env: dict[str, str]) -> NoReturn:
    """Runs the program, from its first line to its end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    tempfile.tempdir = None
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open to its end
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, errors="backslashreplace")  # noqa: SIM115
    code = 1
    try:
        _do(typed)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # noqa: BLE001  as an interpreter does
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _do(typed: list[str]) -> None:
    match typed:
        case ["-c", code, *words]:
            sys.argv = ["-c", *words]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  a test's own
        case ["-m", module, *words]:
            sys.argv = [module, *words]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case _:
            raise SystemExit(f"a nursery runs -c or -m, not {typed}")


if __name__ == "__main__":
    main(*sys.argv[1:])
