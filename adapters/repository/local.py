"""The tree of a repository of this machine, by git's own plumbing: blobs as they are stored, so
that no filter, hook or attribute has a say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from adapters.processes.files import NotRegular, TooLarge, read_regular
from adapters.processes.git import GitFailed, GitTooLarge, git, harmless
from adapters.repository.tree import LARGEST_FILE, LARGEST_TREE, MOST_FILES, Tree, tree_of, wanted
from core.errors import CouldNotFinish

_REGULAR = ("100644", "100755")


async def tree_at(cwd: Path, commit: str, changed: Iterable[str] = ()) -> Tree:
    """The source files at ``commit``; those ``changed`` in the work tree as they stand there.

    ``CouldNotFinish`` where git does not say.
    """
    settings = await harmless(cwd)
    try:
        listed = await git(
            cwd, settings, "ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit
        )
        blobs = _within_limits(_blobs(listed))
        asked = "".join(f"{sha}\n" for sha, _, _ in blobs).encode()
        said = await git(*(cwd, settings, "cat-file", "--batch"), most=2 * LARGEST_TREE, sent=asked)
        root = await git(cwd, settings, "rev-parse", "--show-toplevel")
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish("git does not say what stands around the change.") from error
    tree = tree_of(_contents(said, [path for _, path, _ in blobs]))
    here = await asyncio.to_thread(_on_disk, Path(root.decode().rstrip("\n")), tuple(changed))
    return replace(tree, files={**tree.files, **tree_of(here).files})


def _blobs(listed: bytes) -> Iterator[tuple[str, str, int]]:
    """(name, path, size) of each source file in what ``ls-tree -l -z`` says."""
    for entry in listed.decode("utf-8", "replace").split("\0"):
        about, _, path = entry.partition("\t")
        mode, *rest = about.split() or [""]
        if mode in _REGULAR and len(rest) == 3 and wanted(path, int(rest[2])):
            yield rest[1], path, int(rest[2])


def _within_limits(blobs: Iterable[tuple[str, str, int]]) -> Sequence[tuple[str, str, int]]:
    kept: list[tuple[str, str, int]] = []
    room = LARGEST_TREE
    for blob in blobs:
        if blob[2] <= min(room, LARGEST_FILE) and len(kept) < MOST_FILES:
            kept.append(blob)
            room -= blob[2]
    return kept


def _contents(said: bytes, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The blobs in what ``cat-file --batch`` says, in the order in which they were asked for."""
    at = 0
    for path in paths:
        end = said.find(b"\n", at)
        size = int(said[at:end].rpartition(b" ")[2])
        yield path, said[end + 1 : end + 1 + size]
        at = end + size + 2


def _on_disk(root: Path, paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Files of the work tree; none that a link leads to from elsewhere."""
    found = []
    for path in paths:
        place = root / path
        if place.resolve() != root.resolve() / path or not wanted(path, 1):
            continue
        try:
            found.append((path, read_regular(place, LARGEST_FILE)))
        except (NotRegular, TooLarge, OSError):
            continue
    return found
