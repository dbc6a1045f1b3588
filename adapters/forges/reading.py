"""Reads a change from a forge of this package: the steps that GitHub and GitLab share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from adapters.forges import refusals
from adapters.forges.api import ForgeApi
from adapters.forges.links import ChangeLink
from adapters.forges.patches import made_patches
from adapters.forges.port import ForgeChange
from adapters.forges.wire import BodyTooLarge, Response
from adapters.processes.workers import Work
from adapters.repository.project_rules import ROOT_FILES
from core.debate.material.diffs import FileDiff
from core.debate.material.since import BranchMove, Since

T = TypeVar("T")


@dataclass(slots=True)
class ApiReader:
    """The part of a ``ForgeClient`` that differs only in its addresses."""

    api: ForgeApi

    @property
    def linked(self) -> bool:
        return self.api.linked

    @abstractmethod
    async def change(self, link: ChangeLink) -> ForgeChange: ...

    @abstractmethod
    async def names_in(self, repo: str, ref: str, folder: str) -> Sequence[str]: ...

    @abstractmethod
    async def merge_base(self, change: ForgeChange) -> str:
        """Returns the commit from which the branch began; the base branch may have gone on."""

    @abstractmethod
    async def _file(self, change: ForgeChange, path: str, commit: str) -> Response: ...

    @abstractmethod
    async def _parents(self, change: ForgeChange, since: Since) -> Sequence[int] | BranchMove:
        """Returns the number of parents of each commit since an earlier head, or how the branch
        moved if it does not come from there.
        """

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        names = set(await self.names_in(change.link.repo, change.base, ""))
        there = [name for name in ROOT_FILES if name.split("/", 1)[0] in names]
        texts = [(name, await self.base_text(change, name)) for name in there]
        return [(name, text) for name, text in texts if text]

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        return await self._text_at(change, path, change.base)

    async def _text_at(self, change: ForgeChange, path: str, commit: str) -> str | None:
        try:
            response = await self._file(change, path, commit)
        except BodyTooLarge:
            return None
        if response.status == 404 or (response.status == 403 and b"too_large" in response.body):
            return None
        body = self.api.successful(response).body
        if b"\0" in body:
            return None
        return body.decode("utf-8", "backslashreplace")

    async def _pinned(
        self, change: ForgeChange, path: str, kind: type[T]
    ) -> tuple[ForgeChange, list[T]]:
        """Returns the change with its files, which are listed at ``path``, read again once if its
        head moved meanwhile.
        """
        for _ in range(2):
            files = [file async for file in self.api.listed(path, kind, change.link.short)]
            now = await self.change(change.link)
            if now.head == change.head:
                # GitLab may have counted the files only by now
                return replace(change, more_files=now.more_files), files
            change = now
        raise refusals.moved(change.link.short)

    async def _made_patches(
        self, change: ForgeChange, withheld: Sequence[FileDiff], work: Work
    ) -> dict[str, str]:
        """Returns patches made from both versions of the files that the forge gives no diff for."""
        if not withheld:
            return {}
        start = await self.merge_base(change)

        async def text_at(path: str, after: bool) -> str | None:
            return await self._text_at(change, path, change.head if after else start)

        return await made_patches(withheld, text_at, work)

    async def _move(self, change: ForgeChange, since: Since) -> BranchMove:
        if since.base_branch and since.base_branch != change.base_branch:
            return BranchMove.BASE_CHANGE
        parents = await self._parents(change, since)
        if isinstance(parents, BranchMove):
            return parents
        if any(count > 1 for count in parents):
            return BranchMove.MERGE
        return BranchMove.PUSH


def rewritten(change: ForgeChange, since: Since) -> BranchMove:
    """Returns how a branch moved that no longer contains an earlier head."""
    if since.base != change.base:
        return BranchMove.REBASE
    return BranchMove.FORCE_PUSH
