"""The five GETs of GitLab's REST API that reading a merge request needs, on a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

HEAD = "2222222222222222222222222222222222222222"
BASE = "3333333333333333333333333333333333333333"


@dataclass
class GitLabStandIn:
    """One project, ``group/sub/project``, with one merge request, number 7."""

    diffs: list[dict[str, Any]] = field(default_factory=list)
    title: str = "A change"
    description: str = ""
    visibility: str = "public"
    state: str = "opened"
    guidelines: dict[str, str] = field(default_factory=dict)
    issues: dict[int, dict[str, str]] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[GitLabStandIn]:
        app = web.Application()
        app.router.add_route("GET", "/{tail:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v4"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.rel_url.raw_path
        self.paths.append(path)
        self.tokens.append(request.headers.get("Private-Token", ""))
        project = "/api/v4/projects/group%2Fsub%2Fproject"
        if path == project:
            return web.json_response({"visibility": self.visibility})
        if path == f"{project}/merge_requests/7":
            return web.json_response(self._request())
        if path == f"{project}/merge_requests/7/diffs":
            size, page = (
                int(request.query.get("per_page", "20")),
                int(request.query.get("page", "1")),
            )
            return web.json_response(self.diffs[(page - 1) * size : page * size])
        for name, text in self.guidelines.items():
            if (
                path == f"{project}/repository/files/{name.replace('/', '%2F')}/raw"
                and request.query["ref"] == BASE
            ):
                return web.Response(text=text)
        for number, issue in self.issues.items():
            if path == f"{project}/issues/{number}":
                return web.json_response({"iid": number, **issue})
        return web.json_response({"message": "404 Not found"}, status=404)

    def _request(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "description": self.description,
            "target_branch": "main",
            "state": self.state,
            "author": {"username": "mallory"},
            "diff_refs": {"base_sha": BASE, "head_sha": HEAD, "start_sha": BASE},
            "changes_count": str(len(self.diffs)),
        }
