"""The sources of the changes of a measurement: a folder, a set of real changes, a repository."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from adapters.evaluation.clones import BASE, clone_of, find_clone
from adapters.evaluation.folder import CaseFolder, read_folder
from adapters.evaluation.manifest import (
    ChangeSet,
    DefectiveChange,
    cases_of,
    commits_of,
    narrow,
    read_set,
    select,
)
from adapters.evaluation.past import GitHistory
from adapters.models.weights import cache_folder
from adapters.processes.git import GitFailed, GitTooLarge
from adapters.processes.unread import no_file
from adapters.terminal.printing import put_line
from bot.settings import Settings
from bot.shell.evaluate.mine import mined
from core.application.commands.evaluate import Evaluate
from core.debate.errors import BadInput
from core.debate.material.escaping import show_path
from core.evaluation import Case
from core.words.views.language.grammar import plural


async def found_cases(ask: Evaluate, out: Path, settings: Settings) -> CaseFolder | None:
    """Returns the requested cases, or None if someone has to look through them first. Raises
    ``BadInput``, ``CouldNotFinish``.
    """
    if ask.set:
        return await _of_set(ask, settings)
    return await asyncio.to_thread(_here, ask) or await mined(
        ask, Path(ask.mine or ask.target), out
    )


def _here(ask: Evaluate) -> CaseFolder | None:
    """Returns the cases of a folder, or None if it is a repository to be mined. Raises
    ``BadInput``.
    """
    named = ask.mine or ask.target
    folder = Path(named)
    if "://" in named:
        raise BadInput(
            "eval reads folders and repositories of this machine. Clone it first: "
            "git clone LINK, then: debate eval --mine FOLDER"
        )
    if folder.is_file():
        raise BadInput(
            f"'{show_path(named)}' is a file. eval reads a folder of changes or a repository: "
            f"debate eval {shlex.quote(show_path(str(folder.parent)))}"
        )
    if not folder.is_dir():
        raise no_file(folder, "folder")
    if ask.mine or (_is_repository(folder) and not any(folder.glob("*.diff"))):
        return None
    contents = read_folder(folder, Path(ask.clones or folder))
    return CaseFolder(contents.cases[: ask.cases], contents.unknown, contents.about)


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists() or all(
        (folder / name).exists() for name in ("HEAD", "objects", "refs")
    )


async def _of_set(ask: Evaluate, settings: Settings) -> CaseFolder:
    whole = read_set(ask.set)
    given = select(whole, ask.languages, ask.since)
    left: list[str] = []
    if ask.clones:
        given = narrow(await _there(given, Path(ask.clones), left), ask.cases)
    else:
        given = narrow(given, ask.cases)
    cases: list[Case] = []
    kept: list[DefectiveChange] = []
    for repo in given.repositories:
        rows = [row for row in given.rows if row.repo == repo]
        past = await _clone_of(repo, rows, ask, settings)
        for row in rows:
            try:
                cases += await cases_of(row, past)
                kept.append(row)
            except (GitFailed, GitTooLarge):
                left.append(f"{row.id} (the clone lacks its contents)")
    if not kept:
        raise BadInput(f"Nothing is left to measure: {', '.join(left[:10])}.")
    order = {row.id: n for n, row in enumerate(given.rows)}
    cases.sort(key=lambda case: order[case.id.removesuffix("-control")])
    return CaseFolder(tuple(cases), about=tuple(_about(ask, whole, kept, left)))


async def _there(given: ChangeSet, folder: Path, left: list[str]) -> ChangeSet:
    """Returns the rows whose commits are in clones below ``folder``; the others are ``left``."""
    held: list[DefectiveChange] = []
    for repo in given.repositories:
        past = await find_clone(folder, repo)
        rows = [row for row in given.rows if row.repo == repo]
        if past is None:
            left.append(f"{repo} (no clone)")
            continue
        for row in rows:
            if await past.holds(commits_of(row)):
                held.append(row)
            else:
                left.append(f"{row.id} (the clone lacks its commits)")
    if not held:
        repo = given.rows[0].repo
        raise BadInput(
            f"No clone of this set is below {folder}. Name them like {repo}.git, or leave "
            "--clones out: small ones are fetched then."
        )
    kept = {row.id for row in held}
    return ChangeSet(given.name, given.mark, tuple(r for r in given.rows if r.id in kept))


async def _clone_of(
    repo: str, rows: Sequence[DefectiveChange], ask: Evaluate, settings: Settings
) -> GitHistory:
    if ask.clones:
        past = await find_clone(Path(ask.clones), repo)
        if past is None:
            raise BadInput(f"The clone of {repo} went away.")
        return past
    folder = cache_folder(settings.env) / "repositories"
    put_line(f"{repo}: {plural(len(rows), 'change')}, kept in {folder}", error=True)
    commits = {commit for row in rows for commit in commits_of(row)}
    return await clone_of(folder, settings.clone_url or BASE, repo, commits)


def _about(
    ask: Evaluate, whole: ChangeSet, kept: Sequence[DefectiveChange], left: Sequence[str]
) -> Iterator[str]:
    languages = sorted({row.language for row in kept})
    projects = {row.repo for row in kept}
    first, last = min(row.fixed for row in kept), max(row.fixed for row in kept)
    yield (
        f"Set {whole.name} (content {whole.mark}): {len(kept)} of its {len(whole.rows)} public "
        "changes that a later commit names as the cause of a fault, of "
        f"{plural(len(projects), 'project')}, in {', '.join(languages)}, fixed from {first} to "
        f"{last}."
    )
    controls = [row.control for row in kept if row.control]
    if controls:
        fixes = sum(one.how == "fix" for one in controls)
        yield (
            f"Also {plural(len(controls), 'change')} without a known complaint: "
            f"{len(controls) - fixes} of the same repository and nearly the same size, {fixes} "
            "that fix a defective one. Median of changed source lines: "
            f"{median(row.lines for row in kept):g} of defective ones, "
            f"{median(one.lines for one in controls):g} of clean ones."
        )
    if ask.since is None:
        yield (
            "Nothing was left out for a model's training: these changes are public, and models may "
            "know how they ended (--fixed-since DATE)."
        )
    else:
        yield f"Only changes that were fixed on {ask.since} or later count."
    if left:
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        yield f"Left out: {', '.join(left[:5])}{more}."
