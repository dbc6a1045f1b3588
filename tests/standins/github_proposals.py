"""The part of GitHub that a proposed file needs: branches, and opening pull requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from tests.standins.github_state import BASE, Pull


@dataclass
class Proposals:
    """``branches`` are commits by (repository, branch); each repository has a ``main``. ``pushes``
    says whether a request's credential may write files.
    """

    pulls: dict[tuple[str, int], Pull]
    pushes: Callable[[web.Request], bool]
    branches: dict[tuple[str, str], str] = field(default_factory=dict)

    def route(self, app: web.Application) -> None:
        at = "/repos/{owner}/{repo}"
        app.router.add_get(f"{at}/git/ref/heads/{{branch:.+}}", self._ref)
        app.router.add_post(f"{at}/git/refs", self._make_branch)
        app.router.add_post(f"{at}/pulls", self._open)

    def commit_of(self, repo: str, ref: str) -> str:
        """Returns the commit of a branch, or the ref itself."""
        return self.branches.get((repo, ref), {"main": BASE}.get(ref, ref))

    async def _ref(self, request: web.Request) -> web.Response:
        branch = request.match_info["branch"]
        sha = self.commit_of(_repo_of(request), branch)
        if sha == branch:
            return web.json_response({"message": "Not Found"}, status=404)
        return web.json_response({"ref": f"refs/heads/{branch}", "object": {"sha": sha}})

    async def _make_branch(self, request: web.Request) -> web.Response:
        body = await request.json()
        at = (_repo_of(request), body["ref"].removeprefix("refs/heads/"))
        if not self.pushes(request):
            message = "Resource not accessible by integration"
            return web.json_response({"message": message}, status=403)
        if at in self.branches:
            return web.json_response({"message": "Reference already exists"}, status=422)
        self.branches[at] = body["sha"]
        return web.json_response({"ref": body["ref"], "object": {"sha": body["sha"]}}, status=201)

    async def _open(self, request: web.Request) -> web.Response:
        body, repo = await request.json(), _repo_of(request)
        if any(
            name == repo and pull.branch == body["head"] for (name, _), pull in self.pulls.items()
        ):
            return web.json_response({"message": "A pull request already exists"}, status=422)
        number = 900 + len(self.pulls)
        self.pulls[repo, number] = Pull(
            title=body["title"], body=body["body"], branch=body["head"], base_branch=body["base"]
        )
        url = f"https://github.com/{repo}/pull/{number}"
        return web.json_response({"number": number, "html_url": url}, status=201)


def _repo_of(request: web.Request) -> str:
    return f"{request.match_info['owner']}/{request.match_info['repo']}"
