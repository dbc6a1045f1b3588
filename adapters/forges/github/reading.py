"""GitHub, read with a handful of GETs. gidgethub knows its headers, media types and URL templates;
the requests are ours, so that a redirect, a size and a time are bounded and every status is mapped
to its true cause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote, urlencode

from adapters.forges import refusals
from adapters.forges.api import PAGE, PAGES
from adapters.forges.github.replies import (
    Analysis,
    Comment,
    Compared,
    File,
    Issue,
    Named,
    Pull,
    Repo,
    blank_file,
    file_by_file_notes,
    login_of,
    matches,
    named,
    state_of,
    with_patch,
)
from adapters.forges.links import ChangeLink
from adapters.forges.patches import bounded, is_readable
from adapters.forges.port import ForgeChange, PullFilter, Reading, Remark, stacked_note
from adapters.forges.reading import ApiReader, rewritten
from adapters.forges.wire import REDIRECTS, BodyTooLarge, Response
from adapters.processes.workers import Work
from adapters.redaction.texts import one_line
from adapters.review import MARK
from core.debate.material import RIGHT
from core.debate.material.since import BranchMove, Since

_SCANNERS = 5
_TOO_LARGE = frozenset({406, 422})
_CLOSES = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s+#([1-9][0-9]{0,8})\b", re.IGNORECASE
)


class GitHub(ApiReader):
    """A ``ForgeClient`` for GitHub and GitHub Enterprise."""

    async def change(self, link: ChangeLink) -> ForgeChange:
        response = await self.api.get(f"repos/{link.repo}/pulls/{link.number}")
        if response.status in {404, 410, 451}:
            raise refusals.cannot_see(link.short, "github", linked=self.api.linked)
        pull = self.api.decoded(response, Pull)
        return ForgeChange(
            link=link,
            title=pull.title,
            body=pull.body or "",
            author=login_of(pull.user),
            head=pull.head.sha,
            base=pull.base.sha,
            base_branch=pull.base.ref,
            state=state_of(pull),
            ended=pull.merged_at or pull.closed_at,
            draft=pull.draft is not False,
            private=pull.base.repo is None or pull.base.repo.closed,
            files=pull.changed_files,
            lines=pull.additions + pull.deletions,
            labels=tuple(label.name for label in pull.labels),
            merge_commit=pull.merge_commit_sha or "",
            fork=_is_fork(pull),
            branch=pull.head.ref,
            default_branch=pull.base.repo.default_branch if pull.base.repo is not None else "",
            repo_id=named(pull.base.repo)[1],
        )

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        """Returns the diff from the merge base to the pinned head; file by file if the whole is
        too large for GitHub or for us.
        """
        data = await self._whole_diff(change)
        large = data is not None and not is_readable(data)
        if data is not None and not large:
            return Reading(change, data, notes=await self._stacked(change))
        path = f"repos/{change.link.repo}/pulls/{change.link.number}/files"
        change, files = await self._pinned(change, path, File)
        complete = len(files) < PAGE * PAGES or change.files <= len(files)
        withheld = [blank_file(one) for one in files if one.changes and not one.patch]
        made = await self._made_patches(change, withheld, work)
        patches = bounded(with_patch(file, made.get(file.filename)) for file in files)
        count = sum(map(bool, made.values()))
        notes = file_by_file_notes(change, large, len(files), count, complete=complete)
        return Reading(change, None, patches, tuple(notes), complete)

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        then = replace(change, base=since.base, head=since.head)
        old = await self._whole_diff(then)
        if old is None or not is_readable(old):
            return None
        return (Reading(then, old), await self._move(change, since))

    async def _parents(self, change: ForgeChange, since: Since) -> Sequence[int] | BranchMove:
        between = f"{quote(since.head)}...{quote(change.head)}"
        response = await self.api.get(f"repos/{change.link.repo}/compare/{between}")
        if response.status != 200:
            return BranchMove.FORCE_PUSH
        compared = self.api.decoded(response, Compared)
        if compared.status not in {"ahead", "identical"}:
            return rewritten(change, since)
        return [len(commit.parents) for commit in compared.commits]

    async def _whole_diff(self, change: ForgeChange) -> bytes | None:
        repo = change.link.repo
        accept = "application/vnd.github.v3.diff"
        try:
            response = await self.api.get(
                f"repos/{repo}/compare/{quote(change.base)}...{quote(change.head)}", accept
            )
        except BodyTooLarge:
            return None
        if response.status in _TOO_LARGE or response.status == 404 or response.status >= 500:
            return None
        return self.api.successful(response).body

    async def remarks(self, link: ChangeLink) -> list[Remark]:
        """Returns what others wrote on lines of a pull request; answers in threads are left out."""
        path = f"repos/{link.repo}/pulls/{link.number}/comments"
        return [
            Remark(login_of(one.user), one.path, one.line, one.side or RIGHT, one.text)
            async for one in self.api.listed(path, Comment, link.short)
            if one.in_reply_to_id is None and MARK not in one.text
        ]

    async def _stacked(self, change: ForgeChange) -> tuple[str, ...]:
        """Returns a note that names the open pull request of the branch that the change goes into;
        none if there is none.
        """
        if not change.may_be_stacked:
            return ()
        repo, branch = change.link.repo, change.base_branch
        query = urlencode({"state": "open", "head": f"{repo.partition('/')[0]}:{branch}"})
        response = await self.api.get(f"repos/{repo}/pulls?{query}")
        if response.status != 200:
            return ()
        parents = self.api.decoded(response, list[Pull])
        return tuple(stacked_note(f"{repo}#{p.number}", one_line(branch).text) for p in parents[:1])

    async def merge_base(self, change: ForgeChange) -> str:
        compared = await self.api.get(
            f"repos/{change.link.repo}/compare/{quote(change.base)}...{quote(change.head)}?per_page=1"
        )
        if compared.status != 200:
            return change.base
        return self.api.decoded(compared, str, "merge_base_commit", "sha")

    async def names_in(self, repo: str, ref: str, folder: str) -> Sequence[str]:
        path = f"repos/{repo}/contents/{quote(folder)}?{urlencode({'ref': ref})}"
        response = await self.api.get(path)
        if response.status == 404:
            return ()
        return [entry.name for entry in self.api.decoded(response, list[Named])]

    async def archive(self, change: ForgeChange) -> bytes | None:
        path = f"repos/{change.link.repo}/tarball/{quote(change.head)}"
        return await self.api.archive(path, elsewhere=f"codeload.{change.link.host}")

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        numbers = list(dict.fromkeys(_CLOSES.findall(change.body)))[:3]
        issues = []
        for number in numbers:
            # an issue that was moved answers with its new repository, which may be a private one
            response = await self.api.get(f"repos/{change.link.repo}/issues/{number}", follow=False)
            if response.status in {404, 410, *REDIRECTS}:
                continue
            issue = self.api.decoded(response, Issue)
            if issue.repository_url.lower().endswith(f"/repos/{change.link.repo}".lower()):
                issues.append((issue.number, issue.title, issue.body or ""))
        return issues

    async def scans(self, repo: str, number: int) -> tuple[bytes, ...]:
        """Returns the newest SARIF file of each scanner for a pull request, at most five.

        Raises ``CouldNotFinish`` if the credential may not read them, or the repository has none.
        """
        query = urlencode({"ref": f"refs/pull/{number}/merge", "per_page": PAGE})
        path = f"repos/{repo}/code-scanning/analyses"
        listed = self.api.decoded(await self.api.get(f"{path}?{query}"), list[Analysis])
        newest = {one.tool.name: one.id for one in reversed(listed)}
        files = [
            await self.api.get(f"{path}/{id}", "application/sarif+json")
            for id in list(newest.values())[:_SCANNERS]
        ]
        return tuple(self.api.successful(file).body for file in files)

    async def repository(self, repo: str) -> Repo:
        """Returns a repository. Raises ``BadInput`` if it is not visible."""
        response = await self.api.get(f"repos/{repo}")
        if response.status == 404:
            raise refusals.cannot_see(repo, "github", linked=self.api.linked)
        return self.api.decoded(response, Repo)

    async def open_pulls(self, host: str, repo: str, wanted: PullFilter) -> Mapping[str, str]:
        """Returns the heads of the open pull requests by their links, last updated first."""
        query = {"state": "open", "sort": "updated", "direction": "desc"}
        if wanted.base:
            query["base"] = wanted.base
        heads: dict[str, str] = {}
        async for pull in self.api.listed(f"repos/{repo}/pulls", Pull, repo, query, 10):
            if wanted.updated_since and pull.updated_at and pull.updated_at < wanted.updated_since:
                break
            if matches(pull, wanted):
                heads[ChangeLink("github", host, repo, pull.number).url] = pull.head.sha
            if len(heads) >= wanted.at_most:
                break
        return heads

    async def _file(self, change: ForgeChange, path: str, commit: str) -> Response:
        query = urlencode({"ref": commit})
        return await self.api.get(
            f"repos/{change.link.repo}/contents/{quote(path)}?{query}",
            "application/vnd.github.v3.raw",
        )


def _is_fork(pull: Pull) -> bool:
    """Return whether the head is in another repository than the base, or in one that is gone."""
    head, base = pull.head.repo, pull.base.repo
    return head is None or base is None or head.id != base.id
