"""Proofs on real small projects, in the sandbox, with the frameworks that are installed here."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from adapters.proofs.local import SandboxProofs
from adapters.proofs.sandbox import Box, Limits, Ran, find_sandbox
from adapters.repository.snapshots import Project, snapshot_of_commit
from core.debate.finding import Finding, Severity
from core.debate.proof import Ending, ProofTest, Standing, TreeName, judge
from tests.adapters.proofs.test_sandbox import sandbox_or_skip
from tests.samples import samples
from tests.standins.engine import IMAGE, install
from tests.standins.project import commit, git, make_environment

HERE = Path(__file__).parent
RIGHT = "def total(items):\n    return sum(items)\n\n\ndef first(items):\n    return items[0]\n"
WRONG = RIGHT.replace("sum(items)", "sum(items[:-1])")
TEST = (
    "from shop import total\n\n\ndef test_the_last_item_counts():\n    assert total([1, 2]) == 3\n"
)


@pytest.fixture(name="environment", scope="module")
def _environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(tmp_path_factory.mktemp("environment"))


def finding_at(path: str, line: int | None, patch: str = "") -> Finding:
    fix = f"```diff\n{patch}\n```" if patch else ""
    return Finding("t1.f1", Severity.HIGH, 0.9, "It is wrong", path, line, fix=fix)


class Case:
    """A project in git with two commits, and the proofs of a change to it."""

    def __init__(self, folder: Path, environment: Path | None) -> None:
        sandbox_or_skip()
        self.folder, self.image = folder, ""
        git(folder, "init", "-q", "-b", "main")
        if environment is not None:
            (folder / ".venv").symlink_to(environment)
        commit(folder, {".gitignore": "/.venv\n"})

    async def prove(
        self,
        before: Mapping[str, str | None],
        after: Mapping[str, str | None],
        test: ProofTest,
        *,
        line: int = 2,
        patch: str = "",
    ) -> tuple[Standing, Mapping[TreeName, Ending], str]:
        base, head = commit(self.folder, before), commit(self.folder, after)
        before_it, after_it = [await snapshot_of_commit(self.folder, each) for each in (base, head)]
        self.project = Project(before_it, after_it, base, head, self.folder)
        return await self.run(test, finding_at(next(iter(after)), line, patch))

    async def run(
        self, test: ProofTest, finding: Finding
    ) -> tuple[Standing, Mapping[TreeName, Ending], str]:
        async def project() -> Project:
            return self.project

        proofs = SandboxProofs(partial(find_sandbox, self.image), project, image=self.image)
        self.framing = await proofs.prepare(finding.path)
        self.result = await proofs.run(test, finding)
        judged = judge(self.result)
        return (
            judged.standing,
            {tree: run.ending for tree, run in self.result.runs.items()},
            judged.reason,
        )


@pytest.fixture(name="case")
def _case(tmp_path: Path, environment: Path) -> Case:
    folder = tmp_path / "project"
    folder.mkdir()
    return Case(folder, environment)


APART = "\n" * 40
RENAMED = (
    RIGHT.replace("return ", "return 0 * THEN + ") + APART + "THEN = 1\n",
    WRONG.replace("return ", "return 0 * NOW + ") + APART + "NOW = 1\n",
)
"""A file before and after a change whose defect brings a new name: its line alone can't be put
back.
"""
UNITTEST = "import unittest\n\n\nclass TestFirst(unittest.TestCase):\n    pass\n"
UNIT = (
    "import unittest\n\nfrom shop import total\n\n\nclass TestTotal(unittest.TestCase):\n"
    "    def test_last(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)
FIRST = "from shop import first\n\n\ndef test_first():\n    assert first([1]) == 1\n"
OLD = {
    "shop.py": RIGHT,
    "tests/test_shop.py": FIRST,
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--cov'\n",
}


def new_test(text: str = TEST, name: str = "test_the_last_item_counts") -> ProofTest:
    return ProofTest("tests/test_proof.py", name, text)


async def test_a_test_that_fails_only_on_the_change_proves(case: Case) -> None:
    standing, runs, _ = await case.prove(OLD, {"shop.py": WRONG}, new_test())
    assert standing is Standing.PROVEN
    assert runs == {
        TreeName.HEAD: Ending.FAILED,
        TreeName.BASE: Ending.PASSED,
        TreeName.PUT_BACK: Ending.PASSED,
    }
    assert case.result.runs[TreeName.HEAD].error == "AssertionError: assert 1 == 3"
    assert case.framing.framework == "pytest"
    assert case.framing.tools.startswith("the packages pytest; the programs ")
    assert case.result.digests.keys() == {"test", "head", "base", "put_back"}
    assert case.result.commits["head"] == git(case.folder, "rev-parse", "HEAD")
    assert git(case.folder, "status", "--short") == ""


async def test_new_code_is_proven_by_its_fix(case: Case) -> None:
    added = "def last(items):\n    return items[0]\n"
    test = (
        "from more import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2, 'the first'\n"
    )
    fix = "-    return items[0]\n+    return items[-1]"
    standing, runs, _ = await case.prove(
        OLD, {"more.py": added}, new_test(test, "test_last"), patch=fix
    )
    assert standing is Standing.PROVEN
    assert runs[TreeName.BASE] is Ending.NOT_RUN
    assert runs[TreeName.FIX] is Ending.PASSED


UNPROVEN = {
    name: (text, reason)
    for heading, text in samples(HERE / "unproven.txt").items()
    for name, _, reason in (heading.partition(" | "),)
}
"""Tests that prove nothing, each with the words of the reason."""


@pytest.mark.parametrize("name", UNPROVEN)
async def test_everything_else_is_no_proof(
    case: Case, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, reason = UNPROVEN[name]
    if name == "it runs for ever":
        monkeypatch.setattr("adapters.proofs.local.SECONDS", 0.2)
    standing, _, why = await case.prove(OLD, {"shop.py": WRONG}, new_test(text))
    assert standing is Standing.NO_PROOF
    assert reason in why
    assert "ghp_A1b2" not in repr(case.result)
    assert "\u202e" not in "".join(run.output for run in case.result.runs.values())


async def test_the_whole_file_is_put_back_if_its_lines_need_one_another(case: Case) -> None:
    standing, runs, why = await case.prove(
        {**OLD, "shop.py": RENAMED[0]}, {"shop.py": RENAMED[1]}, new_test(), line=2
    )
    assert (standing, why) == (Standing.PROVEN, "")
    assert runs[TreeName.PUT_BACK] is Ending.PASSED


async def test_what_flips_elsewhere_does_not_prove_this_place(case: Case) -> None:
    before = RIGHT + APART + "LIMIT = 1\n"
    after = WRONG + APART + "LIMIT = 2\n"
    standing, runs, why = await case.prove(
        {**OLD, "shop.py": before}, {"shop.py": after}, new_test(), line=47
    )
    assert standing is Standing.NO_PROOF
    assert runs[TreeName.PUT_BACK] is Ending.FAILED
    assert "tests something else" in why


HOSTILE: dict[str, dict[str, str | None]] = {
    name: {path: text}
    for heading, text in samples(HERE / "hostile.txt").items()
    for name, path in (heading.split(" | "),)
}
"""Files with which a change would decide about its own tests."""


REFUSED = {
    "a test under a file": "shop.py/test_proof.py",
    "a test in place of a folder": "tests",
    "a test that is run when the project is installed": "setup.py",
    "a test that every program loads": "usercustomize.py",
}


async def test_a_path_that_is_no_new_tests_is_refused(case: Case) -> None:
    for name, path in REFUSED.items():
        test = ProofTest(path, "test_the_last_item_counts", TEST)
        standing, _, why = await case.prove(OLD, {"shop.py": WRONG}, test)
        assert (standing, bool(why)) == (Standing.NO_PROOF, True), name
        assert (case.result.runs, case.result.again) == ({}, True), name


async def test_a_change_does_not_decide_about_its_own_tests(case: Case) -> None:
    """Its set-up files and its modules that replace the framework's are not used."""
    text = TEST.replace("total([1, 2]) == 3", "str(total([1, 2])) + '\\n1' == '3\\n1'")
    modules = dict.fromkeys(("difflib.py", "pprint.py"), "import os\nos._exit(0)\n")
    planted = {path: text for files in HOSTILE.values() for path, text in files.items()}
    after = {"shop.py": WRONG, **planted, **modules}
    standing, _, why = await case.prove(OLD, after, new_test(text))
    assert (standing, why) == (Standing.PROVEN, "")
    assert case.result.ignored == tuple(sorted(planted))


async def test_a_change_plants_no_failure_and_a_test_that_passes_refutes_its_input(
    case: Case,
) -> None:
    planted = {"shop.py": RIGHT + "\n\nX = 1\n", **HOSTILE["a conftest that fails everything"]}
    standing, runs, _ = await case.prove(OLD, planted, new_test())
    assert standing is Standing.REFUTED_INPUT
    assert runs == {TreeName.HEAD: Ending.PASSED}


async def test_an_environment_that_git_holds_is_not_used(case: Case, tmp_path: Path) -> None:
    """A change may bring an interpreter of its own, which leads to a folder of this machine."""
    outside = tmp_path / "outside" / "bin"
    outside.mkdir(parents=True)
    (outside.parent / "key").write_text("of the owner", "utf-8")
    (outside / "python").write_text("#!/bin/sh\necho forged; exit 1\n", "utf-8")
    (outside / "python").chmod(0o755)
    (case.folder / ".venv").unlink()
    folder = case.folder / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(outside / "python")
    git(case.folder, "rm", "-q", "--cached", ".gitignore")
    before = {"shop.py": RIGHT, "tests/test_shop.py": UNITTEST, ".gitignore": ""}
    text = UNIT.replace(
        "total([1, 2])", f"len(__import__('glob').glob('{outside.parent}/*')), 3); 0 if 1 else (0"
    )
    hostile = {"shop.py": WRONG, ".venv/pyvenv.cfg": "home = /usr/bin\n"}
    test = ProofTest("tests/test_proof.py", "TestTotal.test_last", text)
    await case.prove(before, hostile, test)
    assert case.result.runs[TreeName.HEAD].error == "AssertionError: 0 != 3"
    assert "forged" not in repr(case.result)


async def test_modules_that_git_holds_are_those_of_the_base(case: Case) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed on this machine")
    package = json.dumps({"devDependencies": {"mocha": "1"}})
    runner = "node_modules/mocha/bin/mocha.js"
    before = {"shop.js": NODE_RIGHT, "package.json": package, ".gitignore": ""}
    forged = {"shop.js": NODE_RIGHT + "\n", runner: "console.log('forged'); process.exit(1)\n"}
    test = ProofTest("test/proof.test.js", "the last item counts", NODE_TESTS["mocha"])
    standing, _, why = await case.prove(before, forged, test)
    assert (standing, "not installed" in why) == (Standing.NO_PROOF, True)
    assert "forged" not in repr(case.result)


async def test_links_of_a_change_lead_nowhere(case: Case, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (case.folder / "tests").mkdir()
    (case.folder / "proofs").symlink_to(outside)
    test = ProofTest("proofs/test_proof.py", "test_the_last_item_counts", TEST)
    standing, _, why = await case.prove(OLD, {"shop.py": WRONG}, test)
    assert (standing, why) == (Standing.NO_PROOF, "there is a file already: proofs")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("image", ["", IMAGE])
async def test_unittest_without_pytest(
    case: Case, image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case.folder / ".venv").unlink()
    if image:
        install(tmp_path)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        case.image = image
    standing, runs, why = await case.prove(
        {"shop.py": RIGHT, "tests/test_shop.py": UNITTEST},
        {"shop.py": WRONG},
        ProofTest("tests/test_proof.py", "TestTotal.test_last", UNIT),
    )
    assert (standing, why) == (Standing.PROVEN, "")
    assert case.result.framework == "unittest"
    assert case.result.runs[TreeName.HEAD].error == "AssertionError: 1 != 3"
    assert runs[TreeName.PUT_BACK] is Ending.PASSED


NODE_RIGHT = "exports.total = (items) => items.reduce((a, b) => a + b, 0)\n"
NODE_TESTS = samples(HERE / "javascript.txt")


def _with_tool(case: Case, tool: str) -> Mapping[str, str] | None:
    """Installs a framework in the project and returns the files that name it, None if it is not on
    this machine.
    """
    program = shutil.which(tool)
    if program is None or shutil.which("node") is None:
        return None
    if tool != "node":
        folders = Path(program).resolve().parents
        modules = next(folder for folder in folders if folder.name == "node_modules")
        (case.folder / "node_modules").symlink_to(modules)
    script = "node --test" if tool == "node" else tool
    package = json.dumps({"scripts": {"test": script}})
    return {"package.json": package, ".gitignore": "/.venv\n/node_modules\n"}


@pytest.mark.parametrize("tool", NODE_TESTS)
async def test_javascript_is_proven_and_an_error_in_an_assertions_words_is_no_proof(
    case: Case, tool: str
) -> None:
    if (framed := _with_tool(case, tool)) is None:
        pytest.skip(f"node or {tool} is not installed on this machine")
    script = "node --test" if tool == "node" else tool
    planted = dict.fromkeys(
        ("jest.config.js", ".mocharc.cjs", "vitest.config.mjs"), "process.exit(0)"
    )
    planted["package.json"] = json.dumps({"scripts": {"test": script, "pretest": "echo hi"}})
    before = {"shop.js": NODE_RIGHT, **framed}
    after = {"shop.js": NODE_RIGHT.replace("items.reduce", "items.slice(1).reduce"), **planted}
    test = ProofTest("test/proof.test.js", "the last item counts", NODE_TESTS[tool])
    standing, runs, why = await case.prove(before, after, test, line=1)
    assert (standing, why) == (Standing.PROVEN, ""), case.result
    assert runs[TreeName.HEAD] is Ending.FAILED
    assert case.result.ignored == tuple(sorted(planted))
    assert case.framing.framework == ("node:test" if tool == "node" else tool)
    words = "'AssertionError [ERR_ASSERTION]: expect(received).toBe(3)'"
    thrown = f"exports.total = () => {{ throw new Error({words}) }}\n"
    standing, _, why = await case.prove(before, {"shop.js": thrown}, test, line=1)
    assert standing is Standing.NO_PROOF
    assert "ends with an error" in why, "in the words of an assertion"


async def test_a_project_without_tests_that_are_known(case: Case) -> None:
    standing, _, why = await case.prove(
        {"main.go": "package main\n"}, {"main.go": "package main\n\n"}, new_test()
    )
    assert standing is Standing.NO_PROOF
    assert "no framework known here (pytest" in case.framing.problem
    assert "no framework" in why


async def test_without_pytest_no_test_is_asked_for(case: Case) -> None:
    (case.folder / ".venv").unlink()
    (case.folder / ".venv" / "bin").mkdir(parents=True)
    (case.folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (case.folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", "utf-8")
    git(case.folder, "rm", "-q", "--cached", ".gitignore")
    (case.folder / ".gitignore").write_text(".venv\n", "utf-8")
    await case.prove(OLD, {"shop.py": WRONG}, new_test())
    assert "pytest is not installed for the project: make .venv" in case.framing.problem
    assert not case.result.runs


async def test_a_fork_is_not_run_here_unless_the_operator_allows_it() -> None:
    async def never(box: Box, command: Sequence[str], limits: Limits) -> Ran:
        raise AssertionError("it was run")

    async def project() -> Project:
        return Project({}, {}, "b", "h", fork=True)

    proofs = SandboxProofs(lambda: never, project)
    framing = await proofs.prepare("shop.py")
    result = await proofs.run(new_test(), finding_at("shop.py", 2))
    assert framing.problem == result.problem
    assert ",forks in DEBATE_PROVE" in result.problem
    allowed = SandboxProofs(lambda: never, project, forks=True)
    assert "no framework" in (await allowed.prepare("shop.py")).problem
