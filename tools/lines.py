"""``python -m tools.lines [FOLDER …]`` finds which test runs which lines of the product. Runs the
tests of its four floors (or of these folders), prints the share of each floor's lines that they
run, and ends with 1 if a share is below its limit, or if a test fails.

What it learns is stored in ``build/lines`` for `tools.mutants`. Lines that only another process
runs are not seen, and end-to-end tests stay out: they start many.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.project import ROOT

FLOORS = ("core", "storage", "adapters", "bot")
LEAST: Mapping[str, float] = {"core": 0.98, "storage": 0.96, "adapters": 0.95, "bot": 0.88}
"""The share of each floor's lines that its tests must run: raise it with what they run."""
MAPS = ROOT / "build" / "lines"
QUIET = (
    "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=no",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # libraries are imported before the tests
)  # fmt: skip
_FAST = "not faults and not browser"
_GOLDEN = "tests/golden"
_FEW = 4
"""Examples of each property: which lines it runs shows early."""


class Tracer:
    """A pytest plugin that tells coverage which test begins, and times each."""

    def __init__(self) -> None:
        from coverage import Coverage  # stands in a folder of its own (Makefile)

        self._seconds: dict[str, float] = {}
        self._coverage = Coverage(
            data_file=None, source=list(FLOORS), config_file=False, messages=False
        )
        self._coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        began = time.monotonic()
        yield
        self._seconds[item.nodeid] = time.monotonic() - began

    def save(self, file: Path) -> None:
        self._coverage.stop()
        data = self._coverage.get_data()
        names = {name: number for number, name in enumerate(["", *self._seconds])}
        lines = {
            str(Path(path).relative_to(ROOT)): {
                line: sorted(names[test] for test in tests)
                for line, tests in data.contexts_by_lineno(path).items()
            }
            for path in sorted(data.measured_files())
        }
        file.write_text(json.dumps({"seconds": self._seconds, "lines": lines}), "utf-8")


class LineMap:
    """The lines and tests of the runs of all folders together."""

    def __init__(self, maps: Path = MAPS) -> None:
        self.seconds: dict[str, float] = {}
        self._tests: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file in sorted(maps.glob("*.json")):
            known = json.loads(file.read_text("utf-8"))
            names = ["", *known["seconds"]]
            self.seconds |= known["seconds"]
            for path, lines in known["lines"].items():
                for line, tests in lines.items():
                    self._tests[path][int(line)] |= {names[test] for test in tests}

    def tests_of(self, file: str, lines: Iterable[int]) -> set[str]:
        """Returns the tests that run one of these lines."""
        return set[str]().union(*(self._tests[file][line] for line in lines)) - {""}

    def lines_of(self, file: str) -> set[int]:
        """Returns the lines of a file that are run, by a test or by an import."""
        return {line for line, tests in self._tests[file].items() if tests}


def make_maps(folders: Collection[str] = (), maps: Path = MAPS) -> None:
    """Runs the tests of each folder in a separate process, so that nothing stays imported here;
    raises ``SystemExit`` if a test fails.
    """
    maps.mkdir(parents=True, exist_ok=True)
    for folder in folders or [*_folders()]:
        file = maps / (folder.strip("/").replace("/", "-") + ".json")
        file.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            os._exit(_make_map(folder, file))
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
            raise SystemExit(f"Tests of {folder} fail: fix them first.")


def _folders() -> Iterator[str]:
    """Yields each folder that holds tests of a floor, and the test files next to such folders; then
    the golden texts, which are made of all floors.
    """
    for floor in FLOORS:
        inner = sorted((ROOT / "tests" / floor).iterdir())
        tests = [path for path in inner if path.is_dir() and any(path.rglob("test_*.py"))]
        tests += [path for path in inner if path.match("test_*.py")]
        yield from (str(path.relative_to(ROOT)) for path in tests)
    yield _GOLDEN


def _make_map(folder: str, file: Path) -> int:
    from hypothesis import settings

    settings.register_profile("few", deadline=None, max_examples=_FEW, derandomize=True)
    tracer = Tracer()
    code = int(pytest.main([*QUIET, "-m", _FAST, "--hypothesis-profile=few", folder], [tracer]))
    tracer.save(file)
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def shares(known: LineMap) -> dict[str, float]:
    """Returns, for each floor, the share of its lines of code that are run."""
    from coverage import Coverage

    analysis = Coverage(data_file=None, config_file=False)
    lines, run = Counter[str](), Counter[str]()
    for floor in FLOORS:
        for file in sorted((ROOT / floor).rglob("*.py")):
            statements = {*analysis.analysis2(str(file))[1]}
            lines[floor] += len(statements)
            run[floor] += len(statements & known.lines_of(str(file.relative_to(ROOT))))
    return {floor: run[floor] / lines[floor] for floor in FLOORS}


def too_few(run: Mapping[str, float], least: Mapping[str, float] = LEAST) -> list[str]:
    """Returns a complaint for each floor of which fewer lines are run than must be."""
    return [
        f"{floor}: {run[floor]:.1%} of its lines are run by tests, and {share:.0%} must be"
        for floor, share in least.items()
        if run[floor] < share
    ]


def main() -> int:
    make_maps(sys.argv[1:])
    run = shares(LineMap())
    print(", ".join(f"{floor} {share:.1%}" for floor, share in run.items()))
    complaints = too_few(run)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
