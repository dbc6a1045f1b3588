"""Starts the team's pipeline that runs a test, and reads what it tells, on GitLab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from adapters.forges.api import ForgeApi
from adapters.forges.gitlab.replies import path_of
from adapters.forges.pipelines import LARGEST, MISSING, PipelineRun
from core.debate.errors import BadInput

BRANCH = "debate-proof"
"""An unprotected branch that holds only this pipeline: no other job runs, and no protected variable
is given to it.
"""
_JOB = "debate-proof"
_ID = "DEBATE_PROOF"
"""The variable with the id of the proof."""
_ENDED = frozenset({"success", "failed", "canceled", "skipped"})


class _Run(msgspec.Struct):
    id: int
    status: str = ""
    source: str = ""
    ref: str = ""
    web_url: str = ""
    name: str | None = None


class GitLabPipeline:
    """The pipeline of one project."""

    def __init__(self, api: ForgeApi, repo: str) -> None:
        self._api, self._project = api, path_of(repo)

    async def find(self, id: str) -> PipelineRun | None:
        query = urlencode({"ref": BRANCH, "source": "api", "per_page": 30})
        path = f"{self._project}/pipelines?{query}"
        pipelines = self._api.decoded(await self._api.get(path), list[_Run])
        for each in pipelines:
            if each.ref == BRANCH and each.source == "api" and await self._has(each, id):
                return PipelineRun(str(each.id), each.status in _ENDED, each.web_url)
        return None

    async def _has(self, pipeline: _Run, id: str) -> bool:
        path = f"{self._project}/pipelines/{pipeline.id}/variables"
        variables = self._api.decoded(await self._api.get(path), list[dict[str, Any]])
        return any((each.get("key"), each.get("value")) == (_ID, id) for each in variables)

    async def start(self, id: str, order: str) -> None:
        variables = [
            {"key": _ID, "value": id},
            {"key": "DEBATE_ORDER", "value": order},
        ]
        body = {"ref": BRANCH, "variables": variables}
        response = await self._api.send("POST", f"{self._project}/pipeline", body)
        if response.status in (400, 404):
            raise BadInput(MISSING.format(file=f".gitlab-ci.yml of the branch {BRANCH}"))
        self._api.successful(response)

    async def results(self, run: PipelineRun) -> Sequence[bytes]:
        path = f"{self._project}/pipelines/{quote(run.id)}/jobs?per_page=20"
        jobs = self._api.decoded(await self._api.get(path), list[_Run])
        documents = []
        for job in jobs:
            if (job.name or "").partition(":")[0] == _JOB:
                path = f"{self._project}/jobs/{job.id}/artifacts/proof.json"
                response = await self._api.get(path)
                if response.status == 200 and len(response.body) <= LARGEST:
                    documents.append(response.body)
        return documents
