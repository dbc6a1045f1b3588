"""Reads what the shell can name on this machine: a diff, a text, a folder of Markdown, standard
input.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from adapters.diffs.patches import begins_diff
from adapters.diffs.reading_order import is_vendored
from adapters.forges import refusals
from adapters.processes.files import FileTooLarge, NotRegular, read_regular
from adapters.processes.unread import unread
from adapters.text.encodings import as_utf8
from core.application.commands.parsing import DIFFS
from core.debate.errors import BadInput
from core.debate.stored import stored, stored_many

_LARGEST = 20_000_000  # bytes of one file
_MOST_FILES = 200  # of one folder
_TEXTS = frozenset({".md", ".markdown"})


def is_diff(name: str, data: bytes) -> bool:
    """Return whether a file is a diff: by its ending, or by how it begins."""
    return Path(name).suffix.lower() in DIFFS or begins_diff(data)


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a regular file.

    ``BadInput`` if there is none, or it is too large or may not be read.
    """
    try:
        return as_utf8(read_regular(path, _LARGEST))
    except NotRegular as error:
        raise BadInput(
            "{path} is not a regular file. Pipe what it gives: COMMAND | debate TEMPLATE -",
            path=_shown(path),
        ) from error
    except FileTooLarge as error:
        raise BadInput(
            "{path} is larger than {most} MB.", path=_shown(path), most=_LARGEST // 1_000_000
        ) from error
    except OSError as error:
        raise unread(path, error) from error


def read_input(stdin: BinaryIO) -> bytes:
    """Reads standard input. Raises ``BadInput`` if it is too large."""
    data = stdin.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BadInput("Standard input is larger than {most} MB.", most=_LARGEST // 1_000_000)
    return as_utf8(data)


def folder_texts(folder: Path) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    """Returns the Markdown files below a folder as (name, text), by name, and a note on what else
    is there. No link leads out of the folder.
    """
    root = folder.resolve()
    texts, passed, others = [], [], 0
    for place, folders, files in os.walk(folder):
        foreign = [name for name in folders if name.startswith(".") or is_vendored(f"{name}/")]
        folders[:] = [name for name in folders if name not in foreign]
        passed += [Path(place, name).relative_to(folder).as_posix() for name in foreign]
        paths = [Path(place, name) for name in files]
        named = [path for path in paths if path.suffix.lower() in _TEXTS and path.is_file()]
        texts += named
        others += len(paths) - len(named)
    texts.sort()
    inside = [path for path in texts if path.resolve().is_relative_to(root)]
    if not inside:
        raise BadInput(
            "{folder} holds no Markdown files. Name a file in it. In a repository, what your "
            "branch changes: debate .",
            folder=_shown(folder),
        )
    notes = []
    if outside := [_shown(path) for path in texts if path not in inside]:
        notes.append(
            stored(
                "Links that lead out of the folder were not read ({count}): {names}.",
                count=len(outside),
                names=", ".join(outside[:3]),
            )
        )
    if passed:
        notes.append(
            stored(
                "Hidden folders and those of dependencies were not read ({count}): {names}.",
                count=len(passed),
                names=", ".join(refusals.quote(name, 120) for name in sorted(passed)[:3]),
            )
        )
    if others:
        notes.append(
            stored_many(
                others,
                "{n} other file was not read: of a folder only Markdown is.",
                "{n} other files were not read: of a folder only Markdown is.",
            )
        )
    if len(inside) > _MOST_FILES:
        notes.append(
            stored(
                "Only the first {most} of {total} Markdown files were taken.",
                most=_MOST_FILES,
                total=len(inside),
            )
        )
    return [
        (path.relative_to(folder).as_posix(), text_of(read_bytes(path)))
        for path in inside[:_MOST_FILES]
    ], notes


def text_of(data: bytes) -> str:
    """Returns the text of a file. Raises ``BadInput`` if it is binary."""
    if b"\0" in data[:8000]:
        raise BadInput("That file is binary. Give a text, Markdown, .diff or .patch file.")
    return data.decode("utf-8-sig", "backslashreplace")


def _shown(path: Path) -> str:
    return refusals.quote(str(path), 120)
