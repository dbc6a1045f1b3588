"""The ways in which a branch came from one head to the next are told apart, through the webhook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from core.debate.verdict.findings import merge_findings
from core.words.views.documents.forge import run_line
from tests.bot.forges.gitlab_town import diffs, project
from tests.bot.forges.town import diff, town

OLD = {"a": ["x = 1 # BUG one"]}
BASE, NEWER = "d" * 40, "9" * 40


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
    Case("rebase", "it was rebased", "rebased", how="diverged", base=NEWER),
    Case("force_push", "its history was rewritten", "history was rewritten", how="diverged"),
    Case("base_change", ELSEWHERE, ELSEWHERE, branch="next"),
)


FILES = "bcdef"
"""The file that is new in each case."""


async def test_on_github(tmp_path: Path) -> None:
    files = dict(OLD)
    async with town(tmp_path, diff=diff(**files)) as t:
        await t.review()

        async def move(case: Case, head: str) -> None:
            parents = case.parents
            t.pull.push(head, diff(**files), base=case.base, how=case.how, parents=parents)
            t.pull.base_branch = case.branch or t.pull.base_branch
            if case.branch:
                changes = {"base": {"ref": {"from": "main"}}}
                await t.tell("pull_request", "edited", changes=changes)
            else:
                await t.tell("pull_request", "synchronize")

        for number, (case, file) in enumerate(zip(CASES, FILES, strict=True)):
            count = len(t.provider.requests)
            await move(case, f"{number}" * 40)
            again = await t.settle()
            assert f"has the same changes as before ({case.reason})" in again.failure
            assert len(t.provider.requests) == count  # no model was called
            files |= {file: [f"{file} = 2 # BUG {file}"]}
            await move(case, file * 40)
            _only_what_is_new(await t.settle(), case, files)


async def test_on_gitlab(tmp_path: Path) -> None:
    files = dict(OLD)
    async with project(tmp_path, diffs=diffs(**files)) as t:
        await t.review()
        for case, file in zip(CASES[2::2], FILES, strict=False):
            before = t.gitlab.head
            files |= {file: [f"{file} = 2 # BUG {file}"]}
            rewritten = case.how == "diverged"
            t.gitlab.push(file * 40, diffs(**files), rewritten=rewritten, base=case.base)
            t.gitlab.target = case.branch or t.gitlab.target
            changes = {"target_branch": {"previous": "main", "current": case.branch}}
            more: dict[str, Any] = {"changes": changes} if case.branch else {"oldrev": before}
            await t.tell("merge_request", "update", **more)
            _only_what_is_new(await t.settle(), case, files)


def _only_what_is_new(debate: Any, case: Case, files: Mapping[str, list[str]]) -> None:
    assert not debate.failure
    facts = debate.open.material.facts
    assert (facts["moved"], facts["run"]) == (case.moved, str(len(files)))
    assert [one.path for one in debate.open.material.coverage] == [f"src/{[*files][-1]}.py"]
    assert f"({case.root})" in run_line(debate.open.material)
    titles = {m.wording.title for m in merge_findings(debate)}
    assert titles == {f"Defect {lines[0].partition('BUG ')[2]}" for lines in files.values()}
