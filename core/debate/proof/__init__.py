"""A test as evidence for a finding: its text, its runs on the trees around a change, the result.

A proof can only lift a finding. If there is none, the reason is named and never held against it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.debate.stored import stored

MOST_PROOFS = 3
"""The most findings of one debate for which a test is written."""
MOST_TRIES = 2
LARGEST_TEST = 12_000
"""Characters of a test file."""
SECONDS = 300.0
"""The time that all runs of one test may take together."""
USD = 0.50
"""The most that one proof may cost: its tests and the reading of them."""


class TreeName(StrEnum):
    """The trees on which a test is run."""

    BASE = "base"  # before the change
    HEAD = "head"  # the change
    FIX = "fix"  # the change with the fix of the finding
    PUT_BACK = "put_back"  # the change with the lines of the finding as they were before it


class Ending(StrEnum):
    """The end of one run of a test."""

    PASSED = "passed"
    FAILED = "failed"  # an assertion of the test failed
    RAISED = "raised"  # something other than an assertion of the test failed
    SKIPPED = "skipped"
    NOT_RUN = "not_run"  # it could not be imported or collected, or no report came back
    LIMIT = "limit"  # it reached a limit and was ended


@dataclass(frozen=True, slots=True)
class ProofTest:
    """A test that a seat wrote: a new file of the project at ``path``, in which ``name`` is the
    test that counts.
    """

    path: str
    name: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.path}::{self.name}"


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of the test on one tree. ``error`` is the line that describes the failure
    ("AssertionError: 3 != 2"), ``output`` what the framework printed, both redacted and cut.
    """

    __test__ = False

    ending: Ending
    error: str = ""
    output: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Framing:
    """What a test must look like to be run: ``where`` it will run, the project's ``framework``, an
    ``example``, the ``endings`` of its file's name, the ``tools`` that it finds there. ``problem``
    says why none can be run.
    """

    where: str = ""
    framework: str = ""
    example: str = ""
    endings: tuple[str, ...] = ()
    tools: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ProofRuns:
    """The runs of one test. ``problem`` says why the test was not run, and then ``again`` is true
    if another test could be. ``commits`` are the commits of base and head, ``digests`` hashes of
    the test and of each output, ``ignored`` the files of the change that set up its tests and were
    taken from the base instead, ``url`` a run of a pipeline.
    """

    where: str = ""
    framework: str = ""
    command: str = ""
    runs: Mapping[TreeName, TestRun] = field(default_factory=dict)
    problem: str = ""
    commits: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    url: str = ""
    again: bool = False

    @property
    def seconds(self) -> float:
        return sum(run.seconds for run in self.runs.values())


class Standing(StrEnum):
    """What the runs say of a finding."""

    PROVEN = "proven"
    NO_PROOF = "no_proof"
    REFUTED_INPUT = "refuted_input"  # the test passes on the change


@dataclass(frozen=True, slots=True)
class ProofResult:
    """``against`` names the tree on which the test passes ("base" or "fix"); ``reason`` says why
    there is no proof.
    """

    standing: Standing
    reason: str = ""
    against: str = ""


_WORDS = {
    Ending.PASSED: stored("passes {why_on}"),
    Ending.FAILED: stored("fails {why_on}"),
    Ending.RAISED: stored("ends with an error {why_on}"),
    Ending.SKIPPED: stored("is skipped {why_on}"),
    Ending.NOT_RUN: stored("could not be run {why_on}"),
    Ending.LIMIT: stored("was ended at a limit {why_on}"),
}
_ON = {
    TreeName.BASE: stored("before the change"),
    TreeName.HEAD: stored("on the change"),
    TreeName.FIX: stored("with the fix"),
    TreeName.PUT_BACK: stored("with the finding's lines put back"),
}


def run_words(tree: TreeName, run: TestRun) -> str:
    """Describes one run: "fails on the change (AssertionError: 3 != 2)"."""
    words = stored(_WORDS[run.ending], why_on=_ON[tree])
    return stored("{why_run} ({error})", why_run=words, error=run.error) if run.error else words


def judge(result: ProofRuns) -> ProofResult:
    """Returns what the runs of a test say. Anything but a clean flip is no proof, with the reason.

    The test fails on the change by its assertion, passes before it or with the fix, and if it
    passed before the change it also passes with only the finding's lines put back.
    """
    if result.problem:
        return ProofResult(Standing.NO_PROOF, result.problem)
    head = result.runs.get(TreeName.HEAD)
    if head is None:
        return ProofResult(Standing.NO_PROOF, stored("the test was not run on the change"))
    if head.ending is Ending.PASSED:
        return ProofResult(Standing.REFUTED_INPUT, run_words(TreeName.HEAD, head))
    if head.ending is not Ending.FAILED:
        words = run_words(TreeName.HEAD, head)
        return ProofResult(Standing.NO_PROOF, stored("the test {why_run}", why_run=words))
    base, fix = result.runs.get(TreeName.BASE), result.runs.get(TreeName.FIX)
    if base is not None and base.ending is Ending.PASSED:
        back = result.runs.get(TreeName.PUT_BACK)
        if back is not None and back.ending is not Ending.PASSED:
            words = run_words(TreeName.PUT_BACK, back)
            reason = stored("the test {why_run}, so it tests something else", why_run=words)
            return ProofResult(Standing.NO_PROOF, reason)
        return ProofResult(Standing.PROVEN, against=TreeName.BASE)
    if fix is not None and fix.ending is Ending.PASSED:
        return ProofResult(Standing.PROVEN, against=TreeName.FIX)
    others = [
        run_words(tree, run) for tree, run in ((TreeName.BASE, base), (TreeName.FIX, fix)) if run
    ]
    if not others:
        reason = stored("there was nothing to compare the change with")
    elif len(others) == 1:
        reason = stored("the test also {why_run}", why_run=others[0])
    else:
        reason = stored("the test also {why} and {why_other}", why=others[0], why_other=others[1])
    return ProofResult(Standing.NO_PROOF, reason)


_OS, _ENDS = r"(?:os|posix)", r"(?:_exit|abort|exec[lv]\w*)\b"
_MACHINERY = {
    "ends the run of": rf"\b{_OS}\s*\.\s*{_ENDS}"  # os._exit, and what is not called os
    rf"|\bimport\s[^\n]*\b{_OS}\s+as\s+(\w+)\b(?s:.*)\b\1\s*\.\s*{_ENDS}"
    rf"|\bfrom\s+{_OS}\s+import\s*(?:\([^)]*|[^\n]*)\b{_ENDS}"
    rf"|[\"']{_OS}[\"']\s*\)\s*\.\s*{_ENDS}|[\"']_exit[\"']"
    r"|\bsys\.exit\b|\bprocess\.(?:exit|reallyExit|kill|abort)\b",
    "touches the report of": r"/proc/|/tmp/report|\bjunit",
    "reaches into": r"\b_pytest\b|\bpytest_\w+|\bpytest\.exit\b|\bgc\.get_objects\b"
    r"|\bconftest\b|\bsys\.modules\b|\bsetprofile\b|\bsettrace\b",
}
_SKIPS = re.compile(
    r"\bskip(?:If|Unless|if|Test)?\b|\bxfail\b|\bimportorskip\b|\bexpectedFailure\b"
)
_STAYS = re.compile(r"[\w@][\w@+.-]*")


def defect_of(test: ProofTest) -> str:
    """Returns why a test is not run at all: it would be no file of the project, or it reaches for
    what judges it. Empty if nothing is wrong.
    """
    parts = test.path.split("/")
    if not all(map(_STAYS.fullmatch, parts)):
        return "its path is not that of a file of the project"
    if len(test.path) > 200 or len(parts) > 12:
        return "its path is too long"
    if not test.text.strip() or len(test.text) > LARGEST_TEST:
        return f"it is empty or longer than {LARGEST_TEST:,} characters"
    if not re.fullmatch(r"[\w .:,()'\"/\[\]<>=!?+*&#-]{1,200}", test.name):
        return "its name holds characters that no test's name holds"
    if skips := _SKIPS.search(test.text):
        return f"it can be skipped ({skips.group()})"
    for what, pattern in _MACHINERY.items():
        if reaches := re.search(pattern, test.text):
            return f"it {what} what judges it ({reaches.group()})"
    return ""
