"""Starts the team's workflow that runs a test, and reads what it tells, on GitHub.

A job tells its result as notices, which the API gives as the annotations of its check run: no
archive has to be fetched and unpacked.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence
from urllib.parse import quote

import msgspec

from adapters.forges.api import ForgeApi
from adapters.forges.github.replies import Repo, Run
from adapters.forges.pipelines import LARGEST, MISSING, PipelineRun
from core.debate.errors import BadInput, CouldNotFinish

WORKFLOW = "debate-proof.yml"
_TITLE = "debate-proof"
_PART = re.compile(rf"{_TITLE} (\d{{1,4}})/(\d{{1,4}})", re.ASCII)


class _Annotation(msgspec.Struct):
    title: str | None = None
    message: str | None = None


class GitHubPipeline:
    """The workflow of one repository."""

    def __init__(self, api: ForgeApi, repo: str) -> None:
        self._api, self._repo = api, f"repos/{repo}"

    async def find(self, id: str) -> PipelineRun | None:
        """Returns the run of a proof that was started by dispatch on the default branch; whatever
        else has its name is passed over.
        """
        branch = await self._branch()
        path = f"{self._repo}/actions/workflows/{WORKFLOW}/runs?event=workflow_dispatch&per_page=50"
        response = await self._api.get(path)
        if response.status == 404:
            raise BadInput(MISSING.format(file=f".github/workflows/{WORKFLOW}"))
        for run in self._api.decoded(response, list[Run], "workflow_runs"):
            ours = run.event == "workflow_dispatch" and run.head_branch == branch
            if ours and run.display_title == f"{_TITLE} {id}":
                return PipelineRun(str(run.id), run.status == "completed", run.html_url or "")
        return None

    async def start(self, id: str, order: str) -> None:
        path = f"{self._repo}/actions/workflows/{WORKFLOW}/dispatches"
        body = {"ref": await self._branch(), "inputs": {"id": id, "order": order}}
        response = await self._api.send("POST", path, body)
        if response.status in (404, 422):
            raise BadInput(MISSING.format(file=f".github/workflows/{WORKFLOW}"))
        self._api.successful(response)

    async def results(self, run: PipelineRun) -> Sequence[bytes]:
        path = f"{self._repo}/actions/runs/{quote(run.id)}/jobs?per_page=20"
        documents = []
        for job in self._api.decoded(await self._api.get(path), list[Run], "jobs"):
            path = f"{self._repo}/check-runs/{job.id}/annotations?per_page=50"
            notices = self._api.decoded(await self._api.get(path), list[_Annotation])
            if document := _joined(notices):
                documents.append(document)
        return documents

    async def _branch(self) -> str:
        return self._api.decoded(await self._api.get(self._repo), Repo).default_branch


def _joined(notices: Sequence[_Annotation]) -> bytes:
    """Returns the document that the notices of one job hold, in their order; empty without any."""
    parts: dict[int, str] = {}
    total = 0
    for notice in notices:
        if place := _PART.fullmatch(notice.title or ""):
            parts[int(place[1])], total = notice.message or "", int(place[2])
    if not parts:
        return b""
    if sorted(parts) != [*range(1, total + 1)]:
        raise CouldNotFinish("a part of the workflow's result is missing")
    try:
        packed = base64.b64decode("".join(parts[n] for n in sorted(parts)), validate=True)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(packed, LARGEST)
    except (ValueError, zlib.error) as error:
        raise CouldNotFinish("the workflow's result can't be read") from error
    return data if unpacking.eof else b""
