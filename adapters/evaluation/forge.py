"""A forge whose changes are the measured ones, read from clones on this machine: so a measurement
reads a change, its repository and its guidelines by the same code as a pull request.

Linked issues are not in a clone, so seats do not read them.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from adapters.evaluation.past import GitHistory
from adapters.forges.api import ARCHIVE
from adapters.forges.links import ChangeLink, ForgeLinks
from adapters.forges.plugged import Forge, ForgeReader
from adapters.forges.port import ForgeChange, ForgeClient, Reading
from adapters.processes.git import GitFailed, GitTooLarge
from adapters.processes.workers import Work
from adapters.repository.project_rules import ROOT_FILES
from core.debate.errors import CouldNotFinish
from core.evaluation import Case, ClonedRange

HOST = "clones.invalid"
_LINKS = ForgeLinks("clones", "The clone")
_SQUASHED = re.compile(r"(.+) \(#([1-9]\d{0,8})\)")
_MERGED = re.compile(r"Merge pull request #([1-9]\d{0,8}) from \S+")


class ClonedForge:
    """The changes of ``cases`` that have a range. ``links`` are their pages by the case's id."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.links: dict[str, str] = {}
        self._changes: dict[tuple[str, int], tuple[Case, ClonedRange]] = {}
        for case in cases:
            if case.range is not None:
                key = self._key(case, case.range)
                self._changes[key] = (case, case.range)
                self.links[case.id] = ChangeLink(_LINKS, HOST, *key).url

    @property
    def forge(self) -> Forge:
        return Forge(_LINKS, HOST, self._open)

    def _key(self, case: Case, range: ClonedRange) -> tuple[str, int]:
        """Returns the repository and a number: the pull request's if the commit names it, else one
        that follows from the commit.
        """
        number = _described(case)[2]
        if number is None or (range.repo, number) in self._changes:
            number = 1 + int(sha256(range.commit.encode()).hexdigest()[:7], 16)
        return range.repo, number

    @asynccontextmanager
    async def _open(self, _bound: bool) -> AsyncIterator[ForgeClient]:
        yield _ClonedClient(self._changes)


def _described(case: Case) -> tuple[str, str, int | None]:
    """Returns the title, body and number of the pull request, as far as the commit has them."""
    if merged := _MERGED.fullmatch(case.title):
        title, _, body = case.body.partition("\n")
        return title or case.title, body.strip(), int(merged[1])
    if squashed := _SQUASHED.fullmatch(case.title):
        return squashed[1], case.body, int(squashed[2])
    return case.title, case.body, None


class _ClonedClient(ForgeReader):
    def __init__(self, changes: dict[tuple[str, int], tuple[Case, ClonedRange]]) -> None:
        self._changes = changes

    async def change(self, link: ChangeLink) -> ForgeChange:
        case, range = self._found(link)
        title, body, _ = _described(case)
        return ForgeChange(link, title, body, "", range.commit, range.base, "")

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        case, _ = self._found(change.link)
        return Reading(change, case.diff)

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        texts = [(name, await self.base_text(change, name)) for name in ROOT_FILES]
        return [(name, text) for name, text in texts if text]

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        try:
            return "\n".join(await (await self._past(change)).text(change.base, path))
        except (GitFailed, GitTooLarge):
            return None

    async def archive(self, change: ForgeChange) -> bytes | None:
        past = await self._past(change)
        try:
            packed = await past.packed(change.head)
        except GitTooLarge:
            return None
        except GitFailed as error:
            raise CouldNotFinish(f"the clone lacks contents of {change.head[:12]}.") from error
        if len(packed) <= ARCHIVE.max_bytes:
            return packed
        return None

    def _found(self, link: ChangeLink) -> tuple[Case, ClonedRange]:
        places = self._changes.get((link.repo, link.number))
        if places is None:
            raise CouldNotFinish(f"{link.short} is not one of the measured changes.")
        return places

    async def _past(self, change: ForgeChange) -> GitHistory:
        _, range = self._found(change.link)
        try:
            return await GitHistory.of(Path(range.clone))
        except (GitFailed, NotADirectoryError, FileNotFoundError) as error:
            raise CouldNotFinish(f"the clone of {range.repo} can't be read.") from error
