"""What the shell can name on this machine: a diff, a text, a folder of Markdown, standard input, a
range of the repository it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from adapters.forges import refusals
from adapters.processes.files import NotRegular, TooLarge, read_regular
from adapters.processes.git import GitFailed, GitTooLarge, git, harmless
from core.errors import BadInput

_LARGEST = 20_000_000  # bytes of one file
_MOST_FILES = 200  # of one folder
_DIFFS = frozenset({".diff", ".patch"})
_TEXTS = frozenset({".md", ".markdown"})
_RANGE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./~^@{}-]*", re.ASCII)


def is_diff(name: str, data: bytes) -> bool:
    """Whether a file is a diff: by its ending, or by how it begins."""
    return (
        Path(name).suffix.lower() in _DIFFS
        or data.startswith((b"diff --git ", b"--- a/"))
        or b"\ndiff --git " in data[:20_000]
    )


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file.

    ``BadInput`` where there is none, or it is too large or may not be read.
    """
    try:
        return read_regular(path, _LARGEST)
    except NotRegular as error:
        raise BadInput(
            f"{_shown(path)} is not a regular file. Pipe what it gives: COMMAND | debate TEMPLATE -"
        ) from error
    except TooLarge as error:
        raise BadInput(f"{_shown(path)} is larger than {_LARGEST // 1_000_000} MB.") from error
    except OSError as error:
        raise BadInput(
            f"{_shown(path)} can't be read: {(error.strerror or 'unknown reason').lower()}."
        ) from error


def read_input(stdin: BinaryIO) -> bytes:
    """What is piped in. ``BadInput`` where it is too large."""
    data = stdin.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BadInput(f"Standard input is larger than {_LARGEST // 1_000_000} MB.")
    return data


def folder_texts(folder: Path) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    """The Markdown files below a folder as (name, text), by name, and a note where not all were
    taken. No link leads out of the folder.
    """
    root = folder.resolve()
    named = (path for path in folder.rglob("*") if path.suffix.lower() in _TEXTS and path.is_file())
    found = sorted(path for path in named if path.resolve().is_relative_to(root))
    if not found:
        raise BadInput(f"{_shown(folder)} holds no Markdown files.")
    notes: tuple[str, ...] = ()
    if len(found) > _MOST_FILES:
        notes = (f"Only the first {_MOST_FILES} of {len(found)} Markdown files were taken.",)
    return [
        (path.relative_to(folder).as_posix(), text_of(read_bytes(path)))
        for path in found[:_MOST_FILES]
    ], notes


def text_of(data: bytes) -> str:
    """A text file's text. ``BadInput`` where it is binary."""
    if b"\0" in data[:8000]:
        raise BadInput("That file is binary. Give a text, Markdown, .diff or .patch file.")
    return data.decode("utf-8-sig", "backslashreplace")


async def git_diff(span: str, cwd: Path) -> tuple[bytes, str, str]:
    """(diff, commit of the newer side, its subject) for ``git:<span>`` of the repository at
    ``cwd``.

    The new side is the work tree where ``span`` names one commit. The repository may be anybody's:
    no program that its configuration names is run (diff and text conversion programs, filters,
    hooks, monitors, signature checks, fetches).
    """
    if not _RANGE.fullmatch(span) or span.count("..") > 1:
        raise BadInput(
            f"“{refusals.shown(span, 80)}” is not a range of commits. Write it as "
            "git:main...HEAD or git:HEAD~3..HEAD."
        )
    settings = await harmless(cwd)
    data = await _git(
        cwd,
        settings,
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",  # else git runs once more inside each, by its own settings
        "--find-renames",
        "--full-index",
        "--end-of-options",
        span,
        "--",
    )
    newer = re.split(r"\.{2,3}", span)[-1] or "HEAD"
    log = await _git(cwd, settings, "log", "-1", "--format=%H%n%s", "--end-of-options", newer, "--")
    commit, subject = log.decode("utf-8", "replace").split("\n", 1)
    revision = commit if ".." in span else ""
    return data, revision, subject.strip()


async def _git(cwd: Path, settings: Mapping[str, str], *arguments: str) -> bytes:
    try:
        return await git(cwd, settings, *arguments, most=_LARGEST)
    except GitTooLarge as error:
        raise BadInput(
            f"That range is larger than {_LARGEST // 1_000_000} MB. Narrow it."
        ) from error
    except GitFailed as error:
        raise BadInput(f"git could not make that diff: {refusals.shown(str(error))}") from error


def _shown(path: Path) -> str:
    return refusals.shown(str(path), 120)
