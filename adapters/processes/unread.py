"""Words for a file that a person named and that can't be read: what it is, and the next step."""

from __future__ import annotations

import os
import shlex
from itertools import islice
from pathlib import Path

from core.debate.errors import BadInput
from core.debate.material.escaping import show_path
from core.languages import msgid
from core.words.views.language.grammar import nearest

_NAMES = 2_000
"""The most names of a folder among which the nearest is looked for."""
_MISSING = {
    "file": msgid("There is no file '{path}'."),
    "folder": msgid("There is no folder '{path}'."),
    "copy": msgid("There is no copy '{path}'."),
    "key": msgid("There is no key '{path}'."),
    "template": msgid("There is no template '{path}'."),
}


def unread(path: Path, error: OSError, kind: str = "file") -> BadInput:
    """Returns the error for a ``kind`` of file that could not be read, with the next step."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return no_file(path, kind)
    if isinstance(error, PermissionError):
        return BadInput(
            "'{path}' may not be read by this account. {step}",
            path=_escaped(path),
            step=_permission(path),
        )
    if path.is_dir():
        return BadInput(
            "'{path}' is a folder. Name a file in it: {listing}",
            path=_escaped(path),
            listing=_listing(path),
        )
    reason = (error.strerror or str(error)).lower()
    return BadInput("'{path}' can't be read: {reason}.", path=_escaped(path), reason=reason)


def only_a_folder(named: str) -> BadInput:
    """Returns the error for a folder that was named as what a review reads."""
    return BadInput(
        "{name} is a folder. Like this: debate . (what your branch changes), debate "
        "code_review {file} (one file) or debate design_doc {folder} (its Markdown "
        "files)",
        name=repr(named[:80]),
        file=shlex.quote(str(Path(named, "FILE"))),
        folder=shlex.quote(named),
    )


def no_file(path: Path, kind: str = "file") -> BadInput:
    """Returns the error for a ``kind`` of file that is not there, with the nearest name if any."""
    if not path.parent.is_dir() and path.parent != path:
        return no_file(path.parent, "folder")
    missing = BadInput(_MISSING[kind], path=_escaped(path))
    if near := near_file(path, folders=kind == "folder"):
        return BadInput("{missing} Did you mean {near}?", missing=missing, near=near)
    listing = _listing(path.parent)
    return BadInput("{missing} What is there: {listing}", missing=missing, listing=listing)


def near_file(path: Path, *, folders: bool = False) -> str:
    """Returns the name in the same folder that looks most like a missing one, "" if none does. A
    name with another ending has to be very like it.
    """
    try:
        with os.scandir(path.parent) as entries:
            there = [one.name for one in islice(entries, _NAMES) if one.is_dir() == folders]
    except (OSError, ValueError):
        return ""
    names = [name for name in there if show_path(name) == name]
    ending = path.suffix.lower()
    alike = {Path(name).stem: name for name in names if Path(name).suffix.lower() == ending}
    near = alike.get(nearest(path.stem, alike)) or nearest(path.name, names, 0.8)
    if near:
        return _typed(path.parent / near)
    return ""


def _permission(path: Path) -> BadInput:
    """Returns the next step for a file that may not be read: only its owner can allow it."""
    try:
        own = path.stat().st_uid == os.geteuid()
    except OSError:
        own = False
    if own:
        return BadInput("Allow it: chmod u+r {path}", path=_typed(path))
    return BadInput("Ask its owner, whom this names: ls -ld {path}", path=_typed(path))


def _listing(folder: Path) -> str:
    if _relative(folder) == Path():
        return "ls"
    return f"ls {_typed(folder)}"


def _typed(path: Path) -> str:
    return shlex.quote(_escaped(path))


def _escaped(path: Path) -> str:
    return show_path(str(_relative(path)))


def _relative(path: Path) -> Path:
    """Returns the path as it is typed in the working folder."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return path.relative_to(here)
    return path
