"""Finds or makes clones of the repositories in a set of changes.

A clone that is made here holds two commits of each change with all their files, because seats read
the repository around the change; no other history.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from adapters.evaluation.past import GitHistory
from adapters.forges.refusals import quote
from adapters.network import HostNotAllowed, reach_of
from adapters.network.programs import route_to
from adapters.processes.files import make_folder
from adapters.processes.git import GitFailed, GitTooLarge, fetching, git
from core.debate.errors import BadInput, CouldNotFinish

BASE = "https://github.com"
_OWN = ("github.com",)


async def find_clone(folder: Path, repo: str) -> GitHistory | None:
    """Returns the clone of ``OWNER/NAME`` below ``folder``, bare or not."""
    for name in (f"{repo}.git", repo):
        place = folder / name
        if place.is_dir():
            try:
                return await GitHistory.of(place)
            except GitFailed as error:
                raise BadInput(
                    f"git can't read {quote(str(place), 200)}: {quote(str(error))}"
                ) from error
    return None


async def clone_of(folder: Path, base: str, repo: str, commits: Collection[str]) -> GitHistory:
    """Returns a clone that holds these commits. ``base`` is where ``OWNER/NAME`` is found; the
    clone is kept in ``folder``, and what is there already is not fetched again. Raises
    ``CouldNotFinish`` if the host refuses.
    """
    place = folder / f"{repo}.git"
    url = f"{base.rstrip('/')}/{repo}.git"
    if (clone := await find_clone(folder, repo)) is None:
        try:
            make_folder(place)
        except OSError as error:
            raise BadInput(
                f"{place} cannot be written: {error.strerror}. Name clones that are there: "
                "--clones FOLDER"
            ) from error
        await git(place, {}, "init", "--quiet", "--bare")
        clone = await GitHistory.of(place)
    try:
        if not await clone.holds(commits):
            going = await _way(url, base)
            wanted = sorted(commits)
            await git(place, going, "config", "remote.origin.url", url)
            await git(
                place, going, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
                "--depth=2", "--end-of-options", "origin", *wanted,
                seconds=None,
            )  # fmt: skip
    except (GitFailed, GitTooLarge) as error:
        raise CouldNotFinish(
            f"{repo} could not be cloned: {quote(str(error))}. Try again: what is there is kept. "
            "Or clone it yourself (git clone --bare) and say where: --clones FOLDER"
        ) from error
    return clone


async def _way(url: str, base: str) -> dict[str, str]:
    try:
        return fetching(await route_to(url, reach_of(base, own=_OWN)))
    except HostNotAllowed as error:
        raise BadInput(f"Nothing was cloned: {error}.") from error
    except OSError as error:
        raise CouldNotFinish(
            f"{url} can't be reached: {error.strerror or error}. Try again later, or name "
            "clones that are there: --clones FOLDER"
        ) from error
