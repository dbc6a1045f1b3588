"""The loop of a merge request, whole: label, debate, review, reply, push, merge, question."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.forges.refusals import RIGHTS
from core.application.desk import Button
from core.debate.events import ChallengeRaised, FollowUpDue, ForgeNoted
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.learned.judged import outcomes_of
from tests.bot.forges.gitlab_town import diffs, project
from tests.bot.forges.town import MAINTAINER


async def test_from_the_label_to_the_question_whether_it_held(tmp_path: Path) -> None:
    first = diffs(
        a=["x = 1 # BUG one"], b=["y = 2 # BUG two"], c=["z = 3"], d=["pass # BUG imagined"]
    )
    async with project(tmp_path, diffs=first) as t:
        await t.bind()
        assert await t.deliver(*t.delivery("merge_request", "open"), secret="wrong") == 401
        t.gitlab.labels.append("debate")
        labels = {"previous": [], "current": [{"title": "debate"}]}
        delivery = t.delivery("merge_request", "update", changes={"labels": labels})
        assert [await t.deliver(*delivery) for _ in range(3)] == [202, 200, 200]
        await t.handle()
        assert len(await t.debates()) == 1
        debate = await t.play()
        imagined = next(m for m in merge_findings(debate) if "imagined" in m.wording.title)
        for person in ("slack:T1/U2", "slack:T1/U3"):
            vote = Button("vote", "Not real", f"{debate.id}:{imagined.id}:not_real")
            assert (await t.press(vote, person)).ok
        debate = await t.settle()
        states = [status["state"] for status in t.gitlab.statuses[t.gitlab.head]]
        assert states == ["running", "success"]  # what must be fixed is advice until it has earned
        post = Button("post", "Post the review", debate.id)
        (exactly,) = (await t.press(post)).buttons
        refused = await t.press(exactly, "slack:T1/U4", name=t.gitlab.author)
        assert (refused.ok, "You wrote this change" in refused.text) == (False, True)
        assert t.gitlab.notes == []
        assert (await t.press(exactly, MAINTAINER)).ok
        await t.work()
        (note,) = t.gitlab.notes
        assert note.startswith("**Debatebot** ")
        assert "Left out, because people called it not real: 1." in note
        lines = [
            (d.position["new_path"], d.position["new_line"], d.position["head_sha"])
            for d in t.gitlab.discussions
            if d.position
        ]
        assert lines == [("src/a.py", 11, t.gitlab.head), ("src/b.py", 11, t.gitlab.head)]
        assert "posted" in await t.noted()

        discussion = next(d for d in t.gitlab.discussions if d.position)
        own = discussion.notes[0]
        echo = {"id": own["id"], "note": own["body"], "discussion_id": discussion.id}
        assert await t.tell("note", type="DiffNote", sender="debatebot", **echo) == 200
        comment = t.gitlab.reply(discussion.id, "It is never called.", "mallory")
        reply = {"id": comment["id"], "note": comment["body"], "discussion_id": discussion.id}
        assert await t.tell("note", type="DiffNote", sender="mallory", **reply) == 202
        reopened = await t.settle()
        assert [e.by for e in reopened.endings] == ["gitlab:gitlab.com/mallory"]
        assert reopened.final
        assert sum("mallory's objection" in n["body"] for n in discussion.notes) == 1

        second = diffs(a=["x = 1 # fine now"], b=["y = 2 # BUG two"], c=["z = 3", "# BUG three"])
        t.gitlab.push("c" * 40, second)
        await t.tell("merge_request", "update", oldrev="2" * 40)
        rerun = await t.settle()
        assert (rerun.request.after, rerun.request.story) == (debate.id, debate.id)
        raised = [e for e in await t.events(rerun.id) if isinstance(e, ChallengeRaised)]
        assert raised == [], "the seats have answered it"
        states_now = {m.wording.title: m.state for m in merge_findings(rerun)}
        assert states_now == {
            "Defect one": FindingState.RESOLVED,
            "Defect two": FindingState.OPEN,
            "Defect three": FindingState.OPEN,
            "Defect imagined": FindingState.DISPUTED,
        }
        await t.approve()
        assert len(t.gitlab.notes) == 2
        threads = [d for d in t.gitlab.discussions if d.position]
        assert [(d.position["new_path"], d.resolved) for d in threads if d.position] == [
            ("src/a.py", False),  # mallory wrote in it
            ("src/b.py", False),
            ("src/c.py", False),
        ]
        answers = [n["body"].split("\n")[0] for n in threads[0].notes if "Resolved" in n["body"]]
        assert answers == ["Resolved as of `ccccccc`. I looked"]

        t.gitlab.state, t.gitlab.merged_at = "merged", "2026-05-03T12:00:00Z"
        t.gitlab.merge_commit = "e" * 40
        await t.tell("merge_request", "merge")
        await t.play()
        assert "merged" in await t.noted()
        t.gitlab.commits.append(
            {"sha": "f" * 40, "message": f"Revert it\n\nThis reverts commit {'e' * 40}.",
             "paths": {"src/b.py": "@@ -11,1 +11,1 @@\n-y = 2 # BUG two\n+y = 3"}}
        )  # fmt: skip
        t.clock.go(days=2, hours=2)
        await t.work()
        t.clock.go(days=12)
        await t.work()
        assert [e for e in await t.events(rerun.id) if isinstance(e, FollowUpDue)] == []
        became = {one.mark: one.became for one in outcomes_of(await t.latest())}
        assert sorted(became.values()) == ["fixed", "not_real", "reverted", "reverted"]
        assert len(await t.debates()) == 2


TWO = "The review has 2 comments on lines; the rest is posted when it is approved again."


@pytest.mark.parametrize(
    ("path", "status", "times", "reason"),
    [
        ("/discussions$", 400, 1, ""),  # its lines are told in the note
        ("/notes$", 403, 2, f"GitLab refused: 403 refused. {TWO} {RIGHTS}"),
        ("/notes$", 503, 1, ""),
    ],
)
async def test_what_gitlab_refuses_is_told_and_the_rest_is_posted_when_somebody_asks_again(
    tmp_path: Path, path: str, status: int, times: int, reason: str
) -> None:
    two = diffs(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"])
    async with project(tmp_path, diffs=two) as t:
        debate = await t.review()
        t.gitlab.refuse("POST", path, status, times)
        await t.approve()
        events = [e for e in await t.events(debate.id) if isinstance(e, ForgeNoted)]
        assert [(e.what, e.text) for e in events] == [
            ("not_posted", reason) if reason else ("posted", "")
        ]
        if reason:
            await t.approve()
        assert (await t.noted())[-1] == "posted"
        assert len(t.gitlab.notes) == 1  # and no comment stands there twice
        assert len(t.gitlab.discussions) == (2 if status == 400 else 3)
