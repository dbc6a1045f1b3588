"""Cases out of a repository's history: changes that a later commit mended or took back, and changes
of like size that nobody has mended since.

A fix that names the commit it mends (``Fixes: 1a2b3c4``, ``introduced in 1a2b3c4``) shows where the
defect was: the lines that it changed are followed back to the commit they came from. A revert shows
that a change was bad, not where. "Clean" means that no later commit says otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from adapters.processes.git import GitFailed, GitTooLarge, git, harmless
from core.errors import BadInput
from core.evaluation import Case, Defect, Spot

_DEFECTIVE = 15
"""Defective changes that are taken where nobody said how many, and as many clean ones."""
_COMMITS = 5000
_LARGEST = 400
"""Changed lines of a case at most."""
_NEW = 0.1
"""The newest share of the history: nobody had time yet to find what is wrong there."""
_SPOTS = 20
_NO_TEXT = frozenset({".lock", ".md", ".rst", ".txt", ".svg", ".json", ".po", ".snap"})
_NAMES = re.compile(
    r"\b(?:fix(?:es|ed)?|mends|repairs|regress(?:ion|ed)|introduced|caused|broken|broke)"
    r"(?:\s+(?:a|the|regression|bug|by|in|from|since|with|commit|of))*:?\s+\(?"
    r"(?:commit\s+)?([0-9a-f]{7,40})\b",
    re.IGNORECASE,
)
_REVERTS = re.compile(r"\breverts commit ([0-9a-f]{7,40})\b", re.IGNORECASE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_BLAMED = re.compile(r"^([0-9a-f]{40}) (\d+) \d+")


@dataclass(frozen=True, slots=True)
class _Commit:
    """``files`` are the paths it changes with the number of changed lines of each; ``number`` is
    its place in the log, 0 the newest.
    """

    id: str
    subject: str
    body: str
    files: Mapping[str, int]
    number: int

    @property
    def size(self) -> int:
        return sum(self.files.values())

    @property
    def code(self) -> frozenset[str]:
        """The endings of the code that it changes."""
        endings = {PurePosixPath(path).suffix for path in self.files}
        return frozenset(e for e in endings if e and e not in _NO_TEXT)

    @property
    def usable(self) -> bool:
        return bool(self.code) and 0 < self.size <= _LARGEST


async def read_history(repository: Path, most: int | None = None) -> tuple[Case, ...]:
    """At most ``most`` cases, half of them clean, the newest first.

    Raises ``BadInput`` where that is no repository, or its history names no change that was mended.
    """
    try:
        past = _Git(repository, await harmless(repository))
        commits = await past.log()
    except (GitFailed, GitTooLarge) as failed:
        raise BadInput(f"{repository} is no git repository that can be read.") from failed
    mended = list(_mended(commits))
    wanted = _DEFECTIVE
    if most is not None:
        wanted = max(1, most // 2)
    bad: list[tuple[_Commit, _Commit]] = []
    for pair in mended:
        if len(bad) < wanted and pair[0].usable and pair[0] not in [b for b, _ in bad]:
            bad.append(pair)
    if not bad:
        raise BadInput(
            f"The history of {repository} names no change that a later commit mends or reverts "
            f"(of {len(commits)} commits, with at most {_LARGEST} changed lines of code). Write "
            "cases by hand: docs/judgement.md shows how."
        )
    known = {c.id for pair in mended for c in pair}
    clean = _alike([b for b, _ in bad], [c for c in commits if c.id not in known], len(commits))
    defective = [await past.defective(commit, fix) for commit, fix in bad]
    return (*defective, *[await past.clean(commit) for commit in clean])


def _mended(commits: Sequence[_Commit]) -> Iterator[tuple[_Commit, _Commit]]:
    """(the change, what mends it) for every commit that names an older one; reverts of reverts mend
    nothing.
    """
    for commit in commits:
        told = f"{commit.subject}\n{commit.body}"
        for name in (*_REVERTS.findall(told), *_NAMES.findall(told)):
            older = [c for c in commits[commit.number + 1 :] if c.id.startswith(name.lower())]
            if len(older) == 1 and not _REVERTS.search(older[0].body):
                yield older[0], commit


def _alike(bad: Sequence[_Commit], others: Sequence[_Commit], commits: int) -> Iterator[_Commit]:
    """For each bad change the one of nearest size that changes the same kind of code and has stood
    for a while, each once.
    """
    free = [
        c
        for c in others
        if c.usable and c.number >= _NEW * commits and not _mends(f"{c.subject}\n{c.body}")
    ]
    for commit in bad:
        like = [c for c in free if c.code & commit.code]
        if like:
            nearest = min(like, key=lambda c: (abs(c.size - commit.size), c.number))
            free.remove(nearest)
            yield nearest


def _mends(told: str) -> bool:
    return bool(_NAMES.search(told) or _REVERTS.search(told))


@dataclass(frozen=True, slots=True)
class _Git:
    repository: Path
    settings: Mapping[str, str]

    async def log(self) -> list[_Commit]:
        """Commits with one parent, the newest first."""
        out = await self._run(
            "log", "--no-merges", "--min-parents=1", f"--max-count={_COMMITS}", "--numstat",
            "--no-renames", "--no-ext-diff", "--no-textconv", "--format=%x1e%H%x00%s%x00%b%x00",
        )  # fmt: skip
        records = out.decode("utf-8", "replace").split("\x1e")[1:]
        return [_commit(record, number) for number, record in enumerate(records)]

    async def defective(self, commit: _Commit, fix: _Commit) -> Case:
        reverted = bool(_REVERTS.search(f"{fix.subject}\n{fix.body}"))
        spots, verb = [], "reverted"
        if not reverted:
            spots, verb = await self._spots(commit, fix), "mended"
        origin = f"{commit.id[:12]}, {verb} by {fix.id[:12]} ({fix.subject})"
        defect = Defect(fix.subject, tuple(spots[:_SPOTS]))
        return Case(
            f"bad-{commit.id[:12]}",
            commit.subject,
            commit.body,
            await self._diff(commit),
            (defect,),
            origin=origin,
        )

    async def clean(self, commit: _Commit) -> Case:
        return Case(
            f"clean-{commit.id[:12]}",
            commit.subject,
            commit.body,
            await self._diff(commit),
            clean=True,
            origin=f"{commit.id[:12]}, mended by no later commit",
        )

    async def _diff(self, commit: _Commit) -> bytes:
        return await self._run(
            "diff", "--no-ext-diff", "--no-textconv", "--find-renames", "--full-index",
            f"{commit.id}^", commit.id, "--",
        )  # fmt: skip

    async def _spots(self, commit: _Commit, fix: _Commit) -> list[Spot]:
        """The lines of ``commit`` that ``fix`` changed."""
        spots: list[Spot] = []
        for path in fix.files:
            if path in commit.files:
                spots += await self._spots_in(path, commit, fix)
        return spots

    async def _spots_in(self, path: str, commit: _Commit, fix: _Commit) -> list[Spot]:
        hunks = await self._run(
            "diff", "--no-ext-diff", "--no-textconv", "--unified=0", f"{fix.id}^", fix.id,
            "--", path,
        )  # fmt: skip
        spots: list[Spot] = []
        for start, count in _HUNK.findall(hunks.decode("utf-8", "replace")):
            spots += await self._blamed(commit, fix, path, int(start), int(count or 1))
        return spots

    async def _blamed(
        self, commit: _Commit, fix: _Commit, path: str, start: int, count: int
    ) -> list[Spot]:
        """Which of the lines that a fix changed came from ``commit``, as numbered there. What was
        put between two lines (``count`` 0) is about both of them.
        """
        first = max(1, start)
        out = b""
        for lines in (count or 2, 1):  # there may be no line after the last one
            try:
                place = (f"-L{first},+{lines}", f"{fix.id}^", "--", path)
                out = await self._run("blame", "--no-textconv", "--porcelain", *place)
                break
            except GitFailed:
                continue
        found = (_BLAMED.match(line) for line in out.decode("utf-8", "replace").splitlines())
        return [Spot(path, int(hit[2])) for hit in found if hit and hit[1] == commit.id]

    async def _run(self, *arguments: str) -> bytes:
        return await git(self.repository, self.settings, *arguments)


def _commit(record: str, number: int) -> _Commit:
    id, subject, body, changed = record.split("\x00", 3)
    files = {}
    for line in filter(None, changed.splitlines()):
        added, removed, path = line.split("\t", 2)
        if added != "-":  # binary
            files[path] = int(added) + int(removed)
    return _Commit(id, subject, body.strip(), files, number)


def write_cases(cases: Sequence[Case], folder: Path) -> None:
    """The cases as a folder of cases, for people to look through and to mend."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases:
        (folder / f"{case.id}.diff").write_bytes(case.diff)
        facts = {
            "id": case.id,
            "pr_title": case.title,
            "pr_body": case.body,
            "good_change": case.clean,
            "origin": case.origin,
            "defects": [_facts(defect) for defect in case.defects],
        }
        text = json.dumps(facts, ensure_ascii=False, indent=1)
        (folder / f"{case.id}.json").write_text(text + "\n", encoding="utf-8")


def _facts(defect: Defect) -> dict[str, object]:
    return {
        "defect": defect.what,
        "locations": [{"file": s.path, "line": s.line} for s in defect.spots],
        "must_mention_any": list(defect.words),
    }
