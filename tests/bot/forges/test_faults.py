"""A head is debated once and a review is posted once, whatever breaks."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.forges.wire import WireLimits
from bot.wire.parts import open_parts
from core.debate.events import FollowUpDue, ForgeNoted
from storage.work import LEASE, POSTS
from tests.bot.forges.gitlab_town import deliver_to_gitlab
from tests.bot.forges.past import reviewed
from tests.bot.forges.town import NUMBER, REPO, Town, diff, event_states, handle, town

AT = (REPO, NUMBER)


async def test_two_replicas_debate_once_and_post_once(postgres_url: str, tmp_path: Path) -> None:
    """Two bots on one database: each delivery comes to both, and both work at once."""
    async with town(tmp_path, url=postgres_url) as t, AsyncExitStack() as stack:
        settings = replace(t.bot.settings, folder=tmp_path)
        other = await stack.enter_async_context(open_parts(settings, shell=False, clock=t.clock))
        both = (t.bot, other)

        async def work() -> None:
            for _ in range(3):
                await asyncio.gather(
                    *(handle(bot.worker, bot.forges) for bot in both for _ in range(2))
                )
                await asyncio.gather(*(bot.worker.do_due(*POSTS) for bot in both))
                t.clock.go(seconds=3)

        await t.bind()
        labeled = t.delivery("pull_request", "labeled", label={"name": "debate"})
        await asyncio.gather(*(t.deliver(*labeled) for _ in range(4)))
        await work()
        assert len(await t.debates()) == 1
        await t.settle()
        for bot in both:
            await replace(t, bot=bot, parts=bot.forges).approve(work=False)
        await work()
        assert len(t.github.written.reviews[AT]) == 1
        states = [one["state"] for one in t.github.written.statuses[REPO, t.pull.head]]
        assert states == ["pending", "success"]
        assert len(await t.debates()) == 1


async def test_an_answer_that_got_lost_is_looked_up_and_nothing_is_sent_twice(
    tmp_path: Path,
) -> None:
    async with reviewed(tmp_path) as t:
        t.github.lose("/reviews")
        await t.approve()
        assert len(t.github.written.reviews[AT]) == 1
        assert (await t.noted()).count("posted") == 1


async def test_refused_lines_are_told_in_the_body_once(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        t.github.refuse("/reviews", 422, "Unprocessable Entity", times=1, method="POST")
        await t.approve()
        (review,) = t.github.written.reviews[AT]
        assert review.body.count("<!-- debatebot:finding:") == 1
        assert t.github.written.comments[AT] == []


async def test_a_branch_that_moved_is_not_posted_to(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        await t.approve(work=False)
        t.pull.push("c" * 40, diff(a=["x = 2"]))
        await t.work()
        assert t.github.written.reviews[AT] == []
        assert (await t.noted())[-1] == "moved"


APPROVED = datetime(2026, 5, 3, 10, 30, tzinfo=UTC)
USED_UP = "GitHub's limit is used up; free again at 11:15 UTC (in 45 minutes). Nothing was posted."
RESET = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777806900"}  # a quarter past eleven
STALE = (
    "GitHub no longer accepts the stored credential. In a shell set GITHUB_TOKEN (for a "
    "self-hosted forge, its variable) to a valid token; in a chat an admin must renew it. "
    "Nothing was posted."
)
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


@pytest.mark.parametrize(
    ("status", "headers", "message", "wait", "reason"),
    [
        (403, RESET, "API rate limit exceeded", 45 * 60, USED_UP),
        (503, {}, "oops", 2, "GitHub answered 503; it is looked up."),
    ],
)  # fmt: skip
async def test_what_github_can_not_do_now_is_posted_when_it_can(
    tmp_path: Path, status: int, headers: dict[str, str], message: str, wait: int, reason: str
) -> None:
    async with reviewed(tmp_path) as t:
        t.clock.at = APPROVED
        await t.approve(work=False)
        t.github.refuse("/reviews$", status, message, headers, times=1, method="POST")
        await t.write()
        assert await left(t) == ("sending" if status >= 500 else "pending", reason)
        t.clock.go(seconds=wait - 1)
        await t.write()
        assert t.github.written.reviews[AT] == []
        t.clock.go(seconds=1)
        await t.work()
        assert len(t.github.written.reviews[AT]) == 1
        assert await left(t) == ("done", "")


@pytest.mark.parametrize(
    ("path", "status", "message", "tries", "reason"),
    [
        ("/reviews$", 401, "Bad credentials", 2, STALE),
        ("/reviews$", 422, "Validation Failed", 3,  # with its lines, and twice without them
            "GitHub refused with status 422: Validation Failed."),
    ],
)  # fmt: skip
async def test_what_github_refuses_by_name_is_told_and_posted_when_somebody_asks_again(
    tmp_path: Path, path: str, status: int, message: str, tries: int, reason: str
) -> None:
    async with reviewed(tmp_path) as t:
        t.github.refuse(path, status, message, times=tries)
        await t.approve()
        assert await left(t) == ("dead", reason)
        (text,) = [e.text for e in await t.events((await t.latest()).id) if _not_posted(e)]
        assert text == reason
        t.clock.go(days=1)
        await t.work()
        assert t.github.written.reviews[AT] == []  # it is not tried for ever
        await t.approve()
        assert len(t.github.written.reviews[AT]) == 1
        assert (await t.noted())[-1] == "posted"


def _not_posted(event: object) -> bool:
    return isinstance(event, ForgeNoted) and event.what == "not_posted"


async def left(t: Town) -> tuple[str, str]:
    """Returns the state of the review's post, and the reason."""
    posts = await t.parts.context.work.of((await t.latest()).id)
    (review,) = [one for one in posts if one.work.kind == "review"]
    return review.state, review.reason


async def test_webhooks_that_are_repeated_reordered_forged_or_late(tmp_path: Path) -> None:
    async with town(tmp_path, labels=("debate",)) as t:
        await t.bind()
        labeled = t.delivery("pull_request", "labeled", label={"name": "debate"})
        early = t.delivery("pull_request", "synchronize")
        assert await t.deliver(*labeled, secret="wrong") == 401
        assert await t.deliver(labeled[0], labeled[1][:-1]) == 400
        assert [await t.deliver(*labeled) for _ in range(3)] == [202, 200, 200]
        await t.handle()
        await t.settle()
        assert len(await t.debates()) == 1
        t.pull.push("c" * 40, diff(a=["x = 1 # BUG one", "y = 2 # BUG two"]))
        t.pull.push("d" * 40, diff(a=["x = 1 # BUG one", "z = 3 # BUG three"]))
        newest = t.delivery("pull_request", "synchronize")
        middle = t.delivery("pull_request", "synchronize", head="c" * 40)
        for delivery in (newest, middle, early, newest):
            await t.deliver(*delivery)
            await t.handle()
        assert len(await t.debates()) == 2  # one for the first head, one for the newest
        assert (await t.row()).head == "d" * 40
        old = t.delivery("pull_request", "labeled", label={"name": "debate"})
        t.clock.go(days=8)
        assert await t.deliver(*old) == 200
        assert set(await event_states(t.bot.stores.database)) == {"done"}


async def test_what_github_refuses_to_show_delays_a_run_and_loses_none(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        for status, headers, message, wait in (
            (403, {"Retry-After": "120"}, SECONDARY, 120),
            (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777804500"}, "limit", 1980),
            (403, {}, SECONDARY, 60),
            (401, {}, "Bad credentials", 900),
            (403, {}, "Resource not accessible by integration", 900),
        ):
            t.github.refuse("/pulls/412$", status, message, headers, times=1)
            await t.label()
            count = len(t.github.seen)
            t.clock.go(seconds=wait - 1)
            await t.handle()
            assert (await t.debates(), len(t.github.seen)) == ([], count), (status, message)
            t.clock.go(seconds=1)
        await t.handle()
        assert len(await t.debates()) == 1


async def test_what_came_after_a_merge_is_asked_for_again_later(tmp_path: Path) -> None:
    async with town(tmp_path, diff=diff(a=["x = 1 # BUG LOW one"])) as t:
        debate = await t.review()
        await t.merge()
        t.clock.go(days=2, hours=2)  # two hours late already, so it waits as long again
        t.github.refuse("/commits", 401, "Bad credentials", times=1)
        await t.work()
        count = len(t.github.seen)
        await t.work()
        assert len(t.github.seen) == count
        t.clock.go(hours=2)
        await t.work()
        due = [e for e in await t.events(debate.id) if isinstance(e, FollowUpDue)]
        assert ["2 days ago" in e.because for e in due] == [True]


async def test_without_a_secret_nothing_is_taken(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        assert await deliver_to_gitlab(t.hooks, b'{"object_kind": "merge_request"}') == 404


def test_the_claim_is_longer_than_a_request() -> None:
    assert timedelta(seconds=WireLimits().seconds) < LEASE
