"""Reads and writes files. Nothing else in the adapters and the bot opens a file for writing.

Reading: only regular files, and only up to a limit. A device, a pipe or a socket can answer for
ever, and a file can grow while it is read. So a name is opened without waiting, the open file is
checked, and only then it is read, up to a limit.

Writing: no link is followed, neither at the file's name nor in a folder of the working folder that
leads to it, because a repository can bring links that lead to the person's own files.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from core.debate.errors import BadInput

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_THERE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegular(OSError):
    """The name of a device, a pipe, a socket or a folder."""


class FileTooLarge(OSError):
    """The file is larger than the limit."""


def resolved(path: Path) -> Path:
    """Returns the path without links. A link that leads to itself stays; it can't be opened."""
    return Path(os.path.realpath(path))


def read_regular(path: Path, most: int) -> bytes:
    """Returns the bytes of a regular file of at most ``most`` bytes.

    Raises ``NotRegular``, ``FileTooLarge`` and what opening a file raises.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular(0, "it is no regular file")
        if status.st_size > most:
            raise FileTooLarge(0, f"it is larger than {_shown(most)}")
        with os.fdopen(opened, "rb", closefd=False) as file:
            data = file.read(most + 1)  # it may grow, and files of /proc say that they are empty
    finally:
        os.close(opened)
    if len(data) > most:
        raise FileTooLarge(0, f"it is larger than {_shown(most)}")
    return data


def write_file(path: Path, data: bytes | str) -> None:
    """Writes the whole file or nothing, readable by this account only. A new file takes the name,
    so that a link of that name is replaced and not followed. Raises ``OSError``, and ``BadInput``
    if a link is on the way.
    """
    new = f".{secrets.token_hex(8)}.new"
    with _opened_folder(path.parent) as folder:
        opened = os.open(new, _NEW, 0o600, dir_fd=folder)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
            os.replace(new, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(new, dir_fd=folder)
            raise


def open_for_writing(path: Path, *, keep: bool = False) -> IO[bytes]:
    """Opens a file of a folder that we made for writing, at its end if its bytes are to ``keep``.
    Raises ``OSError``, ``NotRegular`` among them, and ``BadInput`` if a link is on the way.
    """
    with _opened_folder(path.parent) as folder:
        flags = _THERE | (os.O_APPEND if keep else 0)
        opened = os.open(path.name, flags, 0o600, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise NotRegular(0, "it is no regular file")
        if not keep:
            os.ftruncate(opened, 0)
    except BaseException:
        os.close(opened)
        raise
    return os.fdopen(opened, "ab" if keep else "wb")


def write_temporary(text: str, suffix: str) -> Path:
    """Writes a text to a new temporary file, readable by this account only."""
    opened, name = tempfile.mkstemp(prefix="debate-", suffix=suffix)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(name)


def write_link(path: Path, target: str) -> None:
    """Creates a link, of a name that is not taken. Raises ``OSError``, and ``BadInput`` if a link
    is on the way.
    """
    with _opened_folder(path.parent) as folder:
        os.symlink(target, path.name, dir_fd=folder)


def make_folder(folder: Path) -> None:
    """Creates a folder and those above it if they are not there. Raises ``OSError``, and
    ``BadInput`` if a link is on the way.
    """
    there = next(one for one in (folder, *folder.parents) if one.exists() or one.is_symlink())
    with _opened_folder(there):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _opened_folder(folder: Path) -> Iterator[int]:
    """Opens a folder. Below the working folder no link is followed, elsewhere only the last name is
    none.
    """
    here = Path.cwd()
    whole = here / folder
    steps = [whole]
    if whole.is_relative_to(here):
        steps = [here, *map(Path, whole.relative_to(here).parts)]
    at = os.open(steps[0], _FOLDER | (os.O_NOFOLLOW if whole != here else 0))
    try:
        for step in steps[1:]:
            below = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
    except OSError as error:
        os.close(at)
        raise _on_the_way(whole, error) from error
    try:
        yield at
    finally:
        os.close(at)


def _on_the_way(folder: Path, error: OSError) -> BadInput | OSError:
    """Returns the error for a folder that could not be opened; a link is named."""
    link = next((one for one in (folder, *folder.parents) if one.is_symlink()), None)
    if link is None:
        return error
    return BadInput(
        "{link} is a link, and nothing is written through one: name the folder that it leads to.",
        link=link,
    )


def _shown(size: int) -> str:
    if size >= 1_000_000:
        return f"{size // 1_000_000} MB"
    return f"{size} bytes"
