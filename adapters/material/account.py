"""Sentences about a reading: how much was read, and why there is nothing to debate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from adapters.forges import refusals
from core.debate.errors import BadInput
from core.debate.material import Coverage, Read
from core.debate.material.coverage import FileCandidate
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.material.escaping import show_path
from core.debate.stored import stored, stored_many
from core.words.views.language.grammar import plural


def nothing_readable(offered: Sequence[FileCandidate], short: str, budget: int) -> BadInput:
    if any(one.file.hunks and not one.file.submodule and not one.left_out for one in offered):
        return refusals.too_large(short, budget)
    left: dict[str, list[str]] = {}
    for one in offered:
        if one.left_out:
            left.setdefault(one.left_out, []).append(show_path(one.file.path))
    groups = sorted(left.items(), key=lambda group: -len(group[1]))[:4]
    listed = "; ".join(f"{why}: {_first_of(paths)}" for why, paths in groups)
    next_step = ""
    if any(why in _MADE for why in left):
        next_step = " Add the change of the source that it is made from."
    return BadInput(
        f"{short} changes nothing that can be read "
        f"({listed or counted([one.file for one in offered])}).{next_step} No model was called."
    )


def _first_of(paths: Sequence[str]) -> str:
    rest = len(paths) - 3
    more = ""
    if rest > 0:
        more = f" and {plural(rest, 'more file')}"
    return ", ".join(paths[:3]) + more


_MADE = ("minified", "generated", "vendored", "lock file")
"""Reasons of files that a program made from other files."""


def counted(files: Iterable[FileDiff]) -> str:
    """Returns the contents of a change without text, counted: ``1 rename, 1 mode change``."""
    kinds = Counter(_kind_of(file) for file in files)
    return ", ".join(plural(count, kind) for kind, count in kinds.items()) or "it is empty"


def _kind_of(file: FileDiff) -> str:
    if file.binary:
        return "binary file"
    if file.submodule:
        return "submodule pointer"
    if file.status is FileStatus.MODIFIED:
        if file.remarks:
            return "mode change"
        return "textless file"
    return {FileStatus.RENAMED: "rename", FileStatus.COPIED: "copy"}.get(
        file.status, f"empty file {file.status}"
    )


def coverage_notes(coverage: Sequence[Coverage]) -> list[str]:
    """Returns one sentence about how much was read, if that is not everything."""
    states = Counter(one.state for one in coverage)
    if states[Read.FULL] == len(coverage):
        return []
    reasons = Counter(one.reason for one in coverage if one.state is Read.LEFT_OUT)
    counts = (stored("{why}: {n}", why=why, n=count) for why, count in reasons.most_common(4))
    files = stored_many(len(coverage), "{n} file", "{n} files")
    parts = [stored("{full} of {why_files} read in full", full=states[Read.FULL], why_files=files)]
    if states[Read.PARTIAL]:
        parts.append(stored("{partly} in part", partly=states[Read.PARTIAL]))
    if states[Read.LEFT_OUT]:
        left, why = states[Read.LEFT_OUT], "; ".join(counts)
        parts.append(stored("{left} left out ({why})", left=left, why=why))
    note = f"{', '.join(parts)}."
    if any("budget" in one.reason for one in coverage):
        note = stored("{why} Narrow it with path:FOLDER/ after the link.", why=note)
    return [note]
