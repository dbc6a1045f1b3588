"""Where no webhook comes: the same events from conditional requests."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.forges.poll import Poll
from tests.bot.forges.town import diff, town

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")
NOW = timedelta(0)


async def test_a_label_a_push_and_a_comment_are_noticed_once(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        t.github.written.permissions["o/r", "ann"] = "write"
        parts = t.parts
        poll = Poll(parts.inbox.events, parts.runs.places, parts.connections, t.clock)
        assert await poll.look(NOW) == 0  # the first look only learns how things are
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 0
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:05:00Z"
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 1
        await t.parts.inbox.work()
        await t.settle()
        assert len(await t.debates()) == 1
        t.pull.push("c" * 40, diff(a=["x = 1 # BUG one", "y = 2 # BUG two"]))
        t.pull.updated_at = "2026-05-03T11:00:00Z"
        t.github.written.say(("o/r", 412), "ann", "/debate")
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 2
        await t.parts.inbox.work()
        await t.settle()
        assert len(await t.debates()) == 2
        t.clock.go(minutes=4)
        assert await poll.look(NOW) == 0


async def test_two_replicas_ask_once_in_a_while(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        parts = t.parts
        polls = [
            Poll(parts.inbox.events, parts.runs.places, parts.connections, t.clock)
            for _ in range(2)
        ]
        for poll in polls:
            await poll.look()
        asked = [path for path in t.calls() if path.endswith("/pulls")]
        assert len(asked) == 1
