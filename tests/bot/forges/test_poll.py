"""Where no webhook comes, conditional requests give the same events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from bot.forges.poll import Poll
from bot.wire.forges import ForgeParts
from tests.bot.forges.past import reviewed
from tests.bot.forges.town import NUMBER, REPO, diff, town
from tests.standins.github import Pull

AT = (REPO, NUMBER)
NOW = timedelta(0)


def polling(parts: ForgeParts) -> Poll:
    """Returns a poll of hosts that send no webhooks."""

    async def never(_host: str) -> bool:
        return False

    return replace(parts.poll, has_webhook=never)


async def test_a_label_a_push_and_a_comment_are_noticed_once(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        t.github.written.permissions["o/r", "ann"] = "write"
        poll = polling(t.parts)
        assert await poll.look(NOW) == 0  # the first look only learns how things are
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 0
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:05:00Z"
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 1
        await t.handle()
        await t.settle()
        assert len(await t.debates()) == 1
        t.pull.push("c" * 40, diff(a=["x = 1 # BUG one", "y = 2 # BUG two"]))
        t.pull.updated_at = "2026-05-03T11:00:00Z"
        t.github.written.say(("o/r", 412), "ann", "/debate")
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 2
        await t.handle()
        assert len(await t.debates()) == 2
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 0


async def test_what_happens_right_after_the_binding_starts_a_debate(tmp_path: Path) -> None:
    polled = {"DEBATE_PUBLIC_URL": ""}
    async with town(tmp_path, env=polled) as t:
        t.pull.labels = ("ask",)
        bind = "setup github o/r --labels debate,ask"
        assert "can't be read" not in (await t.ask(bind)).text
        t.pull.labels, t.pull.updated_at = ("ask", "debate"), "2026-05-03T10:05:00Z"
        await t.ask(bind)  # once more changes nothing about what is news
        t.clock.go(minutes=4)
        assert await t.parts.poll.look() == 1  # "ask" was there before
        await t.handle()
        assert len(await t.debates()) == 1


async def test_what_happened_between_two_bindings_is_no_news(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_PUBLIC_URL": ""}) as t:
        await t.ask("setup github o/r --labels debate")
        await t.ask("setup github o/r off")
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:05:00Z"
        await t.ask("setup github o/r --labels debate")
        t.clock.go(minutes=4)
        assert await t.parts.poll.look() == 0


async def test_a_repository_that_cannot_be_read_says_so_at_the_binding(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_PUBLIC_URL": ""}) as t:
        text = (await t.ask("setup github o/nosuch --labels debate")).text
        assert "can't be read yet, and nothing starts until it can" in text


async def test_a_reply_under_a_finding_is_noticed_and_our_own_are_not(tmp_path: Path) -> None:
    async with reviewed(tmp_path, posted=True) as t:
        poll = polling(t.parts)
        await poll.look(NOW)
        comment = t.github.written.comments[AT][0]
        t.github.written.answer_in_thread(AT, comment.id, "mallory", "It is never called.")
        t.github.written.answer_in_thread(AT, comment.id, "ci[bot]", "All good.")
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 1
        await t.work()
        reopened = await t.settle()
        assert [e.by for e in reopened.endings] == ["github:github.com/mallory"]


async def test_an_old_pull_request_is_no_news_however_many_are_newer(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_PUBLIC_URL": ""}) as t:
        for number in range(1000, 1400):
            t.github.pulls[REPO, number] = Pull(diff=diff(a=["x = 1"]), labels=("debate",))
        t.pull.labels, t.pull.updated_at = ("debate",), "2020-01-01T00:00:00Z"
        await t.ask("setup github o/r --labels debate --on opened,comment")
        for number in range(1000, 1350):  # somebody writes in them, or a bot does
            t.github.pulls[REPO, number].updated_at = "2026-05-03T10:05:00Z"
        for _ in range(2):
            t.clock.go(minutes=4)
            assert await t.parts.poll.look() == 0
        t.pull.updated_at = "2026-05-03T10:10:00Z"
        t.clock.go(minutes=4)
        assert await t.parts.poll.look() == 0


async def test_all_that_happened_since_the_last_look_is_noticed(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_PUBLIC_URL": ""}) as t:
        await t.ask("setup github o/r --labels debate")
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:01:00Z"
        t.github.written.say(AT, "ann", "/debate")
        for number in range(1000, 1150):
            at = "2026-05-03T10:05:00Z"
            t.github.pulls[REPO, number] = Pull(state="closed", updated_at=at)
            t.github.written.say((REPO, number), "ann", "Merge it.")
        t.clock.go(minutes=4)
        assert await t.parts.poll.look() == 1 + 151
        assert await t.parts.poll.look(NOW) == 0


async def test_a_person_may_label_the_pull_request_of_a_dependency_bot(tmp_path: Path) -> None:
    async with town(tmp_path, author="dependabot[bot]", env={"DEBATE_PUBLIC_URL": ""}) as t:
        await t.ask("setup github o/r --labels debate")
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:05:00Z"
        bots = Pull(diff=t.pull.diff, author="dependabot[bot]", labels=("debate",))
        t.github.pulls[REPO, 413] = bots  # which put the label on by itself
        t.clock.go(minutes=4)
        assert await t.parts.poll.look() == 3
        await t.handle()
        debate = await t.latest()
        assert await t.debates() == [debate.id]
        assert debate.request.target.endswith("/pull/412")
        assert "dependabot" not in debate.request.asker


async def test_a_forge_that_tells_us_itself_is_not_asked(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        assert await t.parts.poll.look(NOW) == 0  # a public address, and a secret for webhooks
        assert not [path for path in t.calls() if path.endswith("/pulls")]


async def test_two_replicas_ask_once_in_a_while(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        for _ in range(2):
            await polling(t.parts).look()
        calls = [path for path in t.calls() if path.endswith("/pulls")]
        assert len(calls) == 1
