"""Proposes a decision record on GitLab: a branch with one more file, and its merge request. Each
step is looked up first, so that doing them again changes nothing.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from adapters.forges.gitlab.reading import GitLab
from adapters.forges.gitlab.replies import Commit, File, Project, Request, path_of
from adapters.forges.refusals import POSTED
from adapters.forges.writing import NewFile, NewRecord, Written


class GitLabFiles(GitLab):
    """Commits new files to branches, and proposes records."""

    async def default_branch(self, repo: str) -> str:
        return self.api.decoded(await self.api.get(path_of(repo)), Project).default_branch

    async def find_record(self, repo: str, record: NewRecord) -> Written | None:
        """Returns the merge request of the record's branch, whatever became of it."""
        query = urlencode({"source_branch": record.branch, "state": "all"})
        response = await self.api.get(f"{path_of(repo)}/merge_requests?{query}")
        for made in self.api.decoded(response, list[Request]):
            return Written(str(made.iid), made.web_url)
        return None

    async def propose_record(self, repo: str, record: NewRecord) -> Written:
        if known := await self.find_record(repo, record):
            return known
        await self.add_file(repo, record.branch, record, start=record.base)
        body = {
            "source_branch": record.branch,
            "target_branch": record.base,
            "title": record.title,
            "description": record.body,
        }
        response = await self.api.send("POST", f"{path_of(repo)}/merge_requests", body)
        if response.status == 409 and (known := await self.find_record(repo, record)):
            return known  # an answer was lost, and the request was sent again
        made = self.api.decoded(response, Request, undone=POSTED)
        return Written(str(made.iid), made.web_url)

    async def add_file(self, repo: str, branch: str, file: NewFile, start: str = "") -> Written:
        """Commits a new file, unless it is there already; a new branch begins at ``start``. Raises
        ``BadInput`` for a path at which the branch has another file.
        """
        at = f"{path_of(repo)}/repository"
        path = f"{at}/files/{quote(file.path, safe='')}?{urlencode({'ref': branch})}"
        response = await self.api.get(path)
        if response.status != 404:
            there = self.api.decoded(response, File)
            file.require_same(there.content)
            return Written(there.last_commit_id)
        action = {"action": "create", "file_path": file.path, "content": file.text}
        body: dict[str, Any] = {"branch": branch, "commit_message": file.message}
        if start:
            body["start_branch"] = start
        response = await self.api.send("POST", f"{at}/commits", {**body, "actions": [action]})
        made = self.api.decoded(response, Commit, undone=POSTED)
        return Written(made.id, made.web_url)
