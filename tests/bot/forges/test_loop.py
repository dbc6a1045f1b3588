"""The loop that a team lives in, whole: label, debate, review, reply, push, merge, question."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.events import ChallengeRaised, FollowUpDue
from core.verdict.findings import State, merge_findings
from tests.bot.forges.town import NUMBER, REPO, diff, town

AT = (REPO, NUMBER)
pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")


async def test_from_the_label_to_the_question_whether_it_held(tmp_path: Path) -> None:
    first = diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"], c=["z = 3"])
    async with town(tmp_path, diff=first, labels=("debate",)) as t:
        await t.bind()
        assert await t.tell("pull_request", "labeled", label={"name": "debate"}) == 202
        debate = await t.settle()
        assert {m.shown.title for m in merge_findings(debate)} == {"Defect one", "Defect two"}
        assert [s["state"] for s in t.github.written.statuses[REPO, t.pull.head]] == [
            "pending",
            "failure",
        ]
        await t.approve()
        (review,) = t.github.written.reviews[AT]
        lines = [(c.path, c.line) for c in t.github.written.comments[AT]]
        assert lines == [("src/a.py", 11), ("src/b.py", 11)]
        assert (review.event, review.commit_id) == ("COMMENT", t.pull.head)
        assert "posted" in await t.noted()

        comment = t.github.written.comments[AT][0]
        t.github.written.answer_in_thread(AT, comment.id, "mallory", "It is never called.")
        reply = {"id": 9001, "in_reply_to_id": comment.id, "body": "It is never called."}
        await t.tell("pull_request_review_comment", "created", comment=reply, sender="mallory")
        await t.play()
        assert "objection" in await t.noted()

        second = diff(a=["x = 1 # fine now"], b=["y = 2 # BUG two"], c=["z = 3", "# BUG three"])
        t.pull.push("c" * 40, second)
        await t.tell("pull_request", "synchronize")
        rerun = await t.settle()
        assert rerun.request.after == debate.id
        assert rerun.request.story == debate.id
        raised = [e for e in await t.events(rerun.id) if isinstance(e, ChallengeRaised)]
        assert [(e.author, "never called" in e.text) for e in raised] == [
            ("github:github.com/mallory", True)
        ]
        states = {m.shown.title: m.state for m in merge_findings(rerun)}
        assert states == {
            "Defect one": State.RESOLVED,
            "Defect two": State.OPEN,
            "Defect three": State.OPEN,
        }
        await t.approve()
        reviews = t.github.written.reviews[AT]
        assert len(reviews) == 2
        comments = t.github.written.comments[AT]
        new = [c for c in comments if c.review == reviews[1].id]
        assert [(c.path, c.line) for c in new] == [("src/c.py", 12)]
        answers = [c.body.split("\n")[0] for c in comments if c.in_reply_to and c.user != "mallory"]
        assert answers == ["Resolved as of `ccccccc`. I looked"]

        t.pull.state, t.pull.merged_at = "closed", "2026-05-03T12:00:00Z"
        t.pull.merge_commit = "e" * 40
        await t.tell("pull_request", "closed")
        await t.play()
        assert "merged" in await t.noted()
        t.github.written.commits[REPO].append(
            {"sha": "f" * 40, "message": f"Revert it\n\nThis reverts commit {'e' * 40}.",
             "paths": {"src/b.py": "@@ -11,1 +11,1 @@\n-y = 2 # BUG two\n+y = 3"}}
        )  # fmt: skip
        t.clock.go(days=2, hours=2)
        await t.work()
        asked = [e for e in await t.events(rerun.id) if isinstance(e, FollowUpDue)]
        assert len(asked) == 1
        assert "2 days ago. fffffff reverts it. fffffff changed src/b.py" in asked[0].because
        t.clock.go(days=12)
        await t.work()
        asked = [e for e in await t.events(rerun.id) if isinstance(e, FollowUpDue)]
        assert len(asked) == 2
        t.clock.go(days=30)
        await t.work()
        assert len(await t.debates()) == 2
