"""What GitLab does with merge requests next to pushes, as ``test_changes`` has it for GitHub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.debate.events import ChallengeRaised
from core.debate.verdict.findings import merge_findings
from core.words.views.verdict.decision import decision
from tests.bot.debates.provider import prompt_of
from tests.bot.forges.gitlab_town import ProjectTown, diffs, project
from tests.bot.forges.past import reviewed_on_gitlab
from tests.bot.forges.test_changes import judged

QUEUED = "9" * 40
LINK = "https://gitlab.com/group/sub/project/-/merge_requests/7"


async def train(t: ProjectTown, status: str = "pending") -> list[str]:
    """A merge train tests the merge request; returns the states of the status on its commit."""
    ref = "refs/merge-requests/7/train"
    assert await t.tell("pipeline", ref=ref, sha=QUEUED, status=status, id=t.number) < 300
    return [one["state"] for one in t.gitlab.statuses.get(QUEUED, [])]


async def test_a_merge_train_gets_the_verdict_or_a_status_that_lets_it_go_on(
    tmp_path: Path,
) -> None:
    async with project(tmp_path, diffs=diffs(a=["x = 1 # BUG one"]), gate="always") as t:
        await t.bind()
        assert await train(t, "running") == []  # a status of ours makes it run, too
        assert await train(t) == ["success"]  # neutral: nobody has reviewed it
        await t.label()
        assert (await train(t))[-1] == "success"  # neutral: it is going on
        await t.settle()
        assert (await train(t))[-1] == "failed"
        count = len(t.gitlab.sent)
        assert (await train(t))[-1] == "failed"
        assert sum(path.endswith(QUEUED) for _, path, _ in t.gitlab.sent[count:]) == 1


async def test_a_merge_request_that_is_opened_with_the_label_is_debated(tmp_path: Path) -> None:
    async with project(tmp_path, labels=["debate"]) as t:
        await t.bind()
        kind, body = t.delivery("merge_request", "open")
        opened = json.loads(body) | {"labels": [{"title": "debate"}]}
        assert await t.deliver(kind, json.dumps(opened).encode()) == 202
        await t.handle()
        assert len(await t.debates()) == 1


async def test_a_command_starts_a_debate_in_a_thread_too(tmp_path: Path) -> None:
    async with reviewed_on_gitlab(tmp_path, posted=True) as t:
        t.gitlab.members["ann"] = 30
        debate = await t.latest()
        first: dict[str, Any] = {"type": "DiscussionNote", "discussion_id": "d1"}
        await t.tell("note", id=1, note="Shall we ask for a /debate?", **first)
        assert await t.debates() == [debate.id]
        await t.tell("note", id=2, note="/debate", **first)
        again = await t.settle()
        assert again.request.after == debate.id
        (thread,) = (d for d in t.gitlab.discussions if d.position)
        under: dict[str, Any] = {"type": "DiffNote", "discussion_id": thread.id}
        await t.tell("note", id=3, note="/debate of-another-name\nPlease.", **under)
        assert (await t.latest()).request.after == again.id
        assert not [e for e in await t.events(debate.id) if isinstance(e, ChallengeRaised)]


async def test_a_command_that_starts_nothing_is_answered_once(tmp_path: Path) -> None:
    async with project(tmp_path, members={"ann": 30, "bob": 10}) as t:
        await t.bind()
        for id, user in enumerate(("bob", "ann", "ann")):
            await t.tell("note", id=id, note="/debate code_review --rounds 2", sender=user)
            await t.write()
            assert len(t.gitlab.notes) == (user == "ann")
        assert t.gitlab.notes[0].startswith("Not taken: in a comment, `/debate` is alone on")
        assert await t.debates() == []


async def test_others_remarks_on_a_stacked_change_are_examined_and_answered_in_one_place(
    tmp_path: Path,
) -> None:
    lines = diffs(a=["a = 1", "b = 2"])
    async with project(tmp_path, diffs=lines, target="below", branches={3: "below"}) as t:
        for line, text in ((11, "**Holds:** the name says nothing"), (12, "The loop never ends")):
            position = {"new_path": "src/a.py", "old_path": "src/a.py", "new_line": line}
            t.gitlab.remark("GitLabDuo", text, position | {"head_sha": t.gitlab.head})
        t.provider.reply = judged
        assert (await t.ask(f"code_review {LINK} --with-remarks")).ok
        debate = await t.settle()
        assert "the name says nothing" in "\n".join(map(prompt_of, t.provider.requests))
        assert len(merge_findings(debate)) == 2
        assert "1 of 2 remarks of GitLabDuo holds." in decision(debate).summary
        note = "Stacked on group/sub/project!3: only what it adds to the branch below is read."
        assert note in debate.open.material.notes
