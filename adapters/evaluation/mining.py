"""Changes of a repository that a later commit of it names as the cause of a fault, confirmed by
blame, one after the other, the surest wording first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from adapters.evaluation.manifest import DefectLines
from adapters.evaluation.mined import Mined
from adapters.evaluation.past import Blamed, GitHistory, PastCommit
from adapters.evaluation.wordings import REVERTS, WORDINGS, CommitIndex, FaultLink
from adapters.processes.git import GitFailed, GitTooLarge
from core.debate.errors import BadInput
from core.words.views.language.grammar import plural

COMMITS = 40_000
"""Commits that are read."""
LARGEST, MOST_FILES = 150, 4
"""Changed source lines and source files of a change at most."""
_LARGEST_FIX = 3 * LARGEST
_SKIP = re.compile(
    r"^\W*(reapply|\[?docs?\b|documentation|typos?\b|format|lint|style\b|rename|bump|upgrade|"
    r"update (?:dep|lock)|chore\(deps|chore: release|release\b|prepare |merge (?:branch|remote)|"
    r"changelog|tests?\b[:(]|ci\b[:(])",
    re.IGNORECASE,
)


def repo_name(folder: Path) -> str:
    """Returns a name like OWNER/NAME for a repository of which only the folder is known."""
    return "here/" + (re.sub(r"[^A-Za-z0-9_-]+", "-", folder.resolve().name).strip("-") or "clone")


async def open_history(repository: Path) -> tuple[GitHistory, list[FaultLink]]:
    """Returns the repository and all links in its messages. Raises ``BadInput`` if it can't be read
    or names no change as the cause of a fault.
    """
    try:
        past = await GitHistory.of(repository)
        commits = await past.log(COMMITS)
    except (GitFailed, GitTooLarge, NotADirectoryError) as failed:
        raise BadInput(f"{repository} is no git repository that can be read.") from failed
    links = CommitIndex(commits).links()
    if not links:
        raise BadInput(
            f"The history of {repository} names no change that a later commit fixes or reverts "
            f"(of {plural(len(commits), 'commit')}). Write cases by hand: `debate docs measuring` "
            "shows how."
        )
    return past, links


async def candidates(
    past: GitHistory, links: Sequence[FaultLink], passed: Collection[str] = ()
) -> AsyncIterator[Mined]:
    """Yields the changes that are probably defective, those whose links blame confirms, each once;
    ``passed`` are causes that are known already.
    """
    seen = set(passed)
    for link in links:
        if link.cause.id in seen or _SKIP.search(link.cause.subject):
            continue
        try:
            candidate = await _confirmed(past, link)
        except (GitFailed, GitTooLarge):  # contents that are not here say nothing
            continue
        if candidate is not None:
            seen.add(link.cause.id)
            yield candidate


async def _confirmed(past: GitHistory, link: FaultLink) -> Mined | None:
    cause, fix = link.cause, link.fix
    changed = await past.changed(cause.base, cause.id)
    lines = sum(one.lines for one in changed)
    if not 0 < len(changed) <= MOST_FILES or lines > LARGEST:
        return None
    if link.wording == REVERTS:
        return _mined(link, [], lines)
    if not any(one.added for one in changed):
        return None
    fixed = sum(one.lines for one in await past.changed(fix.base, fix.id))
    if not 0 < fixed <= _LARGEST_FIX:
        return None
    inside = {cause.id}
    if len(cause.parents) == 2:
        inside = await past.inside(cause.base, cause.id)
    for blamed in await past.touched(fix):
        places = await _places(past, cause, [one for one in blamed if one.commit in inside])
        if places:
            return _mined(link, places, lines)
    return None


def _mined(link: FaultLink, places: list[DefectLines], lines: int) -> Mined:
    """Returns a row that nobody has answered yet. ``places`` are the lines that the fix removed, or
    next to which it added lines if it only adds some; none for a reverted change.
    """
    return Mined(
        f"{link.cause.id[:12]}-{link.fix.id[:12]}",
        "",
        link.cause.id,
        link.cause.subject,
        link.fix.id,
        link.fix.day,
        link.fix.subject,
        link.phrase,
        link.wording,
        WORDINGS[link.wording],
        lines,
        places,
    )


async def _places(
    past: GitHistory, cause: PastCommit, blamed: Sequence[Blamed]
) -> list[DefectLines]:
    """Returns the places in the cause's version; neighbours are one place."""
    lines: dict[str, set[int]] = defaultdict(set)
    for one in blamed:
        number = await _moved(past, cause, one)
        if number is not None:
            lines[one.path].add(number)
    return [place for path in sorted(lines) for place in _joined(path, sorted(lines[path]))]


async def _moved(past: GitHistory, cause: PastCommit, line: Blamed) -> int | None:
    """Returns the number of a branch's line in its merge: found by its text, None if it is not
    there, or twice.
    """
    if line.commit == cause.id:
        return line.line
    text = (await past.text(line.commit, line.path))[line.line - 1]
    try:
        there = await past.text(cause.id, line.path)
    except GitFailed:  # the branch took the file away again
        return None
    numbers = [n for n, words in enumerate(there, 1) if words == text]
    if len(numbers) == 1:
        return numbers[0]
    return None


def _joined(path: str, numbers: Sequence[int]) -> list[DefectLines]:
    places: list[DefectLines] = []
    for number in numbers:
        if places and number <= places[-1].last + 2:
            places[-1] = DefectLines(path, places[-1].first, number)
        else:
            places.append(DefectLines(path, number, number))
    return places
