"""Reads the tree of a repository on this machine by git's own plumbing: blobs as they are stored,
so that no filter, hook or attribute has a say.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from adapters.processes.files import FileTooLarge, NotRegular, read_regular
from adapters.processes.git import GitFailed, GitTooLarge, git, harmless
from adapters.repository.tree import LARGEST_FILE, LARGEST_TREE, MOST_FILES, Tree, tree_of, wanted
from core.debate.errors import CouldNotFinish

_REGULAR = ("100644", "100755")


async def tree_at(cwd: Path, commit: str, changed: Iterable[str] = ()) -> Tree:
    """Returns the source files at ``commit``, as far as this clone holds them; those ``changed`` in
    the work tree in their present state.

    Raises ``CouldNotFinish`` if git fails.
    """
    here: list[tuple[str, bytes]] = []
    try:
        settings = await harmless(cwd)
        blobs, absent = await _blobs(cwd, settings, commit)
        lines = _lines(sha for sha, _, _ in blobs)
        contents = await git(
            *(cwd, settings, "cat-file", "--batch"), most=2 * LARGEST_TREE, sent=lines
        )
        if paths := tuple(changed):
            root = await git(cwd, settings, "rev-parse", "--show-toplevel")
            top = Path(os.fsdecode(root).rstrip("\n"))
            here = await asyncio.to_thread(_on_disk, top, paths)
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish("git does not show the code around the change.") from error
    tree = tree_of(_contents(contents, [path for _, path, _ in blobs]))
    files = {**tree.files, **tree_of(here).files}
    return Tree(files, tree.left_out + absent)


async def _blobs(
    cwd: Path, settings: Mapping[str, str], commit: str
) -> tuple[Sequence[tuple[str, str, int]], int]:
    """Returns (name, path, size) of each source file that is there, within the limits, and how many
    this clone does not hold.

    ``ls-tree -l`` would ask for the size of what is absent, and end there.
    """
    listed = await git(
        cwd, settings, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit
    )
    tree = ("--objects", "--no-walk", "--missing=print", "--end-of-options", commit)
    known = await git(cwd, settings, "rev-list", *tree, most=2 * LARGEST_TREE)
    missing = {line[1:] for line in known.decode("ascii", "replace").split("\n") if line[:1] == "?"}
    source = list(_sources(listed))
    there = [(sha, path) for sha, path in source if sha not in missing]
    lines = _lines(sha for sha, _ in there)
    listing = await git(
        cwd, settings, "cat-file", "--batch-check=%(objectsize)", most=LARGEST_TREE, sent=lines
    )
    sizes = listing.decode("ascii", "replace").split("\n")
    sized = [
        (sha, path, int(size))
        for (sha, path), size in zip(there, sizes, strict=False)
        if size.isdigit() and wanted(path, int(size))
    ]
    return _within_limits(sized), len(source) - len(there)


def _sources(listed: bytes) -> Iterator[tuple[str, str]]:
    """Yields (name, path) of each source file in the output of ``ls-tree -z``."""
    for entry in listed.decode("utf-8", "replace").split("\0"):
        about, _, path = entry.partition("\t")
        mode, *rest = about.split() or [""]
        if mode in _REGULAR and len(rest) == 2 and wanted(path, 1):
            yield rest[1], path


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _within_limits(blobs: Iterable[tuple[str, str, int]]) -> Sequence[tuple[str, str, int]]:
    kept: list[tuple[str, str, int]] = []
    room = LARGEST_TREE
    for blob in blobs:
        if blob[2] <= min(room, LARGEST_FILE) and len(kept) < MOST_FILES:
            kept.append(blob)
            room -= blob[2]
    return kept


def _contents(body: bytes, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yields the blobs in the output of ``cat-file --batch``, in the order of the request."""
    at = 0
    for path in paths:
        end = body.find(b"\n", at)
        size = body[at:end].rpartition(b" ")[2]
        if not size.isdigit():  # it is not there any more
            at = end + 1
            continue
        yield path, body[end + 1 : end + 1 + int(size)]
        at = end + int(size) + 2


def _on_disk(root: Path, paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Returns files of the work tree, without those that a link leads out of it."""
    files = []
    for path in paths:
        place = root / path
        if place.resolve() != root.resolve() / path or not wanted(path, 1):
            continue
        try:
            files.append((path, read_regular(place, LARGEST_FILE)))
        except (NotRegular, FileTooLarge, OSError):
            continue
    return files
