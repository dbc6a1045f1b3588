"""Reads GitLab with a few GETs behind the same port as GitHub.

Its list of diffs says for each file whether it is too large.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from adapters.forges import refusals
from adapters.forges.api import PAGE, PAGES, ForgeApi
from adapters.forges.gitlab.replies import (
    Commit,
    Compared,
    Diff,
    Discussion,
    Issue,
    Named,
    Project,
    Refs,
    Request,
)
from adapters.forges.links import ChangeLink
from adapters.forges.patches import bounded, made_patches
from adapters.forges.port import ForgeChange, Reading, Remark, stacked_note
from adapters.forges.wire import REDIRECTS, BodyTooLarge
from adapters.processes.workers import Work
from adapters.redaction.texts import one_line
from adapters.repository.project_rules import ROOT_FILES
from adapters.review import MARK
from core.debate.errors import BadInput
from core.debate.material import LEFT, RIGHT, ChangeState
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.material.since import BranchMove, Since

_CLOSES = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|implement(?:s|ed)?):?\s+#([1-9][0-9]{0,8})\b",
    re.IGNORECASE,
)


_PAUSES = (0.0, 2.0, 4.0, 8.0, 16.0)
"""The waits before each try to read a merge request, as multiples of the pause between tries."""


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
        if project.status == 404:
            raise refusals.cannot_see(link.short, "gitlab", linked=self.api.linked)
        request = await self._prepared(link)
        base, head = _refs(request)
        counted = request.changes_count or ""
        count = counted.rstrip("+")
        return ForgeChange(
            link=link,
            title=request.title,
            body=request.description or "",
            author=request.author.username if request.author else "",
            head=head,
            base=base,
            base_branch=request.target_branch,
            state=_state(request.state),
            ended=request.merged_at or request.closed_at,
            draft=request.draft,
            private=not self.anonymous and self.api.decoded(project, Project).private,
            files=int(count) if count.isdecimal() else 0,
            more_files=counted.endswith("+"),
            labels=tuple(request.labels),
            merge_commit=request.merge_commit_sha or "",
            fork=request.source_project_id != request.target_project_id,
            branch=request.source_branch,
            default_branch=self.api.decoded(project, Project).default_branch,
        )

    async def _prepared(self, link: ChangeLink) -> Request:
        """Returns the merge request as soon as GitLab has compared its commits, which takes some
        seconds after it is opened. Raises ``CouldNotFinish`` if that takes too long.
        """
        for pause in _PAUSES:
            await self.api.wire.pause(pause)
            response = await self.api.get(f"{_project(link)}/merge_requests/{link.number}")
            if response.status == 404:
                raise refusals.cannot_see(link.short, "gitlab", linked=self.api.linked)
            request = self.api.decoded(response, Request)
            if all(_refs(request)):
                return request
        raise refusals.preparing(link.short)

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        """Returns the diffs of the merge request, read again once where its head moved
        meanwhile.
        """
        for _ in range(2):
            diffs = await self._diffs(change)
            now = await self.change(change.link)
            if now.head == change.head:
                made = await self._made_patches(change, diffs, work)
                patches = bounded(_with_patch(one, made.get(one.new_path)) for one in diffs)
                complete = not now.more_files and len(diffs) < PAGE * PAGES
                notes = [*await self._stacked(change)]
                if not complete:
                    notes.append(refusals.files_cut("GitLab", len(diffs), "merge request"))
                if count := sum(map(bool, made.values())):
                    notes.append(refusals.made_from_versions("GitLab", count))
                return Reading(change, None, patches, tuple(notes), complete)
            change = now
        raise refusals.moved(change.link.short)

    async def remarks(self, link: ChangeLink) -> list[Remark]:
        """Returns what others wrote on lines of a merge request in threads that are not resolved;
        answers in threads are left out.
        """
        path = f"{_project(link)}/merge_requests/{link.number}/discussions"
        made = []
        async for discussion in self.api.listed(path, Discussion, link.short):
            for note in discussion.notes[:1]:
                at = note.position
                if note.system or note.resolved or at is None or MARK in note.body:
                    continue
                author = note.author.username if note.author is not None else ""
                if at.new_line is not None:
                    made.append(Remark(author, at.new_path, at.new_line, RIGHT, note.body))
                else:
                    made.append(Remark(author, at.old_path, at.old_line, LEFT, note.body))
        return made

    async def _stacked(self, change: ForgeChange) -> tuple[str, ...]:
        """Returns a note that names the open merge request of the branch that the change goes into;
        none if there is none.
        """
        if not change.may_be_stacked:
            return ()
        branch = change.base_branch
        query = urlencode({"state": "opened", "source_branch": branch})
        response = await self.api.get(f"{_project(change.link)}/merge_requests?{query}")
        if response.status != 200:
            return ()
        parents = self.api.decoded(response, list[Request])
        short = f"{change.link.repo}!"
        return tuple(stacked_note(f"{short}{p.iid}", one_line(branch).text) for p in parents[:1])

    async def _made_patches(
        self, change: ForgeChange, diffs: Sequence[Diff], work: Work
    ) -> dict[str, str]:
        """Returns patches made from both versions of the files that GitLab gives no diff for."""

        async def text_at(path: str, after: bool) -> str | None:
            return await self._text_at(change, path, change.head if after else change.base)

        return await made_patches([_blank(one) for one in diffs if one.withheld], text_at, work)

    async def _text_at(self, change: ForgeChange, path: str, commit: str) -> str | None:
        file = f"{_project(change.link)}/repository/files/{quote(path, safe='')}/raw"
        try:
            response = await self.api.get(f"{file}?{urlencode({'ref': commit})}")
        except BodyTooLarge:
            return None
        if response.status == 404:
            return None
        body = self.api.successful(response).body
        if b"\0" in body:
            return None
        return body.decode("utf-8", "backslashreplace")

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        query = urlencode({"from": since.base, "to": since.head, "straight": "true"})
        path = f"{_project(change.link)}/repository/compare"
        response = await self.api.get(f"{path}?{query}")
        if response.status == 404:
            return None
        old = self.api.decoded(response, Compared).diffs
        then = replace(change, base=since.base, head=since.head)
        patches = bounded(_with_patch(one, None) for one in old)
        return Reading(then, patches=patches), await self._move(change, since)

    async def _move(self, change: ForgeChange, since: Since) -> BranchMove:
        if since.base_branch and since.base_branch != change.base_branch:
            return BranchMove.BASE_CHANGE
        refs = urlencode([("refs[]", since.head), ("refs[]", change.head)])
        path = f"{_project(change.link)}/repository"
        response = await self.api.get(f"{path}/merge_base?{refs}")
        if response.status != 200 or self.api.decoded(response, Commit).id != since.head:
            if since.base != change.base:
                return BranchMove.REBASE
            return BranchMove.FORCE_PUSH
        query = urlencode({"from": since.head, "to": change.head})
        between = self.api.decoded(await self.api.get(f"{path}/compare?{query}"), Compared)
        merged = any(len(commit.parent_ids) > 1 for commit in between.commits)
        if merged:
            return BranchMove.MERGE
        return BranchMove.PUSH

    async def _diffs(self, change: ForgeChange) -> list[Diff]:
        path = f"{_project(change.link)}/merge_requests/{change.link.number}/diffs"
        return [one async for one in self.api.listed(path, Diff, change.link.short)]

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        tree, short = f"{_project(change.link)}/repository/tree", change.link.short
        entries = self.api.listed(tree, Named, short, {"ref": change.base})
        try:
            names = {entry.name async for entry in entries}
        except BadInput:  # a base without files
            return ()
        there = [name for name in ROOT_FILES if name.split("/", 1)[0] in names]
        texts = [(name, await self.base_text(change, name)) for name in there]
        return [(name, text) for name, text in texts if text]

    async def names_in(self, repo: str, ref: str, folder: str) -> Sequence[str]:
        tree = f"projects/{quote(repo, safe='')}/repository/tree"
        entries = self.api.listed(tree, Named, repo, {"ref": ref, "path": folder})
        try:
            return [entry.name async for entry in entries]
        except BadInput:  # no such folder
            return ()

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        return await self._text_at(change, path, change.base)

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
            issue = self.api.decoded(response, Issue)
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


def _refs(request: Request) -> tuple[str, str]:
    """Returns the base and the head of a merge request, "" if GitLab has not compared them yet."""
    refs = request.diff_refs or Refs()
    return refs.base_sha or "", refs.head_sha or ""


def _with_patch(one: Diff, made: str | None) -> tuple[FileDiff, str]:
    """Returns the file with GitLab's diff, or with the one ``made`` from both versions; without
    either it is unread.
    """
    blank = _blank(one)
    if one.withheld and made is None:
        large = ": too large" if one.too_large or one.collapsed else ""
        blank = replace(blank, problem=f"GitLab gives no diff for it{large}")
    return blank, one.diff or made or ""


def _blank(one: Diff) -> FileDiff:
    if one.new_file:
        status = FileStatus.ADDED
    elif one.deleted_file:
        status = FileStatus.DELETED
    elif one.renamed_file:
        status = FileStatus.RENAMED
    else:
        status = FileStatus.MODIFIED
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
    )
