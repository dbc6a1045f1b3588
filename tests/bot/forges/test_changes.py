"""What forges do with pull requests next to pushes: queues, drafts, bots, many pushes, words of
maintainers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.ledger import DemandState, SettledBy
from core.verdict import blocks, verdict
from core.verdict.findings.demands import demands_after
from tests.bot.forges.test_ledger import defect, reply_of
from tests.bot.forges.town import NUMBER, REPO, Town, diff, town

AT = (REPO, NUMBER)
QUEUED = "9" * 40


async def queue(t: Town) -> list[str]:
    """A merge queue tests the pull request; returns the states of the check on its commit."""
    ref = f"refs/heads/gh-readonly-queue/main/pr-{NUMBER}-{'d' * 40}"
    group = {"head_sha": QUEUED, "head_ref": ref, "base_sha": f"{t.number}"}
    t.number += 1
    assert await t.tell("merge_group", "checks_requested", merge_group=group) == 202
    return [one["state"] for one in t.github.written.statuses[REPO, QUEUED]]


async def test_a_merge_queue_gets_the_verdict_or_a_check_that_lets_it_go_on(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        assert await queue(t) == ["success"]  # neutral: nobody has reviewed it
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        assert (await queue(t))[-1] == "success"  # neutral: it is going on
        await t.settle()
        assert (await queue(t))[-1] == "failure"
        t.pull.push("c" * 40, diff(a=["x = 1"]))
        assert (await queue(t))[-1] == "success"  # neutral: not of this commit
        described = t.github.written.statuses[REPO, QUEUED][-1]["description"]
        assert described == "Neutral: the change has no verdict for its last commit"


@pytest.mark.parametrize("author", ["dependabot[bot]", "renovate[bot]", "Renovate-Bot"])
async def test_dependency_bots_are_skipped_unless_somebody_asks(
    tmp_path: Path, author: str
) -> None:
    async with town(tmp_path, author=author) as t:
        await t.bind(opened=True)
        await t.tell("pull_request", "opened")
        await t.tell("pull_request", "labeled", label={"name": "debate"}, sender=author)
        assert await t.debates() == []
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        assert len(await t.debates()) == 1


async def test_pushes_to_a_draft_wait_until_it_is_ready(tmp_path: Path) -> None:
    async with town(tmp_path, draft=True) as t:
        await t.bind(opened=True)
        await t.tell("pull_request", "opened")
        assert await t.debates() == []
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        first = await t.settle()
        t.pull.push("c" * 40, diff(a=["x = 2 # BUG two"]))
        await t.tell("pull_request", "synchronize")
        assert await t.debates() == [first.id]
        t.pull.draft = False
        await t.tell("pull_request", "ready_for_review")
        assert len(await t.debates()) == 2


async def test_a_change_is_reviewed_only_so_often_in_a_day(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_LIMITS": "change-reviews=2"}) as t:
        await t.bind()
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        await t.settle()
        for push in (2, 3, 4):
            t.pull.push(f"{push}" * 40, diff(a=[f"x = {push} # BUG {push}"]))
            await t.tell("pull_request", "synchronize")
            await t.settle()
        assert len(await t.debates()) == 2
        assert (await t.noted()).count("limit") == 1
        t.clock.go(days=1)
        await t.work()
        last = await t.settle()
        assert len(await t.debates()) == 3
        assert last.open.material.facts["head"] == "4" * 40


async def test_a_finding_that_a_maintainer_rejects_blocks_no_more(tmp_path: Path) -> None:
    findings: list[dict[str, Any]] = [defect("The log shows the user", "src/a.py", 11, "log(user)")]
    async with town(tmp_path, diff=diff(a=["log(user)", "x = 1"])) as t:
        t.provider.reply = reply_of(findings)
        await t.bind()
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        debate = await t.settle()
        await t.approve()
        (comment,) = t.github.written.comments[AT]
        t.github.written.permissions[REPO, "olga"] = "write"
        for number, person in enumerate(("eve", t.pull.author, "olga"), 9001):
            reply = {"id": number, "in_reply_to_id": comment.id, "body": "That is by design."}
            sent = {"comment": reply, "sender": person}
            assert await t.tell("pull_request_review_comment", "created", **sent) == 202
            await t.play()
        assert (await t.noted()).count("rejected") == 1
        (demand,) = demands_after(await t.latest())
        assert (demand.state, demand.settled_by) == (
            DemandState.REJECTED,
            SettledBy.MAINTAINER,
        )
        findings[0] = defect("A user name is printed", "src/a.py", 11, "log(user)")
        t.pull.push("c" * 40, diff(a=["log(user)", "x = 2"]))
        await t.tell("pull_request", "synchronize")
        again = await t.settle()
        assert again.request.after == debate.id
        assert not blocks(again, verdict(again).decision)
