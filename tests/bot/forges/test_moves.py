"""The ways in which a branch came from one head to the next are told apart, through the webhook."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.debate.verdict.findings import merge_findings
from core.words.views.documents.forge import run_line
from tests.bot.forges.gitlab_town import diffs, project
from tests.bot.forges.town import diff, town

OLD = {"a": ["x = 1 # BUG one"]}
NEW = OLD | {"b": ["y = 2 # BUG two"]}
BASE = "d" * 40


class Case(NamedTuple):
    """``how`` as GitHub's comparison says it, ``parents`` of the newest commit."""

    moved: str
    reason: str
    root: str
    how: str = "ahead"
    parents: int = 1
    base: str = ""
    branch: str = ""


MERGED, ELSEWHERE = "the base was merged into it", "it goes into another branch now"
CASES = (
    Case("push", "new commits that change nothing here", "new commits"),
    Case("merge", MERGED, MERGED, parents=2, base=BASE),
    Case("rebase", "it was rebased", "rebased", how="diverged", base=BASE),
    Case("force_push", "its history was rewritten", "history was rewritten", how="diverged"),
    Case("base_change", ELSEWHERE, ELSEWHERE, branch="next"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.moved)
async def test_on_github(tmp_path: Path, case: Case) -> None:
    async with town(tmp_path, diff=diff(**OLD)) as t:
        await t.bind()
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        await t.settle()
        count = len(t.provider.requests)

        async def move(head: str, content: bytes) -> None:
            t.pull.push(head, content, base=case.base, how=case.how, parents=case.parents)
            t.pull.base_branch = case.branch or t.pull.base_branch
            if case.branch:
                changes = {"base": {"ref": {"from": "main"}}}
                await t.tell("pull_request", "edited", changes=changes)
            else:
                await t.tell("pull_request", "synchronize")

        await move("c" * 40, diff(**OLD))
        again = await t.settle()
        assert f"has the same changes as before ({case.reason})" in again.failure
        assert len(t.provider.requests) == count  # no model was called
        await move("e" * 40, diff(**NEW))
        third = await t.settle()
        _only_what_is_new(third, case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.moved)
async def test_on_gitlab(tmp_path: Path, case: Case) -> None:
    async with project(tmp_path, diffs=diffs(**OLD)) as t:
        await t.bind()
        await t.label("debate")
        await t.settle()
        new = diffs(**NEW)
        t.gitlab.push("e" * 40, new, rewritten=case.how == "diverged", base=case.base)
        if case.parents > 1:
            t.gitlab.merges.add("e" * 40)
        t.gitlab.target = case.branch or t.gitlab.target
        changes = {"target_branch": {"previous": "main", "current": case.branch}}
        more: dict[str, Any] = {"changes": changes} if case.branch else {"oldrev": "2" * 40}
        await t.tell("merge_request", "update", **more)
        _only_what_is_new(await t.settle(), case)


def _only_what_is_new(debate: Any, case: Case) -> None:
    assert not debate.failure
    facts = debate.open.material.facts
    assert (facts["moved"], facts["run"]) == (case.moved, "2")
    assert [one.path for one in debate.open.material.coverage] == ["src/b.py"]
    assert f"({case.root})" in run_line(debate.open.material)
    titles = {m.wording.title for m in merge_findings(debate)}
    assert titles == {"Defect one", "Defect two"}  # what was found before still stands
