"""``python -m tests.mutants [--count N] [--seed N] [FOLDER …]``: puts N random small faults into
the functions of ``core`` (or of these folders), one at a time, and runs the tests that call the
changed function. A fault that no test sees is named. It ends with 1 below 95 of 100.

Which tests call a function is found out first, by one run of them all. Mutants live in a process
of their own and in no file.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

from tests.mutants.faults import Fault, faults_in, faulty
from tests.project import ROOT

TESTS = (
    "tests/core",
    "tests/adapters/posts",
    "tests/adapters/review",
    "tests/adapters/room",
    "tests/bot/debates",
    "tests/bot/desk",
)
"""Where functions of ``core`` are called."""
_KEPT = ROOT / ".mutants.json"
"""Who calls what, as the last run found it; ``--again`` finds it anew."""
_FIRST = 60
"""Tests of one function that are run first, the quickest of them: they see most faults."""
_PATIENCE = 200
"""Seconds after which a mutant counts as seen: it does not end."""
_WANTED = 0.95
_PLAIN = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=no")


class Callers:
    """A pytest plugin: which tests call which function of ours, and how long each takes."""

    def __init__(self) -> None:
        self.tests: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.seconds: dict[str, float] = {}
        self._seen: set[CodeType] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._seen, began = set(), time.monotonic()
        sys.setprofile(self._note)
        yield
        sys.setprofile(None)
        self.seconds[item.nodeid] = time.monotonic() - began
        for code in self._seen:
            with suppress(ValueError):
                file = str(Path(code.co_filename).relative_to(ROOT))
                self.tests[file, code.co_qualname].add(item.nodeid)

    def _note(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            self._seen.add(frame.f_code)

    def told(self) -> str:
        calls = [[*key, sorted(tests)] for key, tests in self.tests.items()]
        return json.dumps({"tests": calls, "seconds": self.seconds})

    def read(self, told: str) -> None:
        document = json.loads(told)
        self.seconds = document["seconds"]
        self.tests.update({(file, name): set(tests) for file, name, tests in document["tests"]})

    def of(self, fault: Fault) -> list[str]:
        """Tests that call the function or one within it, the quickest first."""
        found = {
            test
            for (file, name), tests in self.tests.items()
            if file == fault.file and (name + ".").startswith(fault.function + ".")
            for test in tests
        }
        return sorted(found, key=lambda test: (self.seconds[test], test))


class MutantLoader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module with its fault in it; all others come as ever."""

    def __init__(self, fault: Fault) -> None:
        self._file = ROOT / fault.file
        self._name = fault.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._number = fault.number

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        places = [str(self._file.parent)] if self._file.name == "__init__.py" else None
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(self._file))
        spec.submodule_search_locations = places
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        tree = faulty(self._file.read_text("utf-8"), self._number)
        exec(compile(tree, str(self._file), "exec"), module.__dict__)  # noqa: S102  our own source


def main() -> int:
    said = argparse.ArgumentParser(prog="python -m tests.mutants")
    said.add_argument("--count", type=int, default=200)
    said.add_argument("--seed", type=int, default=1)
    said.add_argument("--again", action="store_true")
    said.add_argument("folders", nargs="*", default=["core"])
    asked = said.parse_args()
    files = sorted(file for folder in asked.folders for file in _files(ROOT / folder))
    known = [fault for file in files for fault in faults_in(file, ROOT)]
    drawn = random.Random(asked.seed).sample(known, min(asked.count, len(known)))
    callers = _callers(again=asked.again)
    unseen = []
    for number, fault in enumerate(drawn, 1):
        tests = callers.of(fault)
        parts = [part for part in (tests[:_FIRST], tests[_FIRST:]) if part]
        if not any(_is_seen(fault, part) for part in parts):
            unseen.append(fault)
            print(f"{number}: NOT SEEN by {len(tests)} tests: {fault.place}", flush=True)
    seen = len(drawn) - len(unseen)
    print(f"{seen} of {len(drawn)} faults were seen, of {len(known)} there are; seed {asked.seed}")
    return 0 if seen >= _WANTED * len(drawn) else 1


def _files(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else place.rglob("*.py")


def _callers(*, again: bool) -> Callers:
    """Found by a child, so that the modules stay unimported here."""
    if again or not _KEPT.exists():
        pid = os.fork()
        if pid == 0:
            callers = Callers()
            code = _quietly([*_PLAIN, "-m", "not faults and not bench", *TESTS], [callers])
            if code == 0:
                _KEPT.write_text(callers.told(), "utf-8")
            os._exit(code)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
            raise SystemExit("The tests fail without a fault: mend them first.")
    callers = Callers()
    callers.read(_KEPT.read_text("utf-8"))
    return callers


def _is_seen(fault: Fault, tests: Sequence[str]) -> bool:
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        sys.meta_path.insert(0, MutantLoader(fault))
        signal.alarm(_PATIENCE)
        code = 1
        with suppress(BaseException):
            code = _quietly([*_PLAIN, *tests], [])
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise SystemExit(f"No tests could be run for {fault.place}")
    return code != 0


def _quietly(arguments: list[str], plugins: Sequence[object]) -> int:
    """Runs tests, which have the same examples each time, and says nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return int(pytest.main(arguments, plugins=list(plugins)))


if __name__ == "__main__":
    sys.exit(main())
