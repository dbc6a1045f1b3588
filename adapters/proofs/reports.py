"""Reads the reports of test frameworks, which hold whatever a test wrote: as data, with bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from xml.etree import ElementTree

import msgspec

from adapters.text.documents import NoDocument, read_json
from core.debate.proof import Ending, TestRun

_MOST_CASES = 2000
_ERROR = 300
_ASSERTION = re.compile(
    r"^\W*(?:\w+\.)*(?:Assertion(?:Failed)?Error|ERR_ASSERTION|Failed|Error \[ERR_ASSERTION\])\b"
    r"|^assert\b"
)
_IN_JAVASCRIPT = re.compile(
    r"^\s*(?:cause: )?(?:Error: expect\(|(?:Jest)?AssertionError(?: \[\w+\])?:)", re.MULTILINE
)
_FRAME = re.compile(r"^\s+at (.*)$", re.MULTILINE)
_AT = re.compile(r"^(\S.*?):\d+: \S", re.MULTILINE)


NOTHING = TestRun(Ending.NOT_RUN)
_Case = tuple[str, Ending, str]
"""Name, ending and error of one test."""


def of_junit(report: bytes, path: str, name: str) -> TestRun:
    """Reads JUnit's XML, as pytest, mocha and node write it."""
    if b"<!DOCTYPE" in report or b"<!ENTITY" in report or b"\0" in report:  # UTF-16 hides them
        return NOTHING
    try:
        root = ElementTree.fromstring(report)  # noqa: S314  no entities, and as long as is allowed
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        return NOTHING
    cases = [_case(each, path) for each in root.iter("testcase")]
    return _only(cases[:_MOST_CASES], name)


def _case(case: ElementTree.Element, path: str) -> _Case:
    name = case.get("name", "")
    ending, error = Ending.PASSED, ""
    for part in case:
        message = part.get("message") or (part.text or "").strip()
        if part.tag == "skipped":
            return name, Ending.SKIPPED, message
        if part.tag == "error":  # while it was collected, set up or taken down
            return name, Ending.NOT_RUN, message
        if part.tag == "failure":
            ending = _ending_of_failure(message, part.text or "", path)
            error = message
    return name, ending, error


def _ending_of_failure(message: str, text: str, path: str) -> Ending:
    if path.endswith(".py"):
        places = _AT.findall(text)
        own = not places or places[-1] == path or PurePosixPath(places[-1]).is_absolute()
        if _ASSERTION.match(message) and own:
            return Ending.FAILED
        return Ending.RAISED
    if _is_asserted(text, path):
        return Ending.FAILED
    return Ending.RAISED


def _is_asserted(text: str, path: str) -> bool:
    """Return whether an error in JavaScript is an assertion of the test at ``path``, and not one
    that the code under test threw, in whatever words.
    """
    if (asserted := _IN_JAVASCRIPT.search(text)) is None:
        return False
    frame = _FRAME.search(text, asserted.end())
    return frame is None or f"{path}:" in frame[1]


class _Assertion(msgspec.Struct):
    status: str = ""
    title: str = ""
    fullName: str = ""  # noqa: N815  as jest writes it
    failureMessages: list[str] | None = None  # noqa: N815


class _File(msgspec.Struct):
    assertionResults: list[_Assertion] = []  # noqa: N815
    message: str = ""


class _Jest(msgspec.Struct):
    testResults: list[_File] = []  # noqa: N815


def of_jest(report: bytes, path: str, name: str) -> TestRun:
    """Reads the JSON of jest and vitest."""
    try:
        files = read_json(report, _Jest).testResults
    except NoDocument:
        return NOTHING
    cases: list[_Case] = []
    for each in files:
        for one in each.assertionResults:
            message = "\n".join(one.failureMessages or ())
            ending = {"passed": Ending.PASSED, "failed": Ending.RAISED}.get(
                one.status, Ending.SKIPPED
            )
            if ending is Ending.RAISED and _is_asserted(message, path):
                ending = Ending.FAILED
            cases.append((one.title if one.title == name else one.fullName, ending, message))
        if not each.assertionResults and each.message:
            return TestRun(Ending.NOT_RUN, _line(each.message))
    return _only(cases[:_MOST_CASES], name)


def of_unittest(report: bytes, path: str, name: str) -> TestRun:
    """Reads the rows that our own lines around unittest write."""
    try:
        rows = read_json(report, list[tuple[str, str, str]])
    except NoDocument:
        return NOTHING
    cases: list[_Case] = []
    for ending, error, at in rows[:_MOST_CASES]:
        known = next((one for one in Ending if one == ending), Ending.NOT_RUN)
        if known is Ending.FAILED and not (not at or at.endswith(path)):
            known = Ending.RAISED
        cases.append((name, known, error))
    return _only(cases, name)


def _only(cases: Sequence[_Case], name: str) -> TestRun:
    """Returns the outcome of the test of that name; with parameters all of its cases count, and one
    that was skipped or could not be run counts for all.
    """
    mine = [case for case in cases if _is_named(case[0], name)]
    if not mine:
        message = next((error for _, ending, error in cases if ending is Ending.NOT_RUN), "")
        return TestRun(Ending.NOT_RUN, _line(message))
    for ending in (Ending.NOT_RUN, Ending.SKIPPED, Ending.RAISED, Ending.FAILED):
        if first := next((error for _, each, error in mine if each is ending), None):
            return TestRun(ending, _line(first))
        if any(each is ending for _, each, _ in mine):
            return TestRun(ending)
    return TestRun(Ending.PASSED)


def _is_named(case: str, name: str) -> bool:
    wanted = name
    if re.fullmatch(r"[\w.:]+", name):
        wanted = name.replace("::", ".").split(".")[-1]
    return case in (name, wanted) or case.startswith(f"{wanted}[") or case.endswith(f" {name}")


def _line(message: str) -> str:
    """Returns the first line of an error that says something."""
    lines = (line.strip() for line in message.split("\n"))
    line = next(filter(None, lines), "")
    return (f"AssertionError: {line}" if line.startswith("assert ") else line)[:_ERROR]
