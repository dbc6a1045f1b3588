"""``python -m tests.mutants [--count N] [--seed N] [FOLDER …]``: puts N random small faults into
the functions of the product (or of these folders), one at a time, and runs the tests that run the
changed line, the nearest and quickest first. A fault that no test sees is named. It ends with 1
below 95 of 100.

Which tests run a line is found out first, by one run of them all (``--map`` makes it anew). Mutants
live in processes of their own and in no file.
"""

from __future__ import annotations

import argparse
import importlib
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

from tests.lines import FLOORS, MAPS, QUIET, LineMap, make_maps
from tests.mutants.faults import EQUIVALENT, Fault, faults_in
from tests.mutants.loading import load
from tests.project import ROOT

_FIRST = 4.0
"""Seconds of the tests that are run first: they see most faults."""
_ALL = 60.0
"""Seconds of tests, as they take without a fault, after which a fault counts as not seen."""
_HANGS = 900
"""Seconds after which a mutant counts as seen: it does not end."""
_ENDING = ("-x", "--timeout=90")
_QUICK = 0.5
"""Seconds; a test that takes less waits for nothing."""
_WANTED = 0.95
_LARGE = (
    "aiohttp.web", "aiosqlite", "alembic.command", "cryptography.x509", "discord", "hypothesis",
    "jinja2", "jsonschema", "markdown_it", "msgspec", "pytest_asyncio", "pytest_timeout",
    "rich.console", "slack_bolt.async_app", "slack_sdk.web.async_client", "sqlalchemy.orm",
    "structlog", "unidiff",
)  # fmt: skip
"""Libraries that are imported once, before the mutants, which are forked."""


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.mutants")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--map", action="store_true", dest="anew")
    options.add_argument("folders", nargs="*", default=FLOORS)
    given = options.parse_args()
    if given.anew or not list(MAPS.glob("*.json")):
        make_maps()
    files = sorted(file for folder in given.folders for file in _files(ROOT / folder))
    known = [fault for file in files for fault in faults_in(file, ROOT)]
    drawn = random.Random(given.seed).sample(known, min(given.count, len(known)))
    equivalent = [fault for fault in drawn if fault.name in EQUIVALENT]
    for name in _LARGE:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        unseen = list(_unseen([f for f in drawn if f not in equivalent], given.jobs, Path(folder)))
    counted = len(drawn) - len(equivalent)
    seen = counted - len(unseen)
    print(f"seed {given.seed}: {len(drawn)} drawn of {len(known)}, {len(equivalent)} equivalent")
    print(f"{seen} of {counted} faults were seen ({seen / counted:.1%})")
    return 0 if seen >= _WANTED * counted else 1


def _files(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else place.rglob("*.py")


def _unseen(faults: Sequence[Fault], jobs: int, folder: Path) -> Iterator[Fault]:
    """Tries each fault in a process of its own, as many at a time as there are jobs."""
    known = LineMap()
    running: dict[int, Fault] = {}
    waiting = list(enumerate(faults, 1))
    while waiting or running:
        while waiting and len(running) < jobs:
            number, fault = waiting.pop(0)
            own = folder / str(number)
            own.mkdir()
            pid = os.fork()
            if pid == 0:
                os._exit(_try(number, fault, known, own))
            running[pid] = fault
        pid, status = os.wait()
        fault = running.pop(pid)
        if os.waitstatus_to_exitcode(status) != 0:
            yield fault


def _try(number: int, fault: Fault, known: LineMap, folder: Path) -> int:
    """Says who saw a fault; 1 when nobody did.

    A test that takes time must fail again alone, and pass without the fault: what fails because
    the machine is busy has seen nothing.
    """
    tests = _in_order(fault, known)
    for part in _parts(tests, known.seconds):
        while part and (witness := _first_failure(fault, part, folder)):
            alone = [witness]
            if known.seconds.get(witness, 0) < _QUICK or (
                _first_failure(fault, alone, folder) and not _first_failure(None, alone, folder)
            ):
                print(f"{number}: seen by {witness}: {fault.place}", flush=True)
                return 0
            part.remove(witness)
    print(f"{number}: NOT SEEN by {len(tests)} tests: {fault.place}", flush=True)
    return 1


def _in_order(fault: Fault, known: LineMap) -> list[str]:
    """Returns the tests that run the line, or the function where no line of its own is known: the
    nearest and quickest first, and of a test with many parameters one in each turn.
    """
    tests = known.tests_of(fault.file, fault.lines) or known.tests_of(fault.file, fault.body)
    room = PurePosixPath(fault.file).parent.parts

    def cost(test: str) -> tuple[int, float, str]:
        beside = PurePosixPath(test.partition("::")[0]).parts[1:]
        shared = sum(1 for _ in takewhile(lambda pair: eq(*pair), zip(room, beside, strict=False)))
        return -shared, known.seconds[test], test

    turns = Counter[str]()
    order: list[tuple[int, int, str]] = []
    for test in sorted(tests, key=cost):
        name = test.partition("[")[0]
        order.append((turns[name], len(order), test))
        turns[name] += 1
    return [test for *_, test in sorted(order)]


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


def _first_failure(fault: Fault | None, tests: Sequence[str], folder: Path) -> str:
    """Returns the first test that fails, "" if none does, or a sentence where none came to its
    end.
    """
    file = folder / "failed"
    file.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        code = 1
        with suppress(BaseException):
            signal.alarm(_HANGS)
            if fault is not None:
                load(fault.file, fault.number, folder)
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
    if file.exists():
        return file.read_text("utf-8")
    if code in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR):
        raise SystemExit(f"None of these tests could be run: {tests}")
    return f"its end: {code}"


if __name__ == "__main__":
    sys.exit(main())
