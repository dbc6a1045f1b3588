"""A contested finding is proven: a test is written, run in the sandbox, and read; in the shell
before the verdict, in Slack after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.models.scripted import Scripted
from core.debate.ports import CallOptions, Message, Model
from core.words.views.proofs import ADD
from tests.adapters.proofs.test_local import OLD, RIGHT, TEST, WRONG
from tests.adapters.proofs.test_sandbox import sandbox_or_skip
from tests.core.argued import UNREAL, judging, opens
from tests.end_to_end.played import LINK, Played, Watched, typed
from tests.end_to_end.slack_office import office
from tests.project import DOCS
from tests.standins.github import BASE, HEAD, MERGE_BASE, GitHubStandIn, Pull
from tests.standins.project import commit, git, make_environment
from tests.standins.slack import render

ANSWERS: dict[str, Any] = {
    "close": {"text": "", "sections": {}, "actions": []},
    "prove": {
        "text": "It drops the last item.",
        "test": {"path": "tests/test_proof.py", "name": "test_the_last_item_counts", "text": TEST},
    },
    "audit": {
        "text": "",
        "answers": [{"to": "prove1", "position": "agree"}],
    },
}
PAGE = (DOCS / "proof.md").read_text("utf-8")
FOUND = {
    "category": "correctness", "severity": "high", "confidence": 0.9, "must_fix": True,
    "title": "The last item is not counted", "path": "shop.py", "line": 2,
    "quote": "return sum(items[:-1])", "trigger": "total([1, 2])", "fix": "sum them all",
}  # fmt: skip


def answer(messages: Sequence[Message], asking: CallOptions) -> str:
    about = "\n".join(m.text for m in messages)
    ids = list(dict.fromkeys(re.findall(r"^\| (\S+) shop\.py:\d+ ", about, re.MULTILINE)))
    mine = asking.role == "correctness_critic"
    match asking.task:
        case "open" if mine:
            reply = opens("request_changes", FOUND)
        case "open":
            reply = opens("approve")
        case "weigh" | "reply" | "decide":
            held = judging("must_fix" if mine else "not_real")(asking.role, ids)
            quote = {"path": "shop.py", "line": 2, "quote": "return sum(items[:-1])"}
            reply = held | {"answers": [a | quote for a in held["answers"]]}
        case "vouch":
            reply = UNREAL(asking.role, ids)
        case "chair" | "judge":
            reply = {
                "sections": {"consensus_notes": "done"},
                "scores": {"consensus": 0.5},
                "ruling": "request_changes",
                "actions": [],
            }
        case task:
            reply = ANSWERS[task]
    return json.dumps(reply)


class Arguing(Watched):
    def _make_scripted(self, name: str) -> Model:
        model = super()._make_scripted(name)
        assert isinstance(model, Scripted)
        model.replies = [answer] * 60
        model.demo = False  # its seats are asked for a test
        return model


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git(folder, "init", "-q", "-b", "main")
    venv = tmp_path / "venv"
    venv.mkdir()
    (folder / ".venv").symlink_to(make_environment(venv))
    commit(folder, {**OLD, ".gitignore": "/.venv\n"})
    git(folder, "checkout", "-qb", "feature")
    return folder


async def played(tmp_path: Path, *more: str, prove: str = "sandbox") -> Played:
    (line,) = re.findall(r"^DEBATE_PROVE=sandbox debate (.*)$", PAGE, re.MULTILINE)
    words = (*line.split(), "--format", "contested", *more)
    env = {"DEBATE_PROVE": prove}
    return await typed(tmp_path, None, *words, env=env, make_models=Arguing)


async def test_a_finding_is_proven_in_the_shell(project: Path, tmp_path: Path) -> None:
    sandbox_or_skip()
    commit(project, {"shop.py": WRONG})
    run = await played(tmp_path)
    assert run.code == 0, run.refusal
    assert (
        "proven: `tests/test_proof.py::test_the_last_item_counts` fails on this change" in run.out
    )
    price = "proven by a test, each for at most $0.50 and in 5 minutes"
    assert run.out.index(price) < run.out.index("proven: "), "told before"
    (finding,) = run.outcome["findings"]
    assert finding["proof"]["standing"] == "proven"


async def test_without_the_operators_word_it_is_refused_before_anything_is_spent(
    project: Path, tmp_path: Path
) -> None:
    commit(project, {"shop.py": WRONG})
    run = await played(tmp_path, prove="")
    assert run.code == 2
    assert "DEBATE_PROVE=sandbox" in run.refusal
    assert not run.prompts


UNIT = (
    "import unittest\n\nfrom shop import total\n\n\nclass TestTotal(unittest.TestCase):\n"
    "    def test_last(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)
BEFORE = {
    "shop.py": RIGHT,
    "tests/test_shop.py": "import unittest\n\n\nclass TestFirst(unittest.TestCase):\n    pass\n",
}
CHANGE = (
    b"diff --git a/shop.py b/shop.py\n--- a/shop.py\n+++ b/shop.py\n@@ -1,2 +1,2 @@\n"
    b" def total(items):\n-    return sum(items)\n+    return sum(items[:-1])\n"
)


async def test_in_slack_a_finding_is_proven_after_the_verdict_and_its_test_is_kept(
    tmp_path: Path, github: GitHubStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox_or_skip()
    test = {"path": "tests/test_proof.py", "name": "TestTotal.test_last", "text": UNIT}
    monkeypatch.setitem(ANSWERS, "prove", {"text": "It drops the last item.", "test": test})
    github.pulls["o/r", 412] = Pull(diff=CHANGE)
    github.trees = {MERGE_BASE: BEFORE, HEAD: {**BEFORE, "shop.py": WRONG}}
    github.trees[BASE] = {**BEFORE, "shop.py": "raise SystemExit  # the base branch went on\n"}
    env = {"DEBATE_PROVE": "sandbox", "GITHUB_TOKEN": "personal"}
    async with office(tmp_path, github, env=env, models=Arguing) as place:
        await place.parts.stores.places.bind("slack:T1/C1", "o/r", "slack:T1/U1")
        debate = await place.finished(f"code_review {LINK} --format contested")
        verdict = place.message(":verdict")
        assert "Changes requested" not in render(verdict)
        assert "at most $0.50 and 5 minutes" in await place.typed(f"prove {debate}")
        proof = await place.posted(":proof")
        await place.wait_for_posts(debate)
        whole = "proven: `tests/test_proof.py::TestTotal.test_last` fails on this change"
        assert f"{whole} (AssertionError: 1 != 3), passes on main" in render(proof)
        assert "Changes requested" in render(verdict), "the verdict was edited in place"
        await place.saying("Changed by a proof: was ")
        texts = [file["content"].decode() for file in place.slack.world.files.values()]
        assert f"{UNIT}" in texts, "the whole test is a file, which Slack folds"
        assert UNIT.split("\n")[-2] not in render(proof)
        assert github.committed == []
        assert "The thread says when" in await place.pressed(proof["ts"], ADD)
        await place.saying("The test was added to the branch")
        assert github.contents["o/r", "topic", test["path"]].decode() == UNIT
        assert "added already" in await place.pressed(proof["ts"], ADD)
        assert len(github.committed) == 1
        await place.reaches(debate, lambda now: now.over)  # the outcome is stored
        assert "The same: " in await place.typed(f"replay {debate}")
