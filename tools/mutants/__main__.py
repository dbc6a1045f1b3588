"""``python -m tools.mutants [--count N] [--seed N] [--only TEXT] [FOLDER …]``: puts N random small
faults into the functions of the product (or of these folders), one at a time, and runs the tests
that run the changed line, the nearest and quickest first. A fault that no test sees is named. It
ends with 1 below 95 of 100. ``--only`` tries the drawn faults whose name contains the text, such as
faults that no test saw before.

A first run of all tests finds which of them run a line (``--map`` repeats it). Mutants live in
separate processes and in no file. Never drawn are places that only a reader of the source or of the
log sees: annotations, decorators, lines of the log, the texts of exceptions, the code's own checks
(``assert``, the ``strict`` of ``zip``), and code outside of functions.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from operator import eq
from pathlib import Path, PurePosixPath

import pytest

from tests.project import ROOT
from tools.lines import FLOORS, MAPS, QUIET, LineMap, make_maps
from tools.mutants.faults import EQUIVALENT, Fault, faults_in
from tools.mutants.loading import (
    Functions,
    called_by_imports,
    can_be_put_in,
    hand_on,
    import_all,
    load,
    put_in,
)

_FIRST = 4.0
"""Seconds of the tests that are run first: they see most faults."""
_ALL = 60.0
"""Seconds of tests, as they take without a fault, after which a fault counts as not seen."""
_HANGS = 900
"""Seconds after which a mutant counts as seen: it does not end."""
_ENDING = ("-x", "--timeout=90")
_GOLDEN = ("golden",)
"""The folder of tests that compare everything that is made: near to the whole product."""
_NOT_PUT_IN = 99
"""The exit code of a process that could not put its fault in."""
_QUICK = 0.5
"""Seconds; a test that takes less waits for nothing."""
_SMALL = 0.05
"""Seconds; a test that takes less need not wait its turn."""
_WANTED = 0.95
_LARGE = (
    "aiohttp.web", "aiosqlite", "alembic.command", "cryptography.x509", "discord", "hypothesis",
    "jinja2", "jsonschema", "markdown_it", "msgspec", "pytest_asyncio", "pytest_timeout",
    "rich.console", "slack_bolt.async_app", "slack_sdk.web.async_client", "sqlalchemy.orm",
    "unidiff",
)  # fmt: skip
"""Libraries that are imported once, before the mutants, which are forked."""


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tools.mutants")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", action="append", default=[], metavar="TEXT")
    options.add_argument("--map", action="store_true", dest="anew")
    options.add_argument("folders", nargs="*", default=FLOORS)
    given = options.parse_args()
    if given.anew or not list(MAPS.glob("*.json")):
        make_maps()
    files = sorted(file for folder in given.folders for file in _files(ROOT / folder))
    known = [fault for file in files for fault in faults_in(file, ROOT)]
    drawn = random.Random(given.seed).sample(known, min(given.count, len(known)))
    if given.only:
        drawn = [fault for fault in drawn if any(text in fault.name for text in given.only)]
    equivalent = [fault for fault in drawn if fault.name in EQUIVALENT]
    for name in _LARGE:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        unseen = list(_unseen([f for f in drawn if f not in equivalent], given.jobs, Path(folder)))
    counted = len(drawn) - len(equivalent)
    seen = counted - len(unseen)
    print(f"seed {given.seed}: {len(drawn)} drawn of {len(known)}, {len(equivalent)} equivalent")
    print(f"{seen} of {counted} faults were seen ({seen / max(counted, 1):.1%})")
    return 0 if seen >= _WANTED * counted else 1


def _files(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else place.rglob("*.py")


def _unseen(faults: Sequence[Fault], jobs: int, folder: Path) -> Iterator[Fault]:
    """Tries first the faults that show only in a module that is imported with them, then the
    others.
    """
    known, called = LineMap(), _called_by_imports(folder)
    early = [
        fault
        for fault in faults
        if [fault.file, fault.function] in called or not can_be_put_in(fault.file, fault.number)
    ]
    yield from _Trial(known, folder).unseen(early, jobs)
    functions = import_all(FLOORS)
    late = [fault for fault in faults if fault not in early]
    yield from _Trial(known, folder, functions).unseen(late, jobs, len(early) + 1)


def _called_by_imports(folder: Path) -> list[list[str]]:
    """File and name of each function that an import calls, found in a separate process."""
    file = folder / "called.json"
    pid = os.fork()
    if pid == 0:
        file.write_text(json.dumps(sorted(called_by_imports(FLOORS))), "utf-8")
        os._exit(0)
    os.waitpid(pid, 0)
    functions: list[list[str]] = json.loads(file.read_text("utf-8"))
    return functions


class _Trial:
    """Tries faults with the tests that run them. ``functions`` has the functions of the whole
    product if it is imported already: a fault is put into them, and nothing is imported anew.
    """

    def __init__(self, known: LineMap, folder: Path, functions: Functions | None = None) -> None:
        self._known, self._folder, self._functions = known, folder, functions
        self._sound = folder / "sound"

    def unseen(self, faults: Sequence[Fault], jobs: int, first: int = 1) -> Iterator[Fault]:
        """Tries each in a separate process, at most ``jobs`` at a time, and yields the unseen."""
        running: dict[int, Fault] = {}
        waiting = list(enumerate(faults, first))
        while waiting or running:
            while waiting and len(running) < jobs:
                number, fault = waiting.pop(0)
                own = self._folder / str(number)
                own.mkdir()
                pid = os.fork()
                if pid == 0:
                    os._exit(self._tried(number, fault, own))
                running[pid] = fault
            pid, status = os.wait()
            fault = running.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            if code not in (0, 1):
                raise SystemExit(f"It could not be tried: {fault.place}")
            if code:
                yield fault

    def _tried(self, number: int, fault: Fault, folder: Path) -> int:
        """Tries a fault, and lets nothing out of this process, which would remove the others'
        files.
        """
        try:
            return self._try(number, fault, folder)
        except (SystemExit, OSError, LookupError) as error:
            print(f"{number}: {error}", flush=True)
            return _NOT_PUT_IN

    def _try(self, number: int, fault: Fault, folder: Path) -> int:
        """Prints the test that saw a fault and returns 0; returns 1 if no test did.

        A slow test must fail a second time, without other tests, and each failing test must pass
        without the fault: a test that fails because the machine is busy has seen nothing.
        """
        tests = _in_order(fault, self._known)
        for part in _parts(tests, self._known.seconds):
            while part and (witness := self._first_failure(fault, part, folder)):
                quick = self._known.seconds.get(witness, 0) < _QUICK
                again = quick or self._first_failure(fault, [witness], folder)
                if again and self._is_sound(witness, folder):
                    print(f"{number}: seen by {witness}: {fault.place}", flush=True)
                    return 0
                if witness not in part:
                    raise SystemExit(f"{witness} fails without a fault, too")
                part.remove(witness)
        print(f"{number}: NOT SEEN by {len(tests)} tests: {fault.place}", flush=True)
        return 1

    def _is_sound(self, witness: str, folder: Path) -> bool:
        """Whether a test passes without a fault; each is tried once."""
        if not witness.startswith(("tests/", "tools/")):  # an import that fails, or an end
            return True
        known = self._sound.read_text("utf-8").split("\n") if self._sound.exists() else []
        if witness in known:
            return True
        if self._first_failure(None, [witness], folder):
            return False
        with self._sound.open("a", encoding="utf-8") as file:
            file.write(f"{witness}\n")
        return True

    def _first_failure(self, fault: Fault | None, tests: Sequence[str], folder: Path) -> str:
        """Returns the first test that fails, "" if none does, or a sentence if the run itself
        broke off.
        """
        file = folder / "failed"
        file.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            code = _NOT_PUT_IN
            with suppress(BaseException):
                signal.alarm(_HANGS)
                if fault is not None:
                    self._put_in(fault, folder)
                code = 1
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 1)
                os.dup2(nowhere, 2)
                code = int(pytest.main([*QUIET, *_ENDING, *tests], plugins=[_Failures(file)]))
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what a test started and could not end
        if code == 0:
            return ""
        if code == _NOT_PUT_IN:
            raise SystemExit(f"This fault could not be put in: {fault}")
        if file.exists():
            return file.read_text("utf-8")
        if code in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR):
            raise SystemExit(f"None of these tests could be run: {tests}")
        return f"its end: {code}"

    def _put_in(self, fault: Fault, folder: Path) -> None:
        hand_on(fault.file, fault.number, folder)
        if self._functions is None:
            load(fault.file, fault.number)
        else:
            put_in(fault.file, fault.number, self._functions)


def _in_order(fault: Fault, known: LineMap) -> list[str]:
    """Returns the tests that run the line; if there are none, the tests that run the function, else
    the tests that may run it in a separate process. The nearest and quickest are first; a test with
    many parameters gets one of them in each turn.
    """
    tests = (
        known.tests_of(fault.file, fault.lines)
        or known.tests_of(fault.file, fault.body)
        or _naming(fault.file, known)
    )
    room = PurePosixPath(fault.file).parent.parts

    def cost(test: str) -> tuple[int, float, str]:
        beside = PurePosixPath(test.partition("::")[0]).parts[1:]
        if beside[:1] == _GOLDEN:
            return -1, known.seconds[test], test
        shared = sum(1 for _ in takewhile(lambda pair: eq(*pair), zip(room, beside, strict=False)))
        return -shared, known.seconds[test], test

    turns = Counter[str]()
    order: list[tuple[int, int, str]] = []
    for test in sorted(tests, key=cost):
        name = test.partition("[")[0]
        turn = turns[name] if known.seconds[test] > _SMALL else 0
        order.append((turn, len(order), test))
        turns[name] += 1
    return [test for *_, test in sorted(order)]


def _naming(file: str, known: LineMap) -> set[str]:
    """Returns the tests on pages that name the module."""
    module = file.removesuffix(".py").replace("/", ".")
    pages = {test: test.partition("::")[0] for test in known.seconds}
    there = [page for page in set(pages.values()) if (ROOT / page).is_file()]
    naming = {page for page in there if module in (ROOT / page).read_text("utf-8")}
    return {test for test, page in pages.items() if page in naming}


def _parts(tests: Sequence[str], seconds: dict[str, float]) -> Iterator[list[str]]:
    """Returns the first tests, then the others, as far as time allows."""
    first: list[str] = []
    others: list[str] = []
    spent = 0.0
    for test in tests:
        spent += seconds[test]
        if spent <= _FIRST or not first:
            first.append(test)
        elif spent <= _ALL:
            others.append(test)
    yield from (part for part in (first, others) if part)


class _Failures:
    """A pytest plugin that writes the first test that failed to a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._file.exists():
            self._file.write_text(report.nodeid, "utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self._file.exists():
            self._file.write_text(f"the import of {report.nodeid}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
