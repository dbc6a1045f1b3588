"""Proposes a decision record on GitHub: a branch with one more file, and its pull request. Each
step is looked up first, so that doing them again changes nothing.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from adapters.forges.github.reading import GitHub
from adapters.forges.github.replies import Content, Issue, Repo
from adapters.forges.refusals import POSTED
from adapters.forges.writing import NewFile, NewRecord, Written
from core.debate.errors import BadInput


class GitHubFiles(GitHub):
    """Commits new files to branches, and proposes records."""

    async def default_branch(self, repo: str) -> str:
        return self.api.decoded(await self.api.get(f"repos/{repo}"), Repo).default_branch

    async def find_record(self, repo: str, record: NewRecord) -> Written | None:
        """Returns the pull request of the record's branch, whatever became of it."""
        owner = repo.partition("/")[0]
        query = urlencode({"state": "all", "head": f"{owner}:{record.branch}"})
        response = await self.api.get(f"repos/{repo}/pulls?{query}")
        for made in self.api.decoded(response, list[Issue]):
            return Written(str(made.number), made.html_url)
        return None

    async def propose_record(self, repo: str, record: NewRecord) -> Written:
        if known := await self.find_record(repo, record):
            return known
        base = await self.api.get(f"repos/{repo}/git/ref/heads/{quote(record.base)}")
        if base.status == 404:
            raise BadInput(f"{repo} has no branch {record.base} any more.")
        sha = self.api.decoded(base, str, "object", "sha")
        begun = await self.api.get(f"repos/{repo}/git/ref/heads/{quote(record.branch)}")
        if begun.status == 404:
            body = {"ref": f"refs/heads/{record.branch}", "sha": sha}
            response = await self.api.send("POST", f"repos/{repo}/git/refs", body)
            self.api.successful(response, undone=POSTED)
        await self.add_file(repo, record.branch, record)
        body = {
            "title": record.title,
            "head": record.branch,
            "base": record.base,
            "body": record.body,
        }
        response = await self.api.send("POST", f"repos/{repo}/pulls", body)
        if response.status == 422 and (known := await self.find_record(repo, record)):
            return known  # an answer was lost, and the request was sent again
        made = self.api.decoded(response, Issue, undone=POSTED)
        return Written(str(made.number), made.html_url)

    async def add_file(self, repo: str, branch: str, file: NewFile) -> Written:
        """Commits a new file, unless it is there already. Raises ``BadInput`` for a path at which
        the branch has another file.
        """
        path = f"repos/{repo}/contents/{quote(file.path)}"
        if added := await self._added(path, branch, file):
            return added
        body = {"message": file.message, "content": file.encoded, "branch": branch}
        response = await self.api.send("PUT", path, body)
        if response.status == 422 and (added := await self._added(path, branch, file)):
            return added  # an answer was lost, and the request was sent again
        made = self.api.decoded(response, Content, "commit", undone=POSTED)
        return Written(made.sha, made.html_url)

    async def _added(self, path: str, branch: str, file: NewFile) -> Written | None:
        response = await self.api.get(f"{path}?{urlencode({'ref': branch})}")
        if response.status == 404:
            return None
        there = self.api.decoded(response, Content)
        file.require_same(there.content)
        return Written(there.sha, there.html_url)
