"""Stand-ins of the parts of GitHub and GitLab that run a team's pipeline: a dispatch really runs
the script that ships, in a clone for each tree, and its result is what the real API would give.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.project import ROOT

SCRIPT = ROOT / "manifests" / "proofs" / "proof.py"
TREES = ("head", "base", "fix", "put_back")
_NOTICE = re.compile(r"^::notice title=([^:]*)::(.*)$", re.MULTILINE)


@dataclass
class Run:
    id: int
    name: str
    order: str
    working: asyncio.Future[Any]
    jobs: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        return len(self.jobs) == len(TREES)


@dataclass
class Pipelines:
    """One repository's pipelines. ``missing`` has the repository hold no pipeline. ``dispatched``
    counts the starts.
    """

    repository: Path
    environment: Path
    scratch: Path
    missing: bool = False
    foreign: list[dict[str, Any]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    dispatched: int = 0

    def app(self) -> web.Application:
        app = web.Application()
        workflow = "/repos/o/r/actions/workflows/debate-proof.yml"
        app.add_routes(
            [
                web.get("/repos/o/r", self._repository),
                web.get(f"{workflow}/runs", self._runs),
                web.post(f"{workflow}/dispatches", self._dispatch),
                web.get("/repos/o/r/actions/runs/{id}/jobs", self._jobs),
                web.get("/repos/o/r/check-runs/{job}/annotations", self._annotations),
                web.get("/projects/{p}/pipelines", self._pipelines),
                web.post("/projects/{p}/pipeline", self._start),
                web.get("/projects/{p}/pipelines/{id}/variables", self._variables),
                web.get("/projects/{p}/pipelines/{id}/jobs", self._gitlab_jobs),
                web.get("/projects/{p}/jobs/{job}/artifacts/proof.json", self._artifact),
            ]
        )
        return app

    async def _repository(self, _: web.Request) -> web.Response:
        return web.json_response({"default_branch": "main"})

    async def _runs(self, _: web.Request) -> web.Response:
        if self.missing:
            return web.json_response({"message": "Not Found"}, status=404)
        runs = [
            {
                "id": run.id,
                "display_title": f"debate-proof {run.name}",
                "status": "completed" if run.ended else "in_progress",
                "event": "workflow_dispatch",
                "head_branch": "main",
                "html_url": f"https://github.com/o/r/actions/runs/{run.id}",
            }
            for run in self.runs
        ]
        return web.json_response({"workflow_runs": [*self.foreign, *runs]})

    async def _dispatch(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert body["ref"] == "main"
        self._begin(body["inputs"]["id"], body["inputs"]["order"], {"GITHUB_ACTIONS": "true"})
        return web.Response(status=204)

    async def _start(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.missing:
            return web.json_response({"message": {"base": ["Reference not found"]}}, status=400)
        assert body["ref"] == "debate-proof"
        variables = {each["key"]: each["value"] for each in body["variables"]}
        self._begin(variables["DEBATE_PROOF"], variables["DEBATE_ORDER"], {})
        return web.json_response({"id": len(self.runs)}, status=201)

    async def _pipelines(self, _: web.Request) -> web.Response:
        rows = [
            {
                "id": run.id,
                "status": "success" if run.ended else "running",
                "source": "api",
                "ref": "debate-proof",
            }
            for run in self.runs
        ]
        return web.json_response([*self.foreign, *rows])

    async def _variables(self, request: web.Request) -> web.Response:
        run = self._run(request)
        return web.json_response([{"key": "DEBATE_PROOF", "value": run.name if run else "x"}])

    async def _jobs(self, request: web.Request) -> web.Response:
        run = self._run(request)
        assert run is not None
        jobs = [{"id": run.id * 10 + n} for n, tree in enumerate(TREES) if tree in run.jobs]
        return web.json_response({"jobs": jobs})

    async def _gitlab_jobs(self, request: web.Request) -> web.Response:
        run = self._run(request)
        assert run is not None
        return web.json_response(
            [
                {"id": run.id * 10 + n, "name": f"debate-proof: [{tree}]"}
                for n, tree in enumerate(TREES)
            ]
        )

    async def _annotations(self, request: web.Request) -> web.Response:
        output, _ = self._job(request)
        rows = [{"title": title, "message": text} for title, text in _NOTICE.findall(output)]
        return web.json_response([{"title": None, "message": "a warning"}, *rows])

    async def _artifact(self, request: web.Request) -> web.Response:
        _, document = self._job(request)
        if not document:
            return web.json_response({}, status=404)
        return web.Response(body=document)

    def _run(self, request: web.Request) -> Run | None:
        id = int(request.match_info["id"])
        return next((run for run in self.runs if run.id == id), None)

    def _job(self, request: web.Request) -> tuple[str, bytes]:
        id, n = divmod(int(request.match_info["job"]), 10)
        run = next(run for run in self.runs if run.id == id)
        return run.jobs.get(TREES[n], ("", b""))

    def _begin(self, name: str, order: str, more: Mapping[str, str]) -> None:
        self.dispatched += 1
        jobs = dict[str, tuple[str, bytes]]()

        async def work(tree: str) -> None:
            jobs[tree] = await asyncio.to_thread(self._job_of, order, tree, more)

        working = asyncio.gather(*map(work, TREES))
        self.runs.append(Run(len(self.runs) + 1, name, order, working, jobs))

    def _job_of(self, order: str, tree: str, more: Mapping[str, str]) -> tuple[str, bytes]:
        """Runs one job in a clone of its own, with a secret in its environment."""
        folder = self.scratch / f"{self.dispatched}-{tree}"
        subprocess.run(["git", "clone", "-q", self.repository, folder], check=True)
        env = {
            "PATH": f"{self.environment / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.scratch),
            "DEBATE_ORDER": order,
            "DEBATE_TREE": tree,
            "DEPLOY_TOKEN": "of-the-team",
            **more,
        }
        done = subprocess.run(
            [sys.executable, SCRIPT], cwd=folder, env=env, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        result = folder / "proof.json"
        return done.stdout, result.read_bytes() if result.is_file() else b""
