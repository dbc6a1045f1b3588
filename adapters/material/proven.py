"""Findings without judgement: code saw them, so no model and no injected text can refute them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import PurePosixPath

from adapters.diffs.patches import Parsed
from adapters.diffs.reading_order import LOCK_FILES, is_test
from adapters.repository.project_rules import is_rule_file
from core.debate.material import LEFT, RIGHT, CodeFinding, Line
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.stored import stored

_TEST_NAME = re.compile(
    r"^\s*(?:(?:async\s+)?def\s+(test\w*)\s*\(|func\s+(Test\w+)\s*\(|(?:it|test)\s*\(\s*(['\"`].{1,120}?['\"`])|(?:public\s+)?void\s+(test\w+)\s*\(|fn\s+(test_\w+)\s*\()"
)
_MOST = 20  # findings of one kind; more of the same help nobody


def proven_findings(parsed: Parsed) -> tuple[CodeFinding, ...]:
    """Returns all findings of code in a change, at most twenty of a kind."""
    files = parsed.files
    kinds = (
        parsed.secrets,
        parsed.unseen,
        _tests(files),
        _lock_files(files),
        _guidelines(files),
    )
    return tuple(finding for kind in kinds for finding, _ in zip(kind, range(_MOST), strict=False))


def _tests(files: Sequence[FileDiff]) -> Iterator[CodeFinding]:
    for file in files:
        if file.status is FileStatus.DELETED and is_test(file.path):
            yield CodeFinding(file.path, None, LEFT, "medium", stored("A test file is removed"))
    kept = {name for file in files for line in _lines(file, "+") for name in _test_names(line)}
    for file in files:
        if file.status is not FileStatus.DELETED:
            yield from _removed_tests(file, kept)


def _removed_tests(file: FileDiff, kept: Set[str]) -> Iterator[CodeFinding]:
    """Yields tests that a file loses and that no other file of the change takes in."""
    for line in _lines(file, "-"):
        for name in _test_names(line):
            if name not in kept:
                title = stored("The test {name} is removed", name=name)
                yield CodeFinding(file.path, line.old, LEFT, "medium", title, line.text)


def _lock_files(files: Sequence[FileDiff]) -> Iterator[CodeFinding]:
    changed = [PurePosixPath(file.path) for file in files]
    for file in files:
        path = PurePosixPath(file.path)
        manifests = LOCK_FILES.get(path.name)
        if manifests and not any(other.name.endswith(manifests) for other in changed):
            names = " or ".join(manifests)
            title = stored("The lock file changes without its manifest ({names})", names=names)
            yield CodeFinding(file.path, None, RIGHT, "low", title)


def _guidelines(files: Sequence[FileDiff]) -> Iterator[CodeFinding]:
    for file in files:
        if is_rule_file(file.path):
            title = stored(
                "The change edits the guidelines that reviewers follow; the base version was used"
            )
            yield CodeFinding(file.path, None, RIGHT, "medium", title)


def _lines(file: FileDiff, mark: str) -> Iterator[Line]:
    return (line for line in file.lines if line.mark == mark)


def _test_names(line: Line) -> Iterator[str]:
    match = _TEST_NAME.match(line.text)
    if match:
        yield next(name for name in match.groups() if name)
