"""Makes a diff from a range of commits of a repository on this machine, or an error with the next
step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from adapters.forges.refusals import quote
from adapters.processes.git import DIFF, LARGEST, GitFailed, GitTooLarge, Repository
from adapters.repository.project_rules import is_read_of_base
from core.debate.errors import BadInput
from core.debate.stored import stored

_RANGE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./~^@{}-]*", re.ASCII)
_MOST_RULES = 200
"""Files with rules and decision records that are read of one commit."""
_MAIN = ("main", "master", "trunk", "develop")
_NAMED = ("rev-parse", "--verify", "--quiet", "--end-of-options")
_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "REBASE_HEAD": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
"""What git points at while a command waits for its conflicts to be resolved, and its name."""
_OURS = re.compile(
    r"(?:.*/)?(?:debate\.db\S*|\.env|debate-[a-z0-9]{8}(?:-play)?\.\w+|receipt-[a-z0-9]{8}\.json)"
)
"""Files that a debate leaves behind, which belong to no change."""
_ABSENT = re.compile(r"lazy fetching disabled|could not fetch|unable to read|missing blob")


@dataclass(frozen=True, slots=True)
class LocalChange:
    """A change of a repository on this machine. ``span`` is its range; ``revision`` is the commit
    of its newer side, empty if that is the work tree. ``notes`` are sentences for people;
    ``guidelines`` are (path, text) of the rule files of its older side.
    """

    data: bytes
    span: str
    title: str
    revision: str = ""
    notes: tuple[str, ...] = ()
    guidelines: tuple[tuple[str, str], ...] = ()


async def git_diff(span: str, cwd: Path) -> LocalChange:
    """Returns the change ``git:<span>`` of the repository at ``cwd``.

    The new side is the work tree if ``span`` names one commit. The repository may be anyone's: no
    program that its configuration names is run (diff and text conversion programs, filters, hooks,
    monitors, signature checks, fetches).
    """
    if not _RANGE.fullmatch(span) or span.count("..") > 1:
        raise BadInput(
            "“{span}” is not a range of commits. Write it as git:main...HEAD or git:HEAD~3..HEAD.",
            span=quote(span, 80),
        )
    repository = await _clone(cwd)
    sides = [name or "HEAD" for name in re.split(r"\.{2,3}", span)]
    for name in sides:
        await repository.require(name)
    data = await repository.diff(span)
    rules = await repository.rule_files(sides[0])
    log = await repository.run("log", "-1", "--format=%H%n%s", "--end-of-options", sides[-1], "--")
    commit, subject = log.decode("utf-8", "replace").split("\n", 1)
    if ".." in span:
        return LocalChange(data, span, subject.strip(), commit, guidelines=rules)
    notes = tuple(map(str, await repository.unfinished()))
    return LocalChange(data, span, subject.strip(), notes=notes, guidelines=rules)


async def branch_change(cwd: Path) -> LocalChange:
    """Returns the change of the branch that is checked out at ``cwd`` since it left its base,
    including what is not committed yet. Raises ``BadInput`` if it changes nothing.
    """
    repository = await _clone(cwd)
    if not await repository.query("rev-list", "--all", "--max-count=1"):
        raise BadInput("This repository has no commit yet, so nothing changed since: git commit")
    await repository.require("HEAD")
    branch, base, name = await repository.branch()
    data = await repository.diff(base)
    untracked = await repository.untracked()
    unfinished = await repository.unfinished()
    if not data.strip():
        named = quote(branch, 80)
        what = BadInput("{branch} changes nothing against the last commit.", branch=named)
        if base != "HEAD":
            what = BadInput(
                "{branch} changes nothing against {base}.", branch=named, base=quote(name, 80)
            )
        if untracked:
            what = BadInput(
                "{what} New files count once git knows them: git add -N {file}",
                what=what,
                file=quote(untracked[0], 80),
            )
        for sentence in unfinished:
            what = BadInput("{what} {notes}", what=what, notes=sentence)
        raise what
    notes = tuple(map(str, unfinished))
    if untracked:
        named = _first_of(untracked)
        left = stored(
            "Files that git does not know are left out (git add -N): {files}.", files=named
        )
        notes = (*notes, left)
    span = base
    if base != "HEAD":
        span = base[:12]
    rules = await repository.rule_files(base)
    return LocalChange(data, span, _title(branch, name), notes=notes, guidelines=rules)


async def branch_title(cwd: Path) -> str:
    """Returns the title of the change of the branch that is checked out at ``cwd``."""
    branch, _, name = await (await _clone(cwd)).branch()
    return _title(branch, name)


def _title(branch: str, base: str) -> str:
    return f"{branch} against {base}"


async def _clone(cwd: Path) -> _Clone:
    try:
        repository = await Repository.of(cwd)
    except GitFailed as error:
        message = str(error)
        if "dubious ownership" in message:
            raise BadInput(
                "This repository belongs to somebody else, so git does not read it. If you trust "
                "it: git config --global --add safe.directory {folder}",
                folder=quote(str(cwd), 120),
            ) from error
        if "not a git repository" in message:
            raise BadInput(
                "There is no git repository here ({folder}). Change into one, or name a file: "
                "debate code_review FILE.diff",
                folder=quote(str(cwd), 120),
            ) from error
        raise BadInput("git can't read this repository: {why}", why=quote(message)) from error
    return _Clone(repository.folder, repository.settings)


class _Clone(Repository):
    """A repository that a person works in."""

    __slots__ = ()

    async def require(self, name: str) -> None:
        """Checks that a name means a commit here. Raises ``BadInput`` if it means none."""
        try:
            await self.run(*_NAMED, f"{name}^{{commit}}")
        except GitFailed as error:
            named = quote(name, 80)
            if await self.line("rev-parse", "--is-shallow-repository") == "true":
                raise BadInput(
                    "git knows no “{name}” here. This is a shallow clone, without its older "
                    "commits. Get them with: git fetch --unshallow",
                    name=named,
                ) from error
            raise BadInput(
                "git knows no “{name}” here. `git branch --all` lists the branches and `git log "
                "--oneline` the commits; one that is only at the other side comes with: git fetch",
                name=named,
            ) from error

    async def branch(self) -> tuple[str, str, str]:
        """Returns the branch that is checked out, and the commit that it started from, with its
        name.
        """
        branch = await self.query("rev-parse", "--abbrev-ref", "HEAD") or "HEAD"
        for candidate in await self.bases(branch):
            if line := await self.query("merge-base", candidate, "HEAD"):
                return branch, line, candidate
        return branch, "HEAD", "the last commit"

    async def bases(self, branch: str) -> list[str]:
        """Returns the commits that a branch may have started from, the likeliest first; for a main
        branch, its remote counterpart.
        """
        default = await self.query("rev-parse", "--abbrev-ref", "origin/HEAD")
        usual = [default, *(f"{at}{name}" for name in _MAIN for at in ("origin/", ""))]
        known = [name for name in usual if name and name not in (branch, "origin/HEAD")]
        return [name for name in dict.fromkeys(known) if await self.query(*_NAMED, name)]

    async def untracked(self) -> tuple[str, ...]:
        """Returns the files that git does not know, which no diff shows, by their path from here;
        those of the whole repository wherever this folder is.
        """
        names = await self._names("--others", "--exclude-standard")
        return tuple(name for name in names if not _OURS.fullmatch(name))

    async def unfinished(self) -> tuple[BadInput, ...]:
        """Returns a sentence about a merge, rebase or pick that is in progress in the work tree,
        with the files in conflict.
        """
        under_way = [name for head, name in _UNDER_WAY.items() if await self.query(*_NAMED, head)]
        entries = await self._names("--unmerged")
        conflicts = tuple(dict.fromkeys(entry.partition("\t")[2] for entry in entries))
        if not under_way and not conflicts:
            return ()
        name = "merge"
        if under_way:
            name = under_way[0]
        text = stored(
            "A {name} is in progress here. Finish it with git commit or git {name} --continue "
            "before a review."
        )
        if conflicts:
            text = stored(
                "A {name} is in progress here, with conflicts in {files}: their lines hold both "
                "sides. Finish it with git commit or git {name} --continue before a review."
            )
        return (BadInput(text, name=name, files=_first_of(conflicts)),)

    async def rule_files(self, commit: str) -> tuple[tuple[str, str], ...]:
        """Returns (path, text) of the files with the project's rules and decision records at a
        commit, the outer folders first.
        """
        listed = await self.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        paths = [path for path in listed.decode("utf-8", "replace").split("\0") if path]
        rules = sorted(filter(is_read_of_base, paths), key=lambda path: (path.count("/"), path))
        texts = []
        for path in rules[:_MOST_RULES]:
            try:
                data = await self.run("cat-file", "blob", f"{commit}:{path}")
            except (GitFailed, GitTooLarge):
                continue
            texts.append((path, data.decode("utf-8", "backslashreplace")))
        return tuple(texts)

    async def _names(self, *which: str) -> list[str]:
        """Returns the entries that ``git ls-files`` lists in the whole repository."""
        if await self.query("rev-parse", "--is-inside-work-tree") != "true":
            return []
        out = await self.run("ls-files", *which, "-z", "--", ":/")
        return [name for name in out.decode("utf-8", "replace").split("\0") if name]

    async def query(self, *arguments: str) -> str:
        """Returns one line of git's output, empty if git knows nothing."""
        try:
            return (await self.run(*arguments)).decode("utf-8", "replace").strip()
        except GitFailed:
            return ""

    async def diff(self, span: str) -> bytes:
        try:
            return await self.run(*DIFF, "--end-of-options", span, "--")
        except GitTooLarge as error:
            raise BadInput(
                "That range is larger than {most} MB. Narrow it.", most=LARGEST // 1_000_000
            ) from error
        except GitFailed as error:
            raise _no_diff(span, str(error)) from error


def _first_of(names: tuple[str, ...]) -> str:
    """Names the first three of several files and counts the others."""
    named = ", ".join(quote(name, 80) for name in names[:3])
    if len(names) > 3:
        return f"{named} and {len(names) - 3} more"
    return named


def _no_diff(span: str, text: str) -> BadInput:
    if "no merge base" in text:
        return BadInput(
            "These two have no commit in common here. Compare them as they are with git:{span}, or "
            "get older commits with: git fetch --unshallow",
            span=span.replace("...", ".."),
        )
    if _ABSENT.search(text):
        return BadInput(
            "This clone lacks contents of that change (it is a partial one), and nothing is "
            "fetched behind your back. Fetch them with: git diff {span} > /dev/null",
            span=span,
        )
    return BadInput(
        "git could not make that diff: {why}. See it with: git diff {span}",
        why=quote(text),
        span=quote(span),
    )
