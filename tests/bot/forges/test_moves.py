"""The ways in which a branch came from one head to the next are told apart, through the webhook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.words.views.documents.forge import run_line
from tests.bot.forges.gitlab_town import diffs
from tests.bot.forges.past import reviewed, reviewed_on_gitlab
from tests.bot.forges.town import REPO, diff

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
)
RETARGETED = Case("base_change", ELSEWHERE, ELSEWHERE, branch="next")


FILES = "bcde"
"""The file that is new in each case."""


async def test_on_github(tmp_path: Path) -> None:
    """A run that has nothing new to read starts once; its check says what still holds."""
    files = dict(OLD)
    async with reviewed(tmp_path, env={"DEBATE_GATE": "always"}) as t:

        async def move(case: Case, head: str) -> Debate:
            parents = case.parents
            t.pull.push(head, diff(**files), base=case.base, how=case.how, parents=parents)
            await t.tell("pull_request", "synchronize")
            return await t.settle()

        for number, (case, file) in enumerate(zip(CASES, FILES, strict=True)):
            calls = len(t.provider.requests)
            again = await move(case, f"{number}" * 40)
            assert f"has the same changes as before ({case.reason})" in again.failure
            assert len(t.provider.requests) == calls  # no model was called
            check = t.github.written.statuses[REPO, t.pull.head][-1]
            assert check["state"] == "failure"
            assert check["description"].startswith(f"Changes requested: {len(files)} finding")
            debates = await t.debates()
            await t.label()
            assert await t.debates() == debates
            files |= {file: [f"{file} = 2 # BUG {file}"]}
            _only_what_is_new(await move(case, file * 40), case, files)


async def test_on_gitlab(tmp_path: Path) -> None:
    files = dict(OLD)
    async with reviewed_on_gitlab(tmp_path) as t:
        for case, file in ((CASES[2], "b"), (RETARGETED, "c")):
            before = t.gitlab.head
            files |= {file: [f"{file} = 2 # BUG {file}"]}
            rewritten = case.how == "diverged"
            t.gitlab.push(file * 40, diffs(**files), rewritten=rewritten, base=case.base)
            t.gitlab.target = case.branch or t.gitlab.target
            changes = {"target_branch": {"previous": "main", "current": case.branch}}
            more: dict[str, Any] = {"changes": changes} if case.branch else {"oldrev": before}
            await t.tell("merge_request", "update", **more)
            _only_what_is_new(await t.settle(), case, files)


def _only_what_is_new(debate: Debate, case: Case, files: Mapping[str, list[str]]) -> None:
    assert not debate.failure
    facts = debate.open.material.facts
    assert (facts["moved"], facts["run"]) == (case.moved, str(len(files)))
    assert [one.path for one in debate.open.material.coverage] == [f"src/{[*files][-1]}.py"]
    assert f"({case.root})" in run_line(debate.open.material)
    titles = {m.wording.title for m in merge_findings(debate)}
    assert titles == {f"Defect {lines[0].partition('BUG ')[2]}" for lines in files.values()}
