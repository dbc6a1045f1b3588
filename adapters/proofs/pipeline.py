"""Runs a proof in the team's own pipeline: it is handed the test, and its result is bound to the
test and the commits by their hashes.
"""

from __future__ import annotations

import asyncio
import base64
import difflib
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Any

import msgspec

from adapters.forges.pipelines import Pipeline, PipelineRun
from adapters.forges.refusals import OutcomeUnknown
from adapters.proofs.frameworks import Framework
from adapters.proofs.local import (
    NO_PROGRAM,
    Projects,
    Prover,
    digest,
    run_of,
    trees_of,
    with_setups_of_base,
)
from adapters.proofs.sandbox import REPORT, Ran
from adapters.redaction import clean
from adapters.repository.snapshots import Project, Snapshot
from adapters.text.documents import read_json
from core.debate.errors import CouldNotFinish
from core.debate.finding import Finding
from core.debate.proof import SECONDS, ProofRuns, ProofTest, TreeName
from core.debate.stored import lasting, stored

WHERE = "ci"
LARGEST_ORDER = 60_000
"""The most characters of an order; GitHub takes 65,535 for all inputs of a workflow."""
_WAITS = 600.0
"""The most seconds to wait for a result: a pipeline may be in a queue."""
_PAUSE = 5.0
NOT_THIS = "the pipeline's result is of another test or commit, so it counts for nothing"


class _Played(msgspec.Struct):
    code: int = -1
    limit: str = ""
    report: str = ""
    output: str = ""
    output_digest: str = ""
    seconds: float = 0.0

    def ran(self) -> Ran:
        return Ran(self.code, self.report.encode(), self.output.encode(), self.limit, self.seconds)


class _Told(_Played, kw_only=True):
    """What one job tells. Everything in it may be a stranger's. ``whole`` is the run with the whole
    file of the finding put back, if the test did not pass with its lines put back.
    """

    id: str
    tree: str
    test: str
    base: str = ""
    head: str = ""
    ignored: list[str] = []
    whole: _Played | None = None
    problem: str = ""


class PipelineProofs(Prover):
    """Proves in the pipeline of the repository of a change."""

    where = WHERE

    def __init__(
        self,
        pipeline: Callable[[], AbstractAsyncContextManager[Pipeline]],
        project: Projects,
        *,
        forks: bool = False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(project, forks=forks)
        self._pipeline = pipeline
        self._sleep = sleep

    async def _tools(self, framework: Framework, project: Project) -> str:
        return "what the set-up of the project's pipeline installs"

    async def _run(
        self, project: Project, framework: Framework, test: ProofTest, finding: Finding
    ) -> ProofRuns:
        document = _order(project, framework, test, finding)
        id = document["id"]
        packed = base64.b64encode(msgspec.json.encode(document)).decode()
        if len(packed) > LARGEST_ORDER:
            return ProofRuns(
                WHERE, framework.name, problem=stored("the test is too large"), again=True
            )
        async with self._pipeline() as pipeline:
            run = await pipeline.find(id)  # one that this process started before it died
            if run is None:
                with suppress(OutcomeUnknown):  # then it is waited for: an order is started once
                    await pipeline.start(id, packed)
            run = await self._ended(pipeline, id)
            documents = await pipeline.results(run)
        wanted = [*map(TreeName, document["trees"])]
        return _result(project, framework, test, run, id, wanted, documents)

    async def _ended(self, pipeline: Pipeline, id: str) -> PipelineRun:
        for _ in range(int(_WAITS / _PAUSE)):
            run = await pipeline.find(id)
            if run is not None and run.ended:
                return run
            await self._sleep(_PAUSE)
        raise CouldNotFinish(
            stored("the pipeline gave no result within {why_long}", why_long=lasting(_WAITS))
        )


def _order(
    project: Project, framework: Framework, test: ProofTest, finding: Finding
) -> Mapping[str, Any]:
    """Returns the order for a job. Its id follows from the contents: the same order is started
    once.
    """
    head, _ = with_setups_of_base(framework, project.base, project.head)
    patches = {
        tree.value: _patch(head, entries) for tree, entries in trees_of(project.base, head, finding)
    }
    patches[TreeName.BASE.value] = ""
    tool = {"python": ["python3"], "node": ["node"]}.get(framework.tool, ["node", framework.tool])
    document = {
        "path": finding.path,
        "base": project.base_commit,
        "head": project.head_commit,
        "trees": patches,
        "test": {"path": test.path, "text": test.text},
        "command": [*tool, *framework.command(test.path, test.name)],
        "report": REPORT,
        "setups": framework.setups.pattern,
        "seconds": SECONDS / len(TreeName),
    }
    content = msgspec.json.encode(document, order="sorted")
    return {**document, "id": hashlib.sha256(content).hexdigest()[:32]}


def _patch(before: Snapshot, after: Snapshot) -> str:
    """Returns the one file in which two trees differ as a patch; "" if they do not."""
    path = next((p for p in after if before.get(p) is not after[p]), None)
    if path is None:
        return ""
    old, new = (tree[path].data.decode("utf-8", "replace") for tree in (before, after))
    lines = difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}")
    ended = (x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    return "".join(ended)


def _lines(text: str) -> list[str]:
    """Returns the lines as git counts them, each with its end."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _result(
    project: Project,
    framework: Framework,
    test: ProofTest,
    run: PipelineRun,
    id: str,
    wanted: Sequence[TreeName],
    documents: Sequence[bytes],
) -> ProofRuns:
    """Returns the runs, if there is a document for each tree, of this test on these commits."""
    result = ProofRuns(WHERE, framework.name, url=run.url)
    digest_of_test = digest(test.text.encode())
    runs, digests, ignored = {}, {"test": digest_of_test}, set[str]()
    for document in documents:
        try:
            answer = read_json(document, _Told)
            tree = TreeName(answer.tree)
        except ValueError:
            return replace(result, problem=stored("the pipeline's result can't be read"))
        if answer.id != id or answer.test != digest_of_test:
            return replace(result, problem=NOT_THIS)
        if answer.problem:
            why = clean(answer.problem)[:200]
            return replace(result, problem=stored("the pipeline failed: {problem}", problem=why))
        at = project.head_commit
        if tree is TreeName.BASE:
            at = project.base_commit
        if answer.base != project.base_commit or answer.head != at or tree in runs:
            return replace(result, problem=NOT_THIS)
        played: _Played = answer
        if answer.whole is not None and tree is TreeName.PUT_BACK:
            lines = run_of(framework, test, answer.ran())
            played = answer
            if lines.ending in NO_PROGRAM:
                played = answer.whole
        runs[tree] = run_of(framework, test, played.ran())
        digests[tree.value] = played.output_digest[:80]
        ignored.update(answer.ignored[:20])
    if silent := [tree.value for tree in wanted if tree not in runs]:
        names = ", ".join(silent)
        problem = stored("the pipeline has no result for {trees}: see its log", trees=names)
        return replace(result, problem=problem)
    return ProofRuns(
        WHERE,
        framework.name,
        " ".join((framework.tool.rpartition("/")[2], test.path)),
        runs,
        commits={"base": project.base_commit, "head": project.head_commit},
        digests=digests,
        ignored=tuple(sorted(clean(path)[:200] for path in ignored)),
        url=run.url,
    )
