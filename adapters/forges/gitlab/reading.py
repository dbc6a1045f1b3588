"""Reads GitLab with a few GETs behind the same port as GitHub.

Its list of diffs says for each file whether it is too large.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote, urlencode

import msgspec

from adapters.diffs.reading_order import GUIDELINE_FILES
from adapters.forges import refusals
from adapters.forges.api import PAGE, PAGES, ForgeApi
from adapters.forges.links import ChangeLink
from adapters.forges.port import ForgeChange, Reading
from adapters.forges.wire import REDIRECTS, BodyTooLarge
from adapters.processes.workers import Work
from core.material import ChangeState
from core.material.diffs import FileDiff, FileStatus
from core.material.since import BranchMove, Since

_CLOSES = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|implement(?:s|ed)?):?\s+#([1-9][0-9]{0,8})\b",
    re.IGNORECASE,
)


_OPEN = frozenset({"enabled", "public"})
"""Access levels that leave a part of a project to everybody who sees the project."""
_OFF = "disabled"


class _Person(msgspec.Struct):
    username: str


class _Refs(msgspec.Struct):
    base_sha: str
    head_sha: str


class _Project(msgspec.Struct):
    """A project's access levels, which GitLab shows to signed-in accounts; a level that it does not
    show counts as private.
    """

    visibility: str = "private"
    repository_access_level: str = "private"
    merge_requests_access_level: str = "private"
    issues_access_level: str = "private"

    @property
    def private(self) -> bool:
        """Says whether any part of the project that is read here is not public."""
        levels = {self.repository_access_level, self.merge_requests_access_level}
        if self.issues_access_level != _OFF:
            levels.add(self.issues_access_level)
        return self.visibility != "public" or not levels <= _OPEN


class _Request(msgspec.Struct):
    title: str
    target_branch: str
    diff_refs: _Refs
    state: str = "opened"
    description: str | None = None
    author: _Person | None = None
    draft: bool = False
    merged_at: datetime | None = None
    closed_at: datetime | None = None
    merge_commit_sha: str | None = None
    labels: list[str] = []
    changes_count: str | None = None


class _Diff(msgspec.Struct):
    old_path: str
    new_path: str
    diff: str = ""
    a_mode: str | None = None
    b_mode: str | None = None
    new_file: bool = False
    renamed_file: bool = False
    deleted_file: bool = False
    too_large: bool = False
    collapsed: bool = False


class _References(msgspec.Struct):
    full: str = ""


class _Commit(msgspec.Struct):
    id: str
    parent_ids: list[str] = []


class _Compared(msgspec.Struct):
    diffs: list[_Diff] = []
    commits: list[_Commit] = []


class _Issue(msgspec.Struct):
    iid: int
    title: str
    description: str | None = None
    confidential: bool = False
    references: _References = msgspec.field(default_factory=_References)


@dataclass(slots=True)
class GitLab:
    """A ``ForgeClient`` for gitlab.com and own installations. ``anonymous``: no credential goes
    with the requests, so what they read is for everybody.
    """

    api: ForgeApi
    anonymous: bool = False

    @property
    def linked(self) -> bool:
        return self.api.linked

    async def change(self, link: ChangeLink) -> ForgeChange:
        project = await self.api.get(_project(link))
        response = await self.api.get(f"{_project(link)}/merge_requests/{link.number}")
        if 404 in {project.status, response.status}:
            raise refusals.cannot_see(link.short, "gitlab", linked=self.api.linked)
        request = self.api.decoded(response, _Request)
        count = (request.changes_count or "").rstrip("+")
        return ForgeChange(
            link=link,
            title=request.title,
            body=request.description or "",
            author=request.author.username if request.author else "",
            head=request.diff_refs.head_sha,
            base=request.diff_refs.base_sha,
            base_branch=request.target_branch,
            state=_state(request.state),
            ended=request.merged_at or request.closed_at,
            draft=request.draft,
            private=not self.anonymous and self.api.decoded(project, _Project).private,
            files=int(count) if count.isdecimal() else 0,
            labels=tuple(request.labels),
            merge_commit=request.merge_commit_sha or "",
        )

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        """Returns the diffs of the merge request, read again once where its head moved
        meanwhile.
        """
        for _ in range(2):
            diffs = await self._diffs(change)
            now = await self.change(change.link)
            if now.head == change.head:
                notes: tuple[str, ...] = ()
                if len(diffs) >= PAGE * PAGES:
                    notes = (f"Only the first {PAGE * PAGES:,} files were listed.",)
                patches = tuple((_blank(one), one.diff) for one in diffs)
                return Reading(change, None, patches, notes, complete=not notes)
            change = now
        raise refusals.moved(change.link.short)

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        query = urlencode({"from": since.base, "to": since.head, "straight": "true"})
        path = f"{_project(change.link)}/repository/compare"
        response = await self.api.get(f"{path}?{query}")
        if response.status == 404:
            return None
        old = self.api.decoded(response, _Compared).diffs
        then = replace(change, base=since.base, head=since.head)
        patches = tuple((_blank(one), one.diff) for one in old)
        return Reading(then, patches=patches), await self._move(change, since)

    async def _move(self, change: ForgeChange, since: Since) -> BranchMove:
        if since.base_branch and since.base_branch != change.base_branch:
            return BranchMove.BASE_CHANGE
        refs = urlencode([("refs[]", since.head), ("refs[]", change.head)])
        path = f"{_project(change.link)}/repository"
        response = await self.api.get(f"{path}/merge_base?{refs}")
        if response.status != 200 or self.api.decoded(response, _Commit).id != since.head:
            if since.base != change.base:
                return BranchMove.REBASE
            return BranchMove.FORCE_PUSH
        query = urlencode({"from": since.head, "to": change.head})
        between = self.api.decoded(await self.api.get(f"{path}/compare?{query}"), _Compared)
        merged = any(len(commit.parent_ids) > 1 for commit in between.commits)
        if merged:
            return BranchMove.MERGE
        return BranchMove.PUSH

    async def _diffs(self, change: ForgeChange) -> list[_Diff]:
        path = f"{_project(change.link)}/merge_requests/{change.link.number}/diffs"
        try:
            return [one async for one in self.api.listed(path, _Diff, change.link.short)]
        except BodyTooLarge as error:
            raise refusals.unreadable(
                self.api.wire.forge, "a list of diffs beyond 20 MB"
            ) from error

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        for name in GUIDELINE_FILES:
            query = urlencode({"ref": change.base})
            response = await self.api.get(
                f"{_project(change.link)}/repository/files/{quote(name, safe='')}/raw?{query}"
            )
            if response.status != 404:
                return (
                    (name, self.api.successful(response).body.decode("utf-8", "backslashreplace")),
                )
        return ()

    async def archive(self, change: ForgeChange) -> bytes | None:
        query = urlencode({"sha": change.head})
        return await self.api.archive(f"{_project(change.link)}/repository/archive.tar.gz?{query}")

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        issues = []
        for number in list(dict.fromkeys(_CLOSES.findall(change.body)))[:3]:
            # what was moved answers from elsewhere, and a confidential issue is not for a debate
            response = await self.api.get(f"{_project(change.link)}/issues/{number}", follow=False)
            if response.status in {404, *REDIRECTS}:
                continue
            issue = self.api.decoded(response, _Issue)
            here = issue.references.full.lower() == f"{change.link.repo}#{number}".lower()
            if here and not issue.confidential:
                issues.append((issue.iid, issue.title, issue.description or ""))
        return issues


def _project(link: ChangeLink) -> str:
    return f"projects/{quote(link.repo, safe='')}"


def _state(word: str) -> ChangeState:
    if word == "merged":
        return ChangeState.MERGED
    if word == "opened":
        return ChangeState.OPEN
    return ChangeState.CLOSED


def _blank(one: _Diff) -> FileDiff:
    if one.new_file:
        status = FileStatus.ADDED
    elif one.deleted_file:
        status = FileStatus.DELETED
    elif one.renamed_file:
        status = FileStatus.RENAMED
    else:
        status = FileStatus.MODIFIED
    if (one.too_large or one.collapsed) and not one.diff:
        problem = "GitLab gives no diff for it: too large"
    else:
        problem = ""
    moded = (
        one.a_mode
        and one.b_mode
        and one.a_mode != one.b_mode
        and status in {FileStatus.MODIFIED, FileStatus.RENAMED}
    )
    return FileDiff(
        one.new_path,
        old_path=one.old_path if status is FileStatus.RENAMED else "",
        status=status,
        submodule="160000" in {one.a_mode, one.b_mode},
        remarks=(f"mode {one.a_mode} -> {one.b_mode}",) if moded else (),
        problem=problem,
    )
