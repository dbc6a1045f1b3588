"""GitHub's deliveries that the bot missed while it was away are requested again, and each is taken
once.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.forges.github.redelivery import TRIES
from bot.forges.redeliver import EVERY, Redeliveries
from storage.database import Database
from tests.bot.forges.town import EXAMPLES, SECRET, Clock, event_states, town
from tests.standins.github_app import AppSide

AWAY = "http://127.0.0.1:9/github/events"


@dataclass
class Post:
    """GitHub with an App, and where its webhooks arrive while somebody is there."""

    app: AppSide
    database: Database
    redeliveries: Redeliveries
    clock: Clock
    here: str

    async def tell(self, label: str) -> int:
        """Makes something happen on GitHub and returns how its webhook was answered, 0 by
        nobody.
        """
        payload: dict[str, Any] = json.loads(json.dumps(EXAMPLES["pull_request.labeled"]))
        payload["label"]["name"] = label
        payload["pull_request"]["updated_at"] = self.clock.now().isoformat()
        return (await self.app.tell(payload, self.clock.now())).status

    async def look(self) -> int:
        self.clock.at += 2 * EVERY
        return await self.redeliveries.look()

    async def taken(self) -> int:
        return (await event_states(self.database)).count("pending")


@asynccontextmanager
async def posted(folder: Path) -> AsyncIterator[Post]:
    async with town(folder, app=True) as t:
        side, here = t.github.app, f"{t.hooks}/github/events"
        side.webhook_secret, side.hook = SECRET, here
        yield Post(side, t.bot.stores.database, t.parts.redeliveries, t.clock, here)


async def test_what_was_missed_is_asked_for_again_and_taken_once(tmp_path: Path) -> None:
    async with posted(tmp_path) as post:
        post.app.page_size = 2
        post.app.hook = AWAY
        assert await post.tell("before we ever looked") == 0
        assert await post.look() == 0, "a new bot begins with what comes"
        post.app.hook = post.here
        assert await post.tell("heard") == 202
        post.app.hook = AWAY
        assert [await post.tell(label) for label in ("one", "two", "three")] == [0, 0, 0]
        post.app.hook = post.here
        assert await post.look() == 3
        assert await post.taken() == 4
        assert await post.look() == 0, "all has arrived"
        assert [one.status for one in post.app.deliveries if one.again] == [202, 202, 202]


async def test_what_never_arrives_is_left_after_a_few_tries(tmp_path: Path) -> None:
    async with posted(tmp_path) as post:
        await post.look()
        post.app.hook = AWAY
        await post.tell("lost")
        assert [await post.look() for _ in range(TRIES + 1)] == [1] * (TRIES - 1) + [0, 0]


async def test_one_replica_asks_and_where_github_is_away_the_next_look_goes_on(
    tmp_path: Path,
) -> None:
    async with posted(tmp_path) as post:
        await post.look()
        post.app.hook = AWAY
        await post.tell("missed")
        post.app.hook = post.here
        id, post.app.id = post.app.id, "another one's"
        assert await post.look() == 0, "GitHub refuses"
        post.app.id = id
        assert await post.look() == 1
        assert await post.redeliveries.look() == 0, "somebody has just asked"
        assert await post.taken() == 1
