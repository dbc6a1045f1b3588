"""Reads GitLab with a few GETs behind the same port as GitHub.

Its list of diffs says for each file whether it is too large.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from adapters.forges import refusals
from adapters.forges.api import PAGE, PAGES
from adapters.forges.gitlab.replies import (
    Compared,
    Diff,
    Discussion,
    Named,
    Project,
    Refs,
    Request,
    merge_path,
    name_of,
    path_of,
)
from adapters.forges.links import ChangeLink
from adapters.forges.patches import bounded
from adapters.forges.port import ForgeChange, Reading, Remark, stacked_note
from adapters.forges.reading import ApiReader, rewritten
from adapters.forges.wire import REDIRECTS, Response
from adapters.processes.workers import Work
from adapters.redaction.texts import one_line
from adapters.review import MARK
from core.debate.errors import BadInput
from core.debate.material import LEFT, RIGHT
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.material.since import BranchMove, Since

_CLOSES = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|implement(?:s|ed)?):?\s+#([1-9][0-9]{0,8})\b",
    re.IGNORECASE,
)


_PAUSES = (0.0, 2.0, 4.0, 8.0, 16.0)
"""The waits before each try to read a merge request, as multiples of the pause between tries."""


@dataclass(slots=True)
class GitLab(ApiReader):
    """A ``ForgeClient`` for gitlab.com and own installations. ``anonymous``: no credential goes
    with the requests, so what they read is for everybody.
    """

    anonymous: bool = False

    async def change(self, link: ChangeLink) -> ForgeChange:
        response = await self.api.get(path_of(link.repo))
        if response.status == 404:
            raise refusals.cannot_see(link.short, "gitlab", linked=self.api.linked)
        project = self.api.decoded(response, Project)
        request = await self._prepared(link)
        base, head = _refs(request)
        counted = request.changes_count or ""
        count = counted.rstrip("+")
        return ForgeChange(
            link=link,
            title=request.title,
            body=request.description or "",
            author=name_of(request.author),
            head=head,
            base=base,
            base_branch=request.target_branch,
            state=request.change_state,
            ended=request.merged_at or request.closed_at,
            draft=request.draft is not False,
            private=not self.anonymous and project.private,
            files=int(count) if count.isdecimal() else 0,
            more_files=counted.endswith("+"),
            labels=tuple(request.labels),
            merge_commit=request.merge_commit_sha or "",
            fork=request.source_project_id != request.target_project_id,
            branch=request.source_branch,
            default_branch=project.default_branch,
            repo_id=f"{project.id or ''}",
        )

    async def _prepared(self, link: ChangeLink) -> Request:
        """Returns the merge request as soon as GitLab has compared its commits, which takes some
        seconds after it is opened. Raises ``CouldNotFinish`` if that takes too long.
        """
        for pause in _PAUSES:
            await self.api.wire.pause(pause)
            response = await self.api.get(merge_path(link))
            if response.status == 404:
                raise refusals.cannot_see(link.short, "gitlab", linked=self.api.linked)
            request = self.api.decoded(response, Request)
            if all(_refs(request)):
                return request
        raise refusals.preparing(link.short)

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        change, diffs = await self._pinned(change, f"{merge_path(change.link)}/diffs", Diff)
        withheld = [_blank(one) for one in diffs if one.withheld]
        made = await self._made_patches(change, withheld, work)
        patches = bounded(_with_patch(one, made.get(one.new_path)) for one in diffs)
        complete = not change.more_files and len(diffs) < PAGE * PAGES
        notes = [*await self._stacked(change)]
        if not complete:
            notes.append(refusals.files_cut("GitLab", len(diffs), "merge request"))
        if count := sum(map(bool, made.values())):
            notes.append(refusals.made_from_versions("GitLab", count))
        return Reading(change, None, patches, tuple(notes), complete)

    async def remarks(self, link: ChangeLink) -> list[Remark]:
        """Returns what others wrote on lines of a merge request in threads that are not resolved;
        answers in threads are left out.
        """
        made = []
        path = f"{merge_path(link)}/discussions"
        async for discussion in self.api.listed(path, Discussion, link.short):
            for note in discussion.notes[:1]:
                at = note.position
                if note.system or note.resolved or at is None or MARK in note.body:
                    continue
                author = name_of(note.author)
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
        response = await self.api.get(f"{path_of(change.link.repo)}/merge_requests?{query}")
        if response.status != 200:
            return ()
        parents = self.api.decoded(response, list[Request])
        short = f"{change.link.repo}!"
        return tuple(stacked_note(f"{short}{p.iid}", one_line(branch).text) for p in parents[:1])

    async def merge_base(self, change: ForgeChange) -> str:
        return change.base

    async def _file(self, change: ForgeChange, path: str, commit: str) -> Response:
        file = f"{path_of(change.link.repo)}/repository/files/{quote(path, safe='')}/raw"
        return await self.api.get(f"{file}?{urlencode({'ref': commit})}")

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        query = urlencode({"from": since.base, "to": since.head, "straight": "true"})
        path = f"{path_of(change.link.repo)}/repository/compare"
        response = await self.api.get(f"{path}?{query}")
        if response.status == 404:
            return None
        old = self.api.decoded(response, Compared).diffs
        then = replace(change, base=since.base, head=since.head)
        patches = bounded(_with_patch(one, None) for one in old)
        return Reading(then, patches=patches), await self._move(change, since)

    async def _parents(self, change: ForgeChange, since: Since) -> Sequence[int] | BranchMove:
        refs = urlencode([("refs[]", since.head), ("refs[]", change.head)])
        path = f"{path_of(change.link.repo)}/repository"
        response = await self.api.get(f"{path}/merge_base?{refs}")
        if response.status != 200 or self.api.decoded(response, str, "id") != since.head:
            return rewritten(change, since)
        query = urlencode({"from": since.head, "to": change.head})
        between = self.api.decoded(await self.api.get(f"{path}/compare?{query}"), Compared)
        return [len(commit.parent_ids) for commit in between.commits]

    async def names_in(self, repo: str, ref: str, folder: str) -> Sequence[str]:
        tree = f"{path_of(repo)}/repository/tree"
        query = {"ref": ref, "path": folder} if folder else {"ref": ref}
        entries = self.api.listed(tree, Named, repo, query)
        try:
            return [entry.name async for entry in entries]
        except BadInput:  # no such folder
            return ()

    async def archive(self, change: ForgeChange) -> bytes | None:
        query = urlencode({"sha": change.head})
        return await self.api.archive(
            f"{path_of(change.link.repo)}/repository/archive.tar.gz?{query}"
        )

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        issues = []
        for number in list(dict.fromkeys(_CLOSES.findall(change.body)))[:3]:
            # what was moved answers from elsewhere, and a confidential issue is not for a debate
            response = await self.api.get(
                f"{path_of(change.link.repo)}/issues/{number}", follow=False
            )
            if response.status in {404, *REDIRECTS}:
                continue
            issue = self.api.decoded(response, Request)
            full = issue.references.get("full", "")
            here = full.lower() == f"{change.link.repo}#{number}".lower()
            if here and issue.confidential is False:
                issues.append((issue.iid, issue.title, issue.description or ""))
        return issues


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
