"""A whole project at one commit, and disposable copies of it for a sandbox to read.

Folders and regular files only, and links last: nothing is ever written through a link. Submodules
and files beyond the limits are left out.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from adapters.processes.files import make_folder, write_file, write_link
from adapters.processes.git import GitFailed, GitTooLarge, Repository
from adapters.repository.local import file_within
from adapters.repository.tree import LARGEST_UNPACKED, inside
from core.debate.errors import CouldNotFinish

LARGEST_COPY = 300_000_000  # bytes
MOST_ENTRIES = 50_000
_LINK = "120000"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a project; ``link`` is the target of a symbolic link."""

    path: str
    data: bytes
    executable: bool = False
    link: str = ""


Snapshot = Mapping[str, Entry]
"""The files of a project at one commit, by path."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project before and with a change. ``home`` is the folder in which its environment (a
    virtual environment, ``node_modules``) is installed, None if there is none on this machine.
    ``fork`` is true if the change comes from another repository.
    """

    base: Snapshot
    head: Snapshot
    base_commit: str
    head_commit: str
    home: Path | None = None
    fork: bool = False


async def snapshot_of_commit(folder: Path, commit: str) -> Snapshot:
    """Returns the files of a repository on this machine, as they are stored: no filter, hook or
    attribute has a say. Raises ``CouldNotFinish``.
    """
    try:
        repository = await Repository.of(folder)
        entries = await repository.entries(commit)
        blobs = [row for row in entries if row[0] in ("100644", "100755", _LINK)]
        if len(blobs) > MOST_ENTRIES:
            raise CouldNotFinish(f"It has more than {MOST_ENTRIES:,} files.")
        contents = await repository.blobs([sha for _, sha, _ in blobs], LARGEST_COPY)
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish(
            f"git could not read the project at {commit[:12]}: {str(error) or 'it is too large'}"
        ) from error
    files = {}
    for (mode, _, name), data in zip(blobs, contents, strict=False):
        path = os.fsdecode(name)
        if data is not None and mode == _LINK:
            files[path] = Entry(path, b"", link=os.fsdecode(data))
        elif data is not None:
            files[path] = Entry(path, data, mode == "100755")
    return files


async def snapshot_of_work_tree(folder: Path) -> Snapshot:
    """Returns the last commit of a repository on this machine with what its work tree changes in
    files that git knows. Raises ``CouldNotFinish``.
    """
    entries = dict(await snapshot_of_commit(folder, "HEAD"))
    try:
        repository = await Repository.of(folder)
        named = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "HEAD")
        changed = await repository.run(*named)
        root = await repository.top()
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish("git could not read the work tree.") from error
    for path in filter(None, changed.decode("utf-8", "surrogateescape").split("\0")):
        entries.pop(path, None)
        data = await asyncio.to_thread(file_within, root, path, LARGEST_COPY)
        if data is not None:
            entries[path] = Entry(path, data, os.access(root / path, os.X_OK))
    return entries


def snapshot_of_archive(archive: bytes) -> Snapshot:
    """Returns the files of a forge's ``.tar.gz`` with one folder around everything. Raises
    ``CouldNotFinish``.
    """
    entries: dict[str, Entry] = {}
    room = LARGEST_COPY
    try:
        with tarfile.open(fileobj=io.BytesIO(_unpacked(archive)), mode="r:") as packed:
            for member in packed:
                path = inside(member.name)
                if not path or not (member.isreg() or member.issym()):
                    continue
                room -= member.size
                if room < 0 or len(entries) >= MOST_ENTRIES:
                    raise CouldNotFinish("The project is too large to be copied.")
                content = None
                if member.isreg():
                    content = packed.extractfile(member)
                data = content.read() if content else b""
                runs = bool(member.mode & 0o100)
                entries[path] = Entry(path, data, runs, member.linkname if member.issym() else "")
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        raise CouldNotFinish("The project's archive can't be unpacked.") from error
    return entries


def _unpacked(archive: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(archive)) as stream:
        data = stream.read(LARGEST_COPY + 1)
    if len(data) > min(LARGEST_COPY, LARGEST_UNPACKED):
        raise CouldNotFinish("The project is too large to be copied.")
    return data


def write_copy(folder: Path, entries: Iterable[Entry]) -> None:
    """Writes a copy that any user of this machine may read, into a folder that only we enter."""
    links = []
    made: set[Path] = set()
    for entry in entries:
        path = folder / entry.path
        if not _is_plain(entry.path):
            continue
        if entry.link:
            links.append((path, entry))
            continue
        if path.parent not in made:
            make_folder(path.parent)
            made.add(path.parent)
        write_file(path, entry.data)
        path.chmod(0o755 if entry.executable else 0o644)
    for parent, _, _ in os.walk(folder):
        os.chmod(parent, 0o755)  # noqa: PTH101, S103  whoever runs the test reads it
    whole = folder.resolve()
    for path, entry in links:
        plain = path.parent.resolve() == (whole / entry.path).parent  # no link leads there
        if plain and path.parent.is_dir() and not path.is_symlink() and not path.exists():
            write_link(path, entry.link)


def _is_plain(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and not {"..", ".git"}.intersection(parts)
