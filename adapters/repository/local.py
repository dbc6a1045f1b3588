"""Reads the tree of a repository on this machine by git's own plumbing: blobs as they are stored,
so that no filter, hook or attribute has a say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from adapters.processes.files import read_regular
from adapters.processes.git import GitFailed, GitTooLarge, Repository
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
        repository = await Repository.of(cwd)
        blobs, absent = await _blobs(repository, commit)
        contents = await repository.blobs([sha for sha, _ in blobs], 2 * LARGEST_TREE)
        if paths := tuple(changed):
            top = await repository.top()
            here = await asyncio.to_thread(_on_disk, top, paths)
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish("git does not show the code around the change.") from error
    held = zip((path for _, path in blobs), contents, strict=False)
    tree = tree_of((path, data) for path, data in held if data is not None)
    files = {**tree.files, **tree_of(here).files}
    return Tree(files, tree.left_out + absent)


async def _blobs(repository: Repository, commit: str) -> tuple[Sequence[tuple[str, str]], int]:
    """Returns (name, path) of each source file that is there, within the limits, and how many this
    clone does not hold.

    ``ls-tree -l`` would ask for the size of what is absent, and end there.
    """
    entries = await repository.entries(commit)
    tree = ("--objects", "--no-walk", "--missing=print", "--end-of-options", commit)
    known = await repository.run("rev-list", *tree, most=2 * LARGEST_TREE)
    missing = {line[1:] for line in known.decode("ascii", "replace").split("\n") if line[:1] == "?"}
    named = [(mode, sha, path.decode("utf-8", "replace")) for mode, sha, path in entries]
    source = [(sha, path) for mode, sha, path in named if mode in _REGULAR and wanted(path, 1)]
    there = [(sha, path) for sha, path in source if sha not in missing]
    listing = await repository.run(
        "cat-file",
        "--batch-check=%(objectsize)",
        most=LARGEST_TREE,
        sent="".join(f"{sha}\n" for sha, _ in there).encode(),
    )
    kept: list[tuple[str, str]] = []
    room = LARGEST_TREE
    for (sha, path), size in zip(
        there, listing.decode("ascii", "replace").split("\n"), strict=False
    ):
        fits = size.isdigit() and int(size) <= min(room, LARGEST_FILE) and len(kept) < MOST_FILES
        if fits and wanted(path, int(size)):
            kept.append((sha, path))
            room -= int(size)
    return kept, len(source) - len(there)


def _on_disk(root: Path, paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Returns files of the work tree, without those that a link leads out of it."""
    files = [(path, file_within(root, path, LARGEST_FILE)) for path in paths if wanted(path, 1)]
    return [(path, data) for path, data in files if data is not None]


def file_within(root: Path, path: str, most: int) -> bytes | None:
    """Returns a file of the work tree; None without one, and if a link leads out of it."""
    place = root / path
    try:
        if place.resolve() != root.resolve() / path:
            return None
        return read_regular(place, most)
    except (OSError, RuntimeError):  # RuntimeError for a link that leads to itself
        return None
