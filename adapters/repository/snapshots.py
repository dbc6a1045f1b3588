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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from adapters.processes.files import (
    FileTooLarge,
    NotRegular,
    make_folder,
    read_regular,
    write_file,
    write_link,
)
from adapters.processes.git import GitFailed, GitTooLarge, git, harmless
from adapters.repository.tree import LARGEST_UNPACKED, inside
from core.debate.errors import CouldNotFinish

LARGEST_COPY = 300_000_000  # bytes
MOST_ENTRIES = 50_000


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
        settings = await harmless(folder)
        tree = ("--full-tree", "--end-of-options", commit)
        listed = await git(folder, settings, "ls-tree", "-r", "-z", *tree)
        rows = [_row(entry) for entry in listed.decode("utf-8", "surrogateescape").split("\0")]
        blobs = [row for row in rows if row and row[0] in ("100644", "100755", "120000")]
        if len(blobs) > MOST_ENTRIES:
            raise CouldNotFinish(f"It has more than {MOST_ENTRIES:,} files.")
        names = "".join(f"{sha}\n" for _, sha, _ in blobs).encode()
        contents = await git(folder, settings, "cat-file", "--batch", most=LARGEST_COPY, sent=names)
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish(
            f"git could not read the project at {commit[:12]}: {str(error) or 'it is too large'}"
        ) from error
    return {entry.path: entry for entry in _entries(contents, blobs)}


async def snapshot_of_work_tree(folder: Path) -> Snapshot:
    """Returns the last commit of a repository on this machine with what its work tree changes in
    files that git knows. Raises ``CouldNotFinish``.
    """
    entries = dict(await snapshot_of_commit(folder, "HEAD"))
    try:
        settings = await harmless(folder)
        named = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "HEAD")
        changed = await git(folder, settings, *named)
        top = await git(folder, settings, "rev-parse", "--show-toplevel")
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish("git could not read the work tree.") from error
    root = Path(os.fsdecode(top).rstrip("\n"))
    for path in filter(None, changed.decode("utf-8", "surrogateescape").split("\0")):
        entries.pop(path, None)
        if (entry := await asyncio.to_thread(_on_disk, root, path)) is not None:
            entries[path] = entry
    return entries


def _on_disk(root: Path, path: str) -> Entry | None:
    """Returns a file of the work tree; None without one, and if a link leads out of it."""
    place = root / path
    if place.resolve() != root.resolve() / path:
        return None
    try:
        data = read_regular(place, LARGEST_COPY)
    except (NotRegular, FileTooLarge, OSError):
        return None
    return Entry(path, data, os.access(place, os.X_OK))


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
                content = packed.extractfile(member) if member.isreg() else None
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


def _row(entry: str) -> tuple[str, str, str] | None:
    about, _, path = entry.partition("\t")
    mode, *rest = about.split() or [""]
    return (mode, rest[1], path) if len(rest) == 2 else None


def _entries(body: bytes, blobs: Iterable[tuple[str, str, str]]) -> Iterator[Entry]:
    """Yields the blobs in the output of ``cat-file --batch``, in the order of the request."""
    at = 0
    for mode, _, path in blobs:
        end = body.find(b"\n", at)
        size = body[at:end].rpartition(b" ")[2]
        if not size.isdigit():  # this clone does not hold it
            at = end + 1
            continue
        data = body[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2
        link = data.decode("utf-8", "surrogateescape") if mode == "120000" else ""
        yield Entry(path, b"" if link else data, mode == "100755", link)
