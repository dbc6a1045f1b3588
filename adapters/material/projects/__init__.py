"""The whole project of a change, before and with it, for the tests that are to prove findings."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from adapters.material.from_forge import archive_of, change_of
from adapters.material.settings import LibrarySettings
from adapters.processes.git import GitFailed, Repository
from adapters.repository.snapshots import (
    Project,
    snapshot_of_archive,
    snapshot_of_commit,
    snapshot_of_work_tree,
)
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material import Material, MaterialKind

WORK_TREE = "work tree"


async def project_of(
    material: Material, settings: LibrarySettings, place: str, *, files: bool
) -> Project:
    """Returns the project of a change. A shell's own clone is used if it holds the commits, with
    the environment that is installed in it. Raises ``BadInput`` and ``CouldNotFinish``.
    """
    if material.source.startswith("git:") and files:
        return await _local(material.source.removeprefix("git:"), material.revision, settings.cwd)
    if material.kind is not MaterialKind.PULL_REQUEST:
        raise BadInput("the change came without its repository")
    change = await change_of(material, settings, place)
    base = change.base
    if files and (held := await _held(settings.cwd, base, material.revision)):
        return held
    packed = [
        await archive_of(material, settings, place, commit) for commit in (base, material.revision)
    ]
    before, after = [await asyncio.to_thread(snapshot_of_archive, each) for each in packed]
    return Project(before, after, base, material.revision, fork=change.fork)


async def _local(span: str, revision: str, cwd: Path) -> Project:
    sides = [name or "HEAD" for name in re.split(r"\.{2,3}", span)]
    verify = ("rev-parse", "--verify", "--end-of-options")
    try:
        repository = await Repository.of(cwd)
        base = await repository.line(*verify, f"{sides[0]}^{{commit}}")
        if "..." in span:
            base = await repository.line("merge-base", sides[0], sides[-1])
        top = await repository.top()
    except GitFailed as error:
        raise CouldNotFinish(f"git could not read the project: {error}") from error
    before = await snapshot_of_commit(cwd, base)
    if ".." not in span:
        return Project(before, await snapshot_of_work_tree(cwd), base, WORK_TREE, top)
    return Project(before, await snapshot_of_commit(cwd, revision), base, revision, top)


async def _held(cwd: Path, base: str, head: str) -> Project | None:
    """Returns the project as this folder's clone holds it, None if it does not."""
    try:
        repository = await Repository.of(cwd)
        for commit in (base, head):
            await repository.run("cat-file", "-e", f"{commit}^{{commit}}")
        top = await repository.top()
        before, after = [await snapshot_of_commit(cwd, commit) for commit in (base, head)]
    except (BadInput, CouldNotFinish, GitFailed):
        return None
    return Project(before, after, base, head, top)
