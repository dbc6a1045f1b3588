"""Finds the repository of a folder and checks that nothing of it leads elsewhere. A repository that
someone packed may name another folder as its work tree, its git directory or its objects, so that
git would show that folder's files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters.processes.files import read_regular, resolved
from core.debate.errors import BadInput

_GIT_DIRECTORY = ("HEAD", "objects", "refs")
_LARGEST = 1_000_000  # bytes of a file that names folders


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """The folder of the work tree (of the git directory itself if the repository is ``bare``), and
    the git directory.
    """

    folder: Path
    git_dir: Path
    bare: bool = False


def find_repository(cwd: Path) -> RepositoryPlace | None:
    """Returns the repository that git would find from ``cwd``, None if there is none. Raises
    ``BadInput`` if anything of it leads out of its folder, except to the repository that made this
    worktree or holds this submodule and names it, too.
    """
    here = cwd.resolve()
    for folder in (here, *here.parents):
        entry = folder / ".git"
        if entry.is_file():
            place = RepositoryPlace(folder, _named_in(entry, "gitdir:"))
        elif _is_git_directory(entry):
            place = RepositoryPlace(folder, resolved(entry))
        elif _is_git_directory(folder):
            place = RepositoryPlace(folder, folder, bare=True)
        else:
            continue
        _require_inside(place)
        return place
    return None


def _require_inside(place: RepositoryPlace) -> None:
    git_dir, common = place.git_dir, place.git_dir
    if (git_dir / "commondir").exists():
        common = _named_in(git_dir / "commondir", "")
    roots = [place.folder]
    if not git_dir.is_relative_to(place.folder):
        named_back = _is_worktree(place, common) or (common == git_dir and _is_submodule(place))
        if not named_back:
            raise _leads_to(place, ".git", git_dir)
        roots += [git_dir, common]
    for path in _parts(git_dir, common):
        there = resolved(path)
        if not any(there.is_relative_to(root) for root in roots):
            raise _leads_to(place, str(path), there)


def _is_worktree(place: RepositoryPlace, common: Path) -> bool:
    """True if ``git worktree add`` made the git directory for this folder."""
    back = place.git_dir / "gitdir"
    return (
        back.is_file()
        and place.git_dir.parent == common / "worktrees"
        and _named_in(back, "") == place.folder / ".git"
    )


def _is_submodule(place: RepositoryPlace) -> bool:
    """True if the git directory is that of a submodule in this folder: it is in a repository above,
    and its settings name the folder.
    """
    above = next((p for p in place.git_dir.parents if p.name == ".git"), None)
    if above is None or not place.folder.is_relative_to(above.parent):
        return False
    with_key = (_work_tree_of(line) for line in _lines(place.git_dir / "config"))
    named = next(filter(None, with_key), "")
    return bool(named) and resolved(place.git_dir / named) == place.folder


def _work_tree_of(line: str) -> str:
    name, _, value = line.partition("=")
    if name.strip().lower() == "worktree":
        return value.strip()
    return ""


def _parts(git_dir: Path, common: Path) -> Iterator[Path]:
    """Yields what git reads of a repository and could lead elsewhere: the directories, what is a
    link in them, and other object stores.
    """
    objects = common / "objects"
    yield from (common, objects, common / "refs")
    for folder in {git_dir, common, objects, objects / "pack", objects / "info"}:
        yield from _links(folder)
    for line in _lines(objects / "info" / "alternates"):
        if line and not line.startswith("#"):
            yield objects / line


def _links(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from (Path(entry.path) for entry in entries if entry.is_symlink())


def _is_git_directory(folder: Path) -> bool:
    common = (folder / "commondir").exists()
    return (folder / "HEAD").exists() and (
        common or all((folder / name).is_dir() for name in _GIT_DIRECTORY[1:])
    )


def _named_in(file: Path, begins: str) -> Path:
    line = next(iter(_lines(file)), "")
    return resolved(file.parent / line.removeprefix(begins).strip())


def _lines(file: Path) -> list[str]:
    """Returns a file's lines, each up to a NUL, as git reads them; none if it can't be read."""
    try:
        text = read_regular(file, _LARGEST).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    return [line.partition("\0")[0] for line in text.split("\n")]


def _leads_to(place: RepositoryPlace, path: str, there: Path) -> BadInput:
    return BadInput(
        "The repository in {folder} leads to another folder ({path}: {there}), which does not name "
        "it, so nothing of it is read. If it is yours, make a whole one: git clone --no-local "
        "{folder} FOLDER",
        folder=place.folder,
        path=path,
        there=there,
    )
