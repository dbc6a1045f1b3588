"""The test frameworks that a proof can be written in: how a repository shows that it uses one, how
one test of one file is run, and how the outcome is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from adapters.proofs.reports import of_jest, of_junit, of_unittest
from adapters.proofs.sandbox import REPORT
from adapters.text.documents import read_object
from core.debate.proof import TestRun

Reader = Callable[[bytes, str, str], TestRun]
"""Reads a report, given the path of the test file and the name of the test."""

_TEST_MODULE = re.compile(r"test\w*|[^\W\d]\w*_test")
_PYTEST = (
    "import sys, difflib, pprint, pytest; "  # its own modules are loaded before the change's
    "sys.path.insert(0, ''); "
    "raise SystemExit(pytest.main(sys.argv[1:]))"
)
_UNITTEST = """
import importlib.util, json, sys, traceback, unittest
sys.path.insert(0, "")
path, name, report = sys.argv[1:]
class Result(unittest.TextTestResult):
    rows = []
    def row(self, test, ending, error=None):
        if name in (test.id().rpartition(".")[2], ".".join(test.id().split(".")[-2:])):
            frames = traceback.extract_tb(error[2]) if error else []
            at = [f.filename for f in frames if "/unittest/" not in f.filename]
            line = traceback.format_exception_only(*error[:2])[0].strip() if error else ""
            self.rows.append([ending, line, at[-1] if at else ""])
    def addSuccess(self, test): super().addSuccess(test); self.row(test, "passed")
    def addFailure(self, test, e): super().addFailure(test, e); self.row(test, "failed", e)
    def addError(self, test, e): super().addError(test, e); self.row(test, "raised", e)
    def addSkip(self, test, why): super().addSkip(test, why); self.row(test, "skipped")
    def addExpectedFailure(self, test, e): self.row(test, "skipped")
    def addUnexpectedSuccess(self, test): self.row(test, "skipped")
spec = importlib.util.spec_from_file_location("proof_under_test", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
suite = unittest.defaultTestLoader.loadTestsFromModule(module)
ended = unittest.TextTestRunner(resultclass=Result).run(suite)
with open(report, "w") as file:
    json.dump(Result.rows, file)
sys.exit(not ended.wasSuccessful())
"""


@dataclass(frozen=True, slots=True)
class Framework:
    """A test framework. ``example`` shows a seat what a test looks like; ``tool`` is the program
    that runs it, in ``folder`` of the project's environment if it is there.

    ``setups`` match the files that set up tests: a change to one must not decide about its own
    tests.
    """

    name: str
    language: str
    example: str
    endings: tuple[str, ...]
    setups: re.Pattern[str]
    tool: str
    command: Callable[[str, str], Sequence[str]]
    read: Reader

    def accepts(self, path: str) -> str:
        """Returns why a file of that path would not be run as a test; "" if it would be."""
        if not path.endswith(self.endings):
            return f"a test of {self.name} ends with {' or '.join(self.endings)}"
        if self.language == "Python" and not _TEST_MODULE.fullmatch(PurePosixPath(path).stem):
            return "the name of a test's file is test_… or …_test"
        if self.setups.search(path):
            return "it is a file that sets up tests"
        return ""


_PYTHON_SETUPS = re.compile(
    r"(?:^|/)(?:conftest\.py|pytest\.ini|\.pytest\.ini|pytest\.toml|\.pytest\.toml|tox\.ini|setup\.cfg"
    r"|pyproject\.toml|sitecustomize\.py|usercustomize\.py|pytest\.py|unittest\.py|[^/]+\.pth)$"
    r"|^(?:_pytest|pytest|unittest|pluggy)/"
)
_NODE_SETUPS = re.compile(
    r"(?:^|/)(?:package\.json|\.npmrc|\.yarnrc[^/]*|(?:jest|vitest|vite|babel)\.config\.[cm]?[jt]sx?(?:on)?"
    r"|jest\.config\.json|vitest\.workspace\.[^/]+|\.babelrc[^/]*|\.mocharc\.[^/]+|\.swcrc"
    r"|(?:jest|vitest|test)[.-]?setup[^/]*\.[cm]?[jt]sx?|setupTests\.[cm]?[jt]sx?)$|(?:^|/)node_modules/"
    r"|(?:^|/)__mocks__/"
)
_JAVASCRIPT = (".test.js", ".test.mjs", ".test.cjs", ".test.jsx")
_TYPESCRIPT = (".test.ts", ".test.mts", ".test.tsx")

PYTEST = Framework(
    "pytest",
    "Python",
    "def test_total_counts_the_last_item():\n    assert total([1, 2]) == 3",
    (".py",),
    _PYTHON_SETUPS,
    "python",
    lambda path, name: (
        *("-B", "-P", "-c", _PYTEST, "-p", "no:cacheprovider", "-p", "no:xdist", "-q"),
        *("-o", "addopts=", "-o", "junit_logging=no", "-o", "xfail_strict=true"),
        *(f"--junitxml={REPORT}", "--", path),
    ),
    of_junit,
)
UNITTEST = Framework(
    "unittest",
    "Python",
    "class TestTotal(unittest.TestCase):\n    def test_last_item(self):\n"
    "        self.assertEqual(total([1, 2]), 3)",
    (".py",),
    _PYTHON_SETUPS,
    "python",
    lambda path, name: ("-B", "-P", "-c", _UNITTEST, path, name, REPORT),
    of_unittest,
)
VITEST = Framework(
    "vitest",
    "JavaScript",
    "import { expect, test } from 'vitest'\ntest('counts the last item', () => {\n"
    "  expect(total([1, 2])).toBe(3)\n})",
    (*_JAVASCRIPT, *_TYPESCRIPT),
    _NODE_SETUPS,
    "node_modules/vitest/vitest.mjs",
    lambda path, name: (
        *("run", path, "--reporter=json", f"--outputFile={REPORT}", "--no-coverage"),
        *("--no-cache", "--pool=forks"),
    ),
    of_jest,
)
JEST = Framework(
    "jest",
    "JavaScript",
    "test('counts the last item', () => {\n  expect(total([1, 2])).toBe(3)\n})",
    (*_JAVASCRIPT, *_TYPESCRIPT),
    _NODE_SETUPS,
    "node_modules/jest/bin/jest.js",
    lambda path, name: (
        *("--json", f"--outputFile={REPORT}", "--ci", "--runInBand", "--coverage=false"),
        *("--cacheDirectory=/tmp/cache", "--runTestsByPath", path),
    ),
    of_jest,
)
MOCHA = Framework(
    "mocha",
    "JavaScript",
    "const assert = require('assert')\nit('counts the last item', () => {\n"
    "  assert.strictEqual(total([1, 2]), 3)\n})",
    _JAVASCRIPT,
    _NODE_SETUPS,
    "node_modules/mocha/bin/mocha.js",
    lambda path, name: ("--reporter", "xunit", "--reporter-option", f"output={REPORT}", path),
    of_junit,
)
NODE = Framework(
    "node:test",
    "JavaScript",
    "import test from 'node:test'\nimport assert from 'node:assert'\n"
    "test('counts the last item', () => {\n  assert.strictEqual(total([1, 2]), 3)\n})",
    _JAVASCRIPT,
    _NODE_SETUPS,
    "node",
    lambda path, name: (
        *("--test", "--test-reporter=junit", f"--test-reporter-destination={REPORT}", path),
    ),
    of_junit,
)
FRAMEWORKS: Mapping[str, Framework] = {
    each.name: each for each in (PYTEST, UNITTEST, VITEST, JEST, MOCHA, NODE)
}
KNOWN = ", ".join(FRAMEWORKS)


def framework_of(files: Collection[str], read: Callable[[str], str], near: str) -> Framework | None:
    """Returns the framework of the tests of a repository, None if it shows none that is known here.
    ``files`` are its paths, ``read`` returns the text of one, ``near`` is the changed file.
    """
    if near.endswith((".py", ".pyi")):
        return _of_python(files, read)
    if re.search(r"\.[cm]?[jt]sx?$", near):
        return _of_node(files, read)
    return _of_node(files, read) or _of_python(files, read)


def _of_python(files: Collection[str], read: Callable[[str], str]) -> Framework | None:
    tests = [f for f in files if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", f)]
    named = ["pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "setup.py"]
    named += [f for f in files if re.search(r"(?:^|/)[^/]*(?:requirements|dev)[^/]*\.txt$", f)]
    shows = any("pytest" in read(name) for name in named if name in files)
    if shows or any(PurePosixPath(f).name in ("conftest.py", "pytest.ini") for f in files):
        return PYTEST
    texts = [read(path) for path in sorted(tests)[:20]]
    if any(re.search(r"^(?:import|from) unittest", text, re.MULTILINE) for text in texts):
        return UNITTEST
    if tests:
        return PYTEST
    return None


def _of_node(files: Collection[str], read: Callable[[str], str]) -> Framework | None:
    try:
        package = read_object(read("package.json")) if "package.json" in files else {}
        wanted = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
        script = str(package.get("scripts", {}).get("test", ""))
    except (ValueError, TypeError, AttributeError):
        return None
    for framework in (VITEST, JEST, MOCHA):
        if framework.name in wanted or framework.name in script:
            return framework
    if "node --test" in script or "node:test" in script:
        return NODE
    return None
