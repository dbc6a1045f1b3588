"""What the shell can name on this machine: a diff, a text, a folder of Markdown, standard input, a
range of the repository it stands in.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from adapters.forges import refusals
from adapters.processes.environment import child_environment
from adapters.processes.files import NotRegular, TooLarge, read_regular
from core.errors import BadInput

_LARGEST = 20_000_000  # bytes of one file
_MOST_FILES = 200  # of one folder
_DIFFS = frozenset({".diff", ".patch"})
_TEXTS = frozenset({".md", ".markdown"})
_RANGE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./~^@{}-]*", re.ASCII)
_GIT = ("git", "-c", "core.quotePath=true", "-c", "color.ui=never", "-c", "log.showSignature=false")
_GIT_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "",  # nothing is fetched, so no remote names a program to fetch with
    "GIT_NO_LAZY_FETCH": "1",
}
_RUNS = re.compile(r"filter\..*\.(?:clean|smudge|process)")  # names of settings that name programs


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
    harmless = await _harmless(cwd)
    data = await _git(
        cwd,
        harmless,
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
    log = await _git(cwd, harmless, "log", "-1", "--format=%H%n%s", "--end-of-options", newer, "--")
    commit, subject = log.decode("utf-8", "replace").split("\n", 1)
    revision = commit if ".." in span else ""
    return data, revision, subject.strip()


async def _harmless(cwd: Path) -> dict[str, str]:
    """Settings that switch off what the repository's own would run, as git's environment."""
    fixed = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
    names = (await _git(cwd, _settings(fixed), "config", "--null", "--name-only", "--list")).decode(
        "utf-8", "surrogateescape"
    )
    programs = {name: "" for name in names.split("\0") if _RUNS.fullmatch(name)}
    needed = {f"{name.rpartition('.')[0]}.required": "false" for name in programs}
    return _settings({**fixed, **programs, **needed})


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    numbered = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, pair in enumerate(values.items())
        for part, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return {"GIT_CONFIG_COUNT": str(len(values)), **numbered}


async def _git(cwd: Path, settings: Mapping[str, str], *arguments: str) -> bytes:
    try:
        process = await asyncio.create_subprocess_exec(
            *_GIT,
            *arguments,
            cwd=cwd,
            env=child_environment({**_GIT_ENVIRONMENT, **settings}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise BadInput("git: needs the program git, which was not found.") from error
    if process.stdout is None or process.stderr is None:
        raise OSError("no pipes")
    try:
        out, err = await asyncio.gather(
            _upto(process.stdout, _LARGEST + 1), _upto(process.stderr, _LARGEST)
        )
    finally:
        if process.returncode is None and not process.stdout.at_eof():
            process.kill()
    if len(out) > _LARGEST:
        raise BadInput(f"That range is larger than {_LARGEST // 1_000_000} MB. Narrow it.")
    if await process.wait():
        raise BadInput(
            "git could not make that diff: "
            f"{refusals.shown(err.decode('utf-8', 'replace').removeprefix('fatal: '))}"
        )
    return out


async def _upto(stream: asyncio.StreamReader, most: int) -> bytes:
    """What comes until the end, or its first ``most`` bytes."""
    parts, left = [], most
    while left and (part := await stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _shown(path: Path) -> str:
    return refusals.shown(str(path), 120)
