"""After a merge the bot looks for what takes it back, in the words of git and of the forges, on the
branch into which it went.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.debate.events import FollowUpDue
from tests.bot.forges.gitlab_town import project
from tests.bot.forges.past import reviewed
from tests.bot.forges.town import MERGE_COMMIT, REPO, Town

BUTTON = 'Revert "A change" (#500)\n\nReverts o/r#412'
GIT = f"Revert it\n\nThis reverts commit {MERGE_COMMIT}."


def commit(number: int, message: str, **more: Any) -> dict[str, Any]:
    return {"sha": f"{number:040x}", "message": message, "paths": {"README.md": ""}} | more


@pytest.mark.parametrize(
    ("messages", "reverted"),
    [
        ([GIT], True),
        ([BUTTON], True),
        (["Reverts #412, which broke the build"], True),
        (["Reverts x/y#412", "Reverts o/r#41", 'Revert "Tell of #412"'], False),
    ],
)
async def test_a_revert_is_known_by_the_commit_or_by_the_number(
    tmp_path: Path, messages: list[str], reverted: bool
) -> None:
    async with reviewed(tmp_path, merged=True) as t:
        t.github.written.commits[REPO] += [commit(n, text) for n, text in enumerate(messages)]
        t.clock.go(days=2, hours=2)
        await t.work()
        assert ("reverted" in await t.noted()) == reverted


async def test_gitlabs_own_revert_is_known(tmp_path: Path) -> None:
    async with project(tmp_path) as t:
        await t.review()
        t.gitlab.state, t.gitlab.merged_at = "merged", "2026-05-03T12:00:00Z"
        await t.tell("merge_request", "merge")  # fast forward: there is no merge commit
        await t.play()
        message = 'Revert "A change"\n\nThis reverts merge request !7'
        t.gitlab.commits += [commit(n, "Tidy") for n in range(120)] + [commit(200, message)]
        t.clock.go(days=2, hours=2)
        await t.work()
        assert "reverted" in await t.noted()


async def count_requests(t: Town, hours: int) -> int:
    """Looks every quarter of an hour and returns the number of times that the forge was asked."""
    count = len(t.github.seen)
    for _ in range(hours * 4):
        t.clock.go(minutes=15)
        await t.parts.inbox.do_due()
    return sum(bool(re.search(r"/pulls/\d+$", path)) for path in t.github.paths[count:])


async def test_a_repository_that_is_gone_is_asked_once_and_the_log_says_it_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with reviewed(tmp_path, merged=True) as t:
        t.clock.go(days=2, hours=2)
        t.github.refuse(f"^/repos/{REPO}", 404, "Not Found")
        assert await count_requests(t, 6) == 1
        messages = [r for r in caplog.records if "nobody is asked what became" in r.getMessage()]
        assert len(messages) == 1
        assert "I can't see" in vars(messages[0])["reason"]


async def test_a_forge_that_does_not_answer_is_asked_ever_more_seldom(tmp_path: Path) -> None:
    async with reviewed(tmp_path, merged=True) as t:
        t.clock.go(days=2)
        t.github.refuse(f"^/repos/{REPO}", 403, "Not for you")
        assert await count_requests(t, 18) <= 7


@pytest.mark.parametrize("gone", [False, True])
async def test_it_is_looked_for_on_the_branch_into_which_the_change_went(
    tmp_path: Path, gone: bool
) -> None:
    """A branch that was deleted went into the repository's own."""
    async with reviewed(tmp_path, merged=True, base_branch="release") as t:
        here, there = ("main", "release") if gone else ("release", "main")
        t.github.written.gone = {there} if gone else set()
        commits = [commit(n, "Tidy", branch=here) for n in range(120)]
        t.github.written.commits[REPO] += [*commits, commit(200, GIT, branch=here)]
        t.clock.go(days=2, hours=2)
        await t.work()
        assert "reverted" in await t.noted()


async def test_a_commit_of_another_branch_changes_no_line_of_a_finding(tmp_path: Path) -> None:
    async with reviewed(tmp_path, merged=True, base_branch="release") as t:
        changed = {"src/a.py": "@@ -11,1 +11,1 @@\n-x = 1 # BUG one\n+x = 2"}
        t.github.written.commits[REPO].append(commit(1, "Mend it", paths=changed))
        t.clock.go(days=2, hours=2)
        await t.work()
        debate = await t.latest()
        questions = [e for e in await t.events(debate.id) if isinstance(e, FollowUpDue)]
        assert questions == []  # all is settled, and nothing touched it
