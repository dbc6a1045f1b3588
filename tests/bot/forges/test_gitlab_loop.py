"""The loop of a merge request, whole: label, debate, review, reply, push, merge, revert."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.forges.refusals import RIGHTS
from core.application.desk import Button
from core.debate.events import ForgeNoted
from core.debate.verdict.learned.judged import outcomes_of
from tests.bot.forges.gitlab_town import diffs, project
from tests.bot.forges.past import reviewed_on_gitlab
from tests.bot.forges.town import MAINTAINER, MERGE_COMMIT


async def test_from_the_label_to_the_revert_of_the_merge(tmp_path: Path) -> None:
    first = diffs(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"], c=["z = 3"])
    async with project(tmp_path, diffs=first) as t:
        await t.bind()
        assert await t.deliver(*t.delivery("merge_request", "open"), secret="wrong") == 401
        t.gitlab.labels.append("debate")
        labels = {"previous": [], "current": [{"title": "debate"}]}
        delivery = t.delivery("merge_request", "update", changes={"labels": labels})
        assert [await t.deliver(*delivery) for _ in range(3)] == [202, 200, 200]
        await t.handle()
        assert len(await t.debates()) == 1
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
        assert await t.reply("It is never called.") == 202
        reopened = await t.settle()
        assert [e.by for e in reopened.endings] == ["gitlab:gitlab.com/mallory"]
        assert reopened.final
        assert sum("mallory's objection" in n["body"] for n in discussion.notes) == 1

        second = diffs(a=["x = 1 # fine now"], b=["y = 2 # BUG two"], c=["z = 3", "# BUG three"])
        rerun = await t.push("c", second)
        assert (rerun.request.after, rerun.request.story) == (debate.id, debate.id)
        await t.approve()
        assert len(t.gitlab.notes) == 2
        assert t.threads() == [
            ("src/a.py", 11, False),  # mallory wrote in it
            ("src/b.py", 11, False),
            ("src/c.py", 12, False),
        ]
        bodies = [note["body"] for note in discussion.notes]
        answers = [body.split("\n")[0] for body in bodies if "Resolved" in body]
        assert answers == ["Resolved as of `ccccccc`. I looked"]

        await t.merge()
        assert "merged" in await t.noted()
        t.gitlab.commits.append(
            {"sha": "f" * 40, "message": f"Revert it\n\nThis reverts commit {MERGE_COMMIT}.",
             "paths": {"src/b.py": "@@ -11,1 +11,1 @@\n-y = 2 # BUG two\n+y = 3"}}
        )  # fmt: skip
        t.clock.go(days=2, hours=2)
        await t.work()
        became = {one.mark: one.became for one in outcomes_of(await t.latest())}
        assert sorted(became.values()) == ["fixed", "reverted", "reverted"]
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
    async with reviewed_on_gitlab(tmp_path, diffs=two) as t:
        debate = await t.latest()
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
