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
from core.languages.stored import say_stored
from core.words.views.language.grammar import listed, plural


def nothing_readable(offered: Sequence[FileCandidate], short: str, budget: int) -> BadInput:
    if any(one.file.hunks and not one.file.submodule and not one.left_out for one in offered):
        return refusals.too_large(short, budget)
    left: dict[str, list[str]] = {}
    for one in offered:
        if one.left_out:
            left.setdefault(one.left_out, []).append(show_path(one.file.path))
    groups = sorted(left.items(), key=lambda group: -len(group[1]))[:4]
    reasons = "; ".join(_in_words(why, paths) for why, paths in groups)
    why = reasons or say_stored(counted([one.file for one in offered]))
    if any(why in _MADE for why in left):
        return BadInput(
            "{short} changes nothing that can be read ({why}). Add the change of the source that "
            "it is made from. No model was called.",
            short=short,
            why=why,
        )
    return BadInput(
        "{short} changes nothing that can be read ({why}). No model was called.",
        short=short,
        why=why,
    )


def _in_words(why: str, paths: Sequence[str]) -> str:
    named = [", ".join(paths[:3])]
    if rest := paths[3:]:
        named.append(plural(len(rest), "more file"))
    return f"{say_stored(why)}: {listed(named)}"


_MADE = ("minified", "generated", "vendored", "lock file")
"""Reasons of files that a program made from other files."""


def counted(files: Iterable[FileDiff]) -> str:
    """Returns the contents of a change without text, counted: ``1 rename, 1 mode change``."""
    kinds = Counter(_kind_of(file) for file in files)
    return ", ".join(_number_of(kind, n) for kind, n in kinds.items()) or stored("it is empty")


def _kind_of(file: FileDiff) -> str:
    if file.binary:
        return "binary"
    if file.submodule:
        return "submodule"
    if file.status is FileStatus.MODIFIED and file.remarks:
        return "mode"
    return file.status


def _number_of(kind: str, n: int) -> str:
    match kind:
        case "binary":
            return stored_many(n, "{n} binary file", "{n} binary files")
        case "submodule":
            return stored_many(n, "{n} submodule pointer", "{n} submodule pointers")
        case "mode":
            return stored_many(n, "{n} mode change", "{n} mode changes")
        case FileStatus.RENAMED:
            return stored_many(n, "{n} rename", "{n} renames")
        case FileStatus.COPIED:
            return stored_many(n, "{n} copy", "{n} copies")
        case FileStatus.ADDED:
            return stored_many(n, "{n} empty file added", "{n} empty files added")
        case FileStatus.DELETED:
            return stored_many(n, "{n} empty file deleted", "{n} empty files deleted")
        case _:
            return stored_many(n, "{n} textless file", "{n} textless files")


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
