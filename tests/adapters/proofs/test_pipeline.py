"""Proofs in the team's pipeline, whose script is really run by stand-ins of both forges."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types
from aiohttp.test_utils import TestServer

from adapters.forges.api import ForgeApi, github_headers, gitlab_headers
from adapters.forges.github.proofs import GitHubPipeline
from adapters.forges.gitlab.proofs import GitLabPipeline
from adapters.forges.pipelines import Pipeline
from adapters.forges.wire import WireLimits, open_wire
from adapters.proofs.pipeline import PipelineProofs
from adapters.repository.snapshots import Project, snapshot_of_commit
from core.debate.finding import Finding
from core.debate.proof import Ending, ProofRuns, ProofTest, Standing, TreeName, judge
from tests.adapters.proofs.test_local import (
    APART,
    HOSTILE,
    OLD,
    RENAMED,
    RIGHT,
    TEST,
    WRONG,
    finding_at,
)
from tests.project import ROOT
from tests.standins.pipelines import TREES, Pipelines
from tests.standins.project import commit, git, make_environment

ORDER = (
    ProofTest("tests/test_proof.py", "test_the_last_item_counts", TEST),
    finding_at("shop.py", 2),
)
GIT_OF_GITHUB, GIT_OF_GITLAB = "github", "gitlab"


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter: root's tests are run by nobody."""
    folder = Path(tempfile.mkdtemp(prefix="debate-test-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(name="environment", scope="module")
def _environment() -> Iterator[Path]:
    with open_folder() as folder:
        made = make_environment(folder)
        (made / "bin" / "python3").symlink_to("python")
        yield made


class Team:
    """A team's repository on a forge, with its pipeline."""

    def __init__(self, pipelines: Pipelines, project: Project, forge: str) -> None:
        self.pipelines, self.project, self.forge = pipelines, project, forge

    async def prove(
        self, order: tuple[ProofTest, Finding] = ORDER, *, forks: bool = False
    ) -> ProofRuns:
        async with TestServer(self.pipelines.app()) as server:
            url = str(server.make_url("/"))

            @asynccontextmanager
            async def pipeline() -> AsyncIterator[Pipeline]:
                now = datetime.now(UTC)
                async with open_wire(None, url, self.forge, WireLimits(), now) as wire:
                    if self.forge == GIT_OF_GITHUB:
                        yield GitHubPipeline(
                            ForgeApi(wire, github_headers("t"), linked=True), "o/r"
                        )
                    else:
                        yield GitLabPipeline(
                            ForgeApi(wire, gitlab_headers("t"), linked=True), "o/r"
                        )

            async def project() -> Project:
                return self.project

            proofs = PipelineProofs(pipeline, project, forks=forks, sleep=self._until_it_ran)
            self.framing = await proofs.prepare(order[1].path)
            return await proofs.run(*order)

    async def _until_it_ran(self, _seconds: float) -> None:
        await asyncio.gather(*(run.working for run in self.pipelines.runs))


@pytest.fixture(name="team_on")
def _team_on(environment: Path) -> Iterator[Callable[..., Any]]:
    with open_folder() as outer:
        yield team_in(outer, environment)


def team_in(outer: Path, environment: Path) -> Callable[..., Any]:
    folder, scratch = outer / "repository", outer / "scratch"
    folder.mkdir()
    scratch.mkdir()
    git(folder, "init", "-q", "-b", "main")

    async def team(
        forge: str = GIT_OF_GITHUB, before: Mapping[str, str] = OLD, **more: str
    ) -> Team:
        base = commit(folder, before)
        head = commit(folder, {"shop.py": WRONG, **more})
        before_it, after_it = [await snapshot_of_commit(folder, each) for each in (base, head)]
        project = Project(before_it, after_it, base, head)
        return Team(Pipelines(folder, environment, scratch), project, forge)

    return team


HOSTILE_PATHS = ("tests/é/conftest.py", "tests/*/conftest.py")
TELLING = TEST.replace("== 3", "== 3, sorted(os.environ)").replace("from", "import os\n\nfrom", 1)
"""A test that prints the names of its environment variables."""


ELSEWHERE = (RIGHT + APART + "LIMIT = 1\n", WRONG + APART + "LIMIT = 2\n")


@pytest.mark.parametrize(
    ("forge", "files", "line", "standing"),
    [
        (GIT_OF_GITHUB, ELSEWHERE, 47, Standing.NO_PROOF),
        (GIT_OF_GITLAB, RENAMED, 2, Standing.PROVEN),
    ],
    ids=["GitHub, where it flips elsewhere", "GitLab, where the whole file must be put back"],
)
async def test_a_pipeline_proves_or_shows_that_a_test_tests_something_else(
    team_on: Callable[..., Any], forge: str, files: tuple[str, str], line: int, standing: Standing
) -> None:
    """The change does not decide about its own tests, a test knows no secret, and the result of
    another commit or test, or none, counts for nothing. An assertion that still fails is no missing
    name: the whole file is not put back for it.
    """
    before, after = files
    proven = standing is Standing.PROVEN
    hostile = HOSTILE["a conftest that passes everything"] | HOSTILE["a pytest.ini"]
    hostile |= dict.fromkeys(HOSTILE_PATHS, "raise SystemExit(0)\n")
    team = await team_on(forge, {**OLD, "shop.py": before}, **{"shop.py": after}, **hostile)
    order = (replace(ORDER[0], text=TELLING), replace(ORDER[1], line=line))
    result = await team.prove(order)
    judged = judge(result)
    assert (judged.standing, result.problem) == (standing, "")
    assert ("tests something else" in judged.reason) is not proven
    assert {tree: run.ending for tree, run in result.runs.items()} == {
        TreeName.HEAD: Ending.FAILED,
        TreeName.BASE: Ending.PASSED,
        TreeName.PUT_BACK: Ending.PASSED if proven else Ending.FAILED,
    }
    assert result.commits["head"] == team.project.head_commit
    assert result.digests.keys() == {"test", "head", "base", "put_back"}
    assert team.framing.framework == "pytest"
    assert set(result.ignored) == set(hostile)
    assert "PATH" in result.runs[TreeName.HEAD].error
    for secret in ("TOKEN", "of-the-team", "DEBATE_ORDER"):
        assert secret not in repr(result)
    assert team.pipelines.dispatched == 1
    (run,) = team.pipelines.runs
    foreign = {"id": run.id, "display_title": f"debate-proof {run.name}", "status": "completed"}
    foreign |= dict.fromkeys(("html_url", "web_url"), "https://git.example/foreign")
    team.pipelines.foreign = [
        foreign | {"event": event, "source": source, "head_branch": branch, "ref": branch}
        for event, source, branch in (
            ("push", "push", "main"),
            ("workflow_dispatch", "api", "feature"),
            ("pull_request", "merge_request_event", "main"),
        )
    ]
    again = await team.prove(order)
    assert judge(again).standing is standing
    assert team.pipelines.dispatched == 1, "a bot that died starts its order once more"
    assert again.url == result.url, "a run that somebody else started is not passed over"
    if forge == GIT_OF_GITLAB:
        await only_results_of_the_order_count(team, order)


async def only_results_of_the_order_count(team: Team, order: tuple[ProofTest, Finding]) -> None:
    """Checks that no result of another commit, test or tree is used; none is no proof."""
    jobs = team.pipelines.runs[0].jobs
    document = json.loads(jobs["head"][1])
    other = {"head": team.project.base_commit, "test": "sha256:0", "id": "0", "tree": "base"}
    for name, value in other.items():
        jobs["head"] = "", json.dumps({**document, name: value}).encode()
        result = await team.prove(order)
        assert "of another test or commit" in result.problem, name
        assert judge(result).standing is Standing.NO_PROOF
    jobs["head"] = "", b""
    assert "no result for head" in (await team.prove(order)).problem
    assert team.pipelines.dispatched == 1


@pytest.mark.parametrize("forge", [GIT_OF_GITHUB, GIT_OF_GITLAB])
async def test_a_repository_without_the_pipeline_names_the_next_step(
    team_on: Callable[..., Any], forge: str
) -> None:
    team = await team_on(forge)
    team.pipelines.missing = True
    result = await team.prove()
    assert "`debate docs proof`" in result.problem
    assert not result.again


async def test_a_fork_is_not_run_unless_the_operator_allows_it(team_on: Callable[..., Any]) -> None:
    team = await team_on()
    team.project = replace(team.project, fork=True)
    assert ",forks in DEBATE_PROVE" in (await team.prove()).problem
    assert ",forks in DEBATE_PROVE" in team.framing.problem
    team.pipelines.missing = True
    assert "`debate docs proof`" in (await team.prove(forks=True)).problem, "the pipeline is asked"
    assert team.pipelines.dispatched == 0


def test_the_workflow_gives_the_job_nothing() -> None:
    text = (ROOT / "manifests" / "proofs" / "github-proof.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert set(workflow[True]) == {"workflow_dispatch"}, "it is started by dispatch only"
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    (job,) = workflow["jobs"].values()
    assert job["strategy"]["matrix"]["tree"] == [*TREES]
    assert job["steps"][0]["with"]["persist-credentials"] is False
    assert "permissions" not in job
    (gitlab,) = yaml.safe_load(
        (ROOT / "manifests/proofs/gitlab-proof.yml").read_text("utf-8")
    ).values()
    assert gitlab["rules"] == [{"if": '$DEBATE_ORDER && $CI_PIPELINE_SOURCE == "api"'}]
    assert gitlab["parallel"]["matrix"] == [{"DEBATE_TREE": [*TREES]}]
