"""The process that works for a forge is killed with -9 between every two steps: one review is
posted and reported once; no event is lost, and one debate of it is held.

The forge is a real socket away, and what comes after the kill is another process.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web

from bot.forges.review import open_issue
from core.debate.events import ForgeNoted
from storage.debates import Debates
from storage.forges.followed import FollowedChanges
from storage.schema import open_database
from storage.work import WorkQueue
from tests.bot.forges.lives import Life, ended
from tests.bot.forges.town import NUMBER, REPO, Clock, diff, event_states, town
from tests.standins.github import GitHubStandIn, Pull

AT = (REPO, NUMBER)
DIFF = diff(a=["x = 1 # BUG one"])
KILLED = -signal.SIGKILL


@dataclass
class Judged:
    """A database: with a ``debate`` whose review and one issue were approved and not sent, or with
    an event that was stored and not worked off.
    """

    folder: Path
    url: str
    debate: str
    clock: Clock


async def judged_in(folder: Path, url: str = "") -> Judged:
    async with town(folder, url=url, diff=DIFF) as t:
        debate = await t.review()
        await t.approve(work=False)
        await open_issue(t.parts.context, debate.id, 1, "slack:T1/U1")
        return Judged(folder, url, debate.id, t.clock)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return asyncio.run(judged_in(tmp_path_factory.mktemp("judged")))


@dataclass
class Stage:
    """A copy of the database, and the forge."""

    judged: Judged
    github: GitHubStandIn
    minutes: int = 30

    def life(self, dies_at: int = 0, *, after: bool = False, takes: bool = False) -> Life:
        """Returns a process; each begins when the claims of the one before have expired."""
        self.minutes += 2
        given = {
            "DEBATE_DATABASE_URL": self.judged.url or f"sqlite:///{self.judged.folder}/debate.db",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_TOKEN": "personal",
            "DEBATE_PRIVATE_WORKSPACES": "slack:T1",
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "DEBATE_MODELS": "openai/gpt-4.1",
        }
        at = self.judged.clock.at + timedelta(minutes=self.minutes)
        owner = f"life{self.minutes}"
        return Life(given, self.judged.folder, at, owner, dies_at, after, takes)

    async def stands_once(self) -> None:
        written = self.github.written
        assert len(written.reviews[AT]) == 1
        assert len(written.comments[AT]) == 1
        assert len(written.issues[REPO]) == 1
        database = await open_database(
            self.judged.url or str(self.judged.folder / "debate.db"), self.judged.clock.now
        )
        try:
            posts = await WorkQueue(database).of(self.judged.debate)
            assert {row.work.kind: row.state for row in posts} == {
                "check": "done", "review": "done", "issue": "done"
            }  # fmt: skip
            events = await Debates(database).load(self.judged.debate)
        finally:
            await database.close()
        noted = [e.what for e in events if isinstance(e, ForgeNoted)]
        assert (noted.count("posted"), noted.count("issue")) == (1, 1)


@asynccontextmanager
async def stage(judged: Judged, folder: Path) -> AsyncIterator[Stage]:
    if not judged.url:
        shutil.copytree(judged.folder, folder)
        judged = replace(judged, folder=folder)
    async with GitHubStandIn().running() as github:
        github.pulls[AT] = Pull(diff=DIFF)
        yield Stage(judged, github)


async def sweep(judged: Judged, folder: Path, steps: range, *, after: bool) -> int:
    """Dies at each of these steps and returns how many there were."""
    died = 0
    for step in steps:
        async with stage(judged, folder / f"{step}{after}") as s:
            killed = await s.life(step, after=after).end() == KILLED
            assert await s.life().end() == 0
            await s.stands_once()
            if not killed:
                return died
            died += 1
    return died


async def test_killed_before_and_after_the_first_things_that_last(
    judged: Judged, tmp_path: Path
) -> None:
    assert await sweep(judged, tmp_path, range(2, 3), after=False) == 1
    assert await sweep(judged, tmp_path, range(3, 4), after=True) == 1


@pytest.mark.faults
@pytest.mark.parametrize("after", [False, True])
async def test_killed_between_every_two_steps(judged: Judged, tmp_path: Path, after: bool) -> None:
    died = await sweep(judged, tmp_path, range(1, 40), after=after)
    assert 10 <= died < 39  # at each of them, to the last


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Returns a database with a webhook that came and was answered."""
    folder = tmp_path_factory.mktemp("told")

    async def tell() -> Judged:
        async with town(folder, diff=DIFF) as t:
            await t.bind()
            await t.tell("pull_request", "labeled", label={"name": "debate"}, work=False)
            return Judged(folder, "", "", t.clock)

    return asyncio.run(tell())


async def taken(judged: Judged, folder: Path, steps: range, *, after: bool) -> int:
    """Dies at each of these steps of handling an event and returns how many there were."""
    died = 0
    for step in steps:
        async with stage(judged, folder / f"{step}{after}") as s:
            killed = await s.life(step, after=after, takes=True).end() == KILLED
            assert await s.life(takes=True).end() == 0
            database = await open_database(str(s.judged.folder / "debate.db"), s.judged.clock.now)
            try:
                assert len(await Debates(database).find_recent(limit=5)) == 1, f"step {step}"
                assert set(await event_states(database)) == {"done"}
                (row,) = await FollowedChanges(database).of("github.com", REPO, NUMBER)
            finally:
                await database.close()
            assert row.head == s.github.pulls[AT].head
            if not killed:
                return died
            died += 1
    return died


async def test_killed_while_an_event_is_worked_off(followed: Judged, tmp_path: Path) -> None:
    assert await taken(followed, tmp_path, range(3, 4), after=True) == 1


@pytest.mark.faults
@pytest.mark.parametrize("after", [False, True])
async def test_killed_at_every_step_of_an_event(
    followed: Judged, tmp_path: Path, after: bool
) -> None:
    died = await taken(followed, tmp_path, range(1, 40), after=after)
    assert 4 <= died < 39


@pytest.mark.parametrize("path", ["/reviews", "/issues$"])
@pytest.mark.parametrize("done", [False, True])
async def test_killed_while_the_forge_has_the_request(
    judged: Judged, tmp_path: Path, path: str, done: bool
) -> None:
    """The process dies when the request is sent and not worked off yet, or worked off and not
    answered yet.
    """
    async with stage(judged, tmp_path / "copy") as s:
        process = s.life().begin()

        async def then(_request: web.Request) -> None:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)

        async def instead(request: web.Request) -> web.StreamResponse:
            await then(request)
            return web.json_response({}, status=502)

        if done:
            s.github.after(path, then)
        else:
            s.github.spoil(path, instead, 1, "POST")
        assert await ended(process) == KILLED
        assert await s.life().end() == 0
        await s.stands_once()


async def test_another_replica_waits_and_then_takes_over(postgres_url: str, tmp_path: Path) -> None:
    """While one process is sending, another one on the same store leaves it alone; killed before it
    heard the answer, it leaves a review that the next one finds.
    """
    judged = await judged_in(tmp_path, postgres_url)
    async with stage(judged, tmp_path) as s:
        arrived, go_on = asyncio.Event(), asyncio.Event()

        async def then(_request: web.Request) -> None:
            arrived.set()
            await go_on.wait()

        s.github.after("/reviews", then)
        first = s.life()
        process = first.begin()
        await arrived.wait()
        assert await replace(first, owner="other").end() == 0
        assert len(s.github.written.reviews[AT]) == 1
        process.kill()
        assert await ended(process) == KILLED
        go_on.set()
        assert await s.life().end() == 0
        await s.stands_once()
