"""Changes that count as clean: of the same repository, of nearly the same size, in the same
language, and fixed by no later commit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

from adapters.evaluation.past import Changed, GitHistory, PastCommit
from adapters.processes.git import GitFailed, GitTooLarge

NEAR = 1.5
"""The largest factor between the sizes of a control and of its change."""
_WINDOW = 500
"""Commits before a change among which its control is looked for."""
_TRIED = 8
"""Candidates whose later history is read."""
_LATER = 40
"""Later commits on the same files that are read for each."""
_MENDS = re.compile(
    r"\b(fix\w*|bug\w*|regress\w*|revert\w*|broke\w*|crash\w*|wrong\w*|correct\w*|repair\w*|"
    r"mistake\w*|oops|hang\w*|leak\w*|deadlock\w*)\b",
    re.IGNORECASE,
)
_DULL = re.compile(
    r"^\W*(revert\b|reapply|\[?docs?\b|documentation|typos?\b|format|lint|style\b|rename|bump|"
    r"upgrade|update (?:dep|lock)|chore|release\b|prepare |changelog|tests?\b[:(]|ci\b[:(])|"
    r"\b(typos?|spelling|whitespace|copyright|changelog|comments?|docstrings?|readme)\b",
    re.IGNORECASE,
)


async def draw_control(
    past: GitHistory, cause: PastCommit, changed: Sequence[Changed], taken: Collection[str]
) -> tuple[PastCommit, list[Changed]] | None:
    """Returns the commit before ``cause`` that is nearest to it in size, with as few files in the
    same language; None if there is none.

    It is not in ``taken``, its message does not mention a fix, and no later fix changed one of its
    lines.
    """
    size, endings = _size(changed), _endings(one.path for one in changed)
    alike: list[tuple[PastCommit, list[Changed]]] = []
    for commit, paths in await past.before(cause.id, _WINDOW):
        if (
            commit.id in taken
            or not 0 < len(paths) <= len(changed) + 1
            or not endings & _endings(paths)
            or _DULL.search(commit.subject)
            or _MENDS.search(commit.subject)
        ):
            continue
        files = await _changed(past, commit)
        if any(one.added for one in files) and near(_size(files), size):
            alike.append((commit, files))
    alike.sort(key=lambda pair: (abs(_size(pair[1]) - size), pair[0].number))
    for commit, files in alike[:_TRIED]:
        if not await _mended(past, commit, files):
            return commit, files
    return None


async def _changed(past: GitHistory, commit: PastCommit) -> list[Changed]:
    """Returns the source files of a commit; none if its contents are not here."""
    try:
        return await past.changed(commit.base, commit.id)
    except (GitFailed, GitTooLarge):
        return []


def near(size: int, other: int) -> bool:
    """True if two sizes are alike: at most ``NEAR`` times as large, or two lines apart."""
    small, large = sorted((size, other))
    return large <= NEAR * small or large - small <= 2


async def _mended(past: GitHistory, commit: PastCommit, files: Sequence[Changed]) -> bool:
    """True if a later commit that fixes something changed a line that this one wrote."""
    paths = [one.path for one in files]
    for later in await past.touching(commit.id, paths, _LATER):
        if not _MENDS.search(later.message):
            continue
        try:
            removed, beside = await past.touched(later, paths)
        except (GitFailed, GitTooLarge):
            return True  # what can't be read vouches for nothing
        if any(one.commit == commit.id for one in (*removed, *beside)):
            return True
    return False


def _size(changed: Sequence[Changed]) -> int:
    return sum(one.lines for one in changed)


def _endings(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(PurePosixPath(path).suffix.lower() for path in paths)
