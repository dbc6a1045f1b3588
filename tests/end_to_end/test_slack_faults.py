"""A debate in Slack while things break: the bot is killed between any two posts, Slack refuses,
slows down, loses answers.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

import pytest

from adapters.posts.keys import verdict_key
from storage.claims import Pace, Rate
from tests.end_to_end import nursery
from tests.end_to_end.played import LINK
from tests.end_to_end.slack_office import Office, office
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.standins.github import GitHubStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, Fault, SlackStandIn
from tests.standins.slack_world import Json

# kill -9


@dataclass(frozen=True)
class Kill:
    """Kills the process at the ``nth`` call of ``method`` from now: when Slack has stored it and
    nobody knows, or before anything is stored.
    """

    method: str = "chat.postMessage"
    nth: int = 0
    stored: bool = True


class Trap(SlackStandIn):
    """Kills the process ``prey`` at each of ``kills``, those of one method one after the other:
    emojis and files wait for nobody.
    """

    def __init__(self, kills: Iterable[Kill]) -> None:
        super().__init__()
        self.kills = list(kills)
        self.prey: nursery.Popen | None = None
        self._passed = 0

    def _answer(self, method: str, arguments: Json, token: str, team: str) -> Json:
        kill = next((kill for kill in self.kills if kill.method == method), None)
        if kill is None or self._passed < kill.nth:
            self._passed += kill is not None
            return super()._answer(method, arguments, token, team)
        answer = (
            super()._answer(method, arguments, token, team)
            if kill.stored
            else {"ok": False, "error": "internal_error"}
        )
        self._passed = 0
        self.kills.remove(kill)
        assert self.prey is not None
        os.kill(self.prey.pid, signal.SIGKILL)
        return answer


@dataclass
class Ward:
    """A folder in which one bot after another lives, each in a process of its own."""

    folder: Path
    slack: Trap
    github: GitHubStandIn

    async def survive(self) -> None:
        """Plays one debate to its end and to its last post, however often its bot is killed, until
        a life has nothing left to be killed at.
        """
        await self._live(lambda: self.slack.slash(f"code_review {LINK} --debate-anyway"))
        left = -1
        while left != len(self.slack.kills):
            left = len(self.slack.kills)
            await self._live()

    async def _live(self, do: Callable[[], Awaitable[object]] | None = None) -> None:
        """Starts a bot and waits until it was killed or has nothing left to do."""
        env = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DEBATE_SCRIPTED": "1",
            "DEBATE_MODELS": "scripted",
            "DEBATE_DATABASE_URL": str(self.folder / "debate.db"),
            "GITHUB_API_URL": self.github.url,
            "SLACK_API_URL": self.slack.url, "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
        }  # fmt: skip
        command = (sys.executable, "-m", "tests.end_to_end.slack_child")
        prey = nursery.Popen(command, cwd=self.folder, env=env, stdout=PIPE)
        self.slack.prey = prey
        try:
            async with asyncio.timeout(PATIENCE):
                assert prey.stdout is not None
                line = await asyncio.to_thread(prey.stdout.readline)
                ran = line.startswith(b"http://")
                if do is not None and ran:
                    await do()
                while prey.poll() is None and not (ran and await self._forget()):  # noqa: ASYNC110 (another process has no event of ours)
                    await asyncio.sleep(0.05)
        finally:
            with prey:
                prey.kill()

    async def _forget(self) -> bool:
        rows = await self.rows()
        return any(key.endswith(":verdict") for key, _, _ in rows) and all(
            state not in ("pending", "sending") for _, _, state in rows
        )

    async def rows(self) -> list[tuple[str, str, str]]:
        """Key, operation and state of everything in the outbox, in order, as it is on the disk."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[tuple[str, str, str]]:
        with closing(sqlite3.connect(self.folder / "debate.db")) as conn:
            return conn.execute("SELECT key, op, state FROM outbox ORDER BY id").fetchall()

    async def once(self) -> None:
        """Slack holds every post once, in order, in one thread, with its emojis and its file;
        nothing was given up.
        """
        rows = await self.rows()
        posts = [(key, state) for key, op, state in rows if op == "post"]
        assert {state for _, state in posts} == {"sent"}
        messages = list(self.slack.world.channel("C1").messages.values())
        assert [m["metadata"]["event_payload"]["key"] for m in messages if "metadata" in m] == [
            key for key, _ in posts
        ]
        assert [f["name"] for m in messages for f in m.get("files") or ()] == [
            f"debate-{posts[0][0].partition(':')[0]}.md"
        ]
        assert {m.get("thread_ts", m["ts"]) for m in messages} == {messages[0]["ts"]}
        held = [[r["name"] for r in m.get("reactions") or ()] for m in messages if "metadata" in m]
        assert held == [OFFERED.get(key.split(":")[-1], []) for key, _ in posts]
        assert self.slack.complaints == []


BALLOT = ["white_check_mark", "speech_balloon", "x"]
OFFERED = {"verdict": BALLOT}
EVERY = 100
"""A number larger than that of all posts."""


async def run(folder: Path, github: GitHubStandIn, kills: Iterable[Kill]) -> tuple[int, int]:
    """Plays a debate under these kills and returns how many of them were left over, and how many
    posts there are.
    """
    github.load_case("py-static-prefix")
    async with Trap(kills) as slack:
        ward = Ward(folder, slack, github)
        await ward.survive()
        await ward.once()
        posts = sum(op == "post" for _, op, _ in await ward.rows())
        return len(slack.kills), posts


async def test_killed_at_a_few_points_every_post_arrives_once(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The root stored and not known; a post of the middle before it was sent; the verdict's file
    uploaded and not known.
    """
    kills = [Kill(), Kill(nth=5, stored=False), Kill("files.completeUploadExternal")]
    left, _ = await run(tmp_path, github, kills)
    assert left == 0, "each of these points was there"


@pytest.mark.faults
@pytest.mark.timeout(300)
async def test_killed_after_every_single_post(tmp_path: Path, github: GitHubStandIn) -> None:
    left, posts = await run(tmp_path, github, [Kill()] * EVERY)
    assert EVERY - left == posts


@pytest.mark.faults
@pytest.mark.timeout(300)
async def test_killed_before_every_single_post(tmp_path: Path, github: GitHubStandIn) -> None:
    kills = [Kill(stored=False), *[Kill(nth=1, stored=False)] * EVERY]
    left, posts = await run(tmp_path, github, kills)
    assert len(kills) - left == posts


@pytest.mark.faults
@pytest.mark.timeout(300)
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "before"])
async def test_killed_between_what_belongs_to_a_post(
    tmp_path: Path, github: GitHubStandIn, stored: bool
) -> None:
    """Its emojis, its file, the edits of the root."""
    methods = (
        "chat.update",
        "reactions.add",
        "reactions.add",
        "files.getUploadURLExternal",
        "files.completeUploadExternal",
    )
    left, _ = await run(tmp_path, github, [Kill(method, stored=stored) for method in methods])
    assert left == 0, "each of these points was there"


# Many at once


@pytest.mark.faults
async def test_ten_debates_at_once_in_three_channels(tmp_path: Path, github: GitHubStandIn) -> None:
    """Every post once, each thread in its order, never two messages in a channel within its pace;
    one slow channel holds nobody up.
    """
    github.load_case("py-static-prefix")
    pace = 0.03
    channels = [f"C{n % 3 + 1}" for n in range(10)]
    async with office(tmp_path, github, paces={"slack": Pace(Rate(pace), Rate(pace))}) as place:
        for channel in channels:
            place.slack.world.channel(channel)
        place.slack.faults.append(
            Fault("chat.postMessage", "429", after=8, channel="C2", retry_after=2)
        )
        await asyncio.gather(
            *(
                place.slack.slash(f"code_review {LINK}", channel=c, user=f"U{n}")
                for n, c in enumerate(channels)
            )
        )
        await place.until(lambda: sum(len(place.roots(c)) for c in set(channels)) == 10)
        for debate, _ in [root for c in set(channels) for root in place.roots(c)]:
            await place.wait_for_posts(debate)
        rows = await asyncio.to_thread(outbox, tmp_path)
        for channel in set(channels):
            there = [key.removesuffix("#0") for key, _ in place.ours(channel)]
            assert Counter(there) == Counter(key for where, key in rows if where.endswith(channel))
            for debate, root in place.roots(channel):
                mine = [
                    m["metadata"]["event_payload"]["key"]
                    for m in place.slack.thread(root, channel)
                    if "metadata" in m
                ]
                ordered = [
                    key for where, key in rows if where.endswith(channel) and key.startswith(debate)
                ]
                mine.remove(verdict_key(debate))  # the decision passes what waits
                ordered.remove(verdict_key(debate))
                assert mine == ordered
        at = {c: sent_at(place, c) for c in set(channels)}
        for channel, times in at.items():
            took = max(times) - min(times)
            assert took >= 0.8 * pace * (len(times) - 1), (
                f"{channel}: more than one message per {pace} s"
            )
        [(refused, again)] = [times for times in tries(place, "C2").values() if len(times) == 2]
        assert again - refused >= 2.0, "Retry-After is obeyed"
        on_their_way = len(place.roots("C2"))  # one of each thread
        assert sum(refused < t < refused + 2.0 for t in at["C2"]) < on_their_way, (
            "once that is known, nobody writes there"
        )
        for other in ("C1", "C3"):
            assert sum(refused < t < again for t in at[other]) >= 3, "the other channels went on"


def tries(place: Office, channel: str) -> dict[str, list[float]]:
    """Returns the times at which each post was sent to a channel."""
    counts: dict[str, list[float]] = {}
    for call in place.slack.calls:
        if call.method == "chat.postMessage" and call.arguments["channel"] == channel:
            counts.setdefault(call.arguments["metadata"]["event_payload"]["key"], []).append(
                call.at
            )
    return counts


def sent_at(place: Office, channel: str) -> list[float]:
    """Returns the times at which messages were sent to a channel, with those that were refused."""
    calls = [
        call
        for call in place.slack.calls
        if call.method in ("chat.postMessage", "files.completeUploadExternal")
    ]
    return [
        call.at
        for call in calls
        if channel in (call.arguments.get("channel"), call.arguments.get("channel_id"))
    ]


def outbox(folder: Path) -> list[tuple[str, str]]:
    """Place and key of every post, in order."""
    with closing(sqlite3.connect(folder / "debate.db")) as conn:
        return conn.execute(
            "SELECT place, key FROM outbox WHERE op = 'post' ORDER BY id"
        ).fetchall()


# Slack in a bad mood

QUESTION = "panel Should we drop Windows?"


async def test_slack_that_fails_loses_answers_and_slows_down_doubles_nothing(
    tmp_path: Path, place: Office
) -> None:
    moods = (("drop_after", 0), ("500_after", 1), ("503", 2), ("drop", 3), ("429", 4))
    place.slack.faults += [Fault("chat.postMessage", kind, after=after) for kind, after in moods]
    debate = await place.debate("triad Should we drop Windows?")
    await place.wait_for_posts(debate, hurry=0.25)
    rows = await asyncio.to_thread(outbox, tmp_path)
    assert [key.removesuffix("#0") for key, _ in place.ours()] == [key for _, key in rows]
    assert place.slack.faults == []


async def test_an_answer_that_nobody_can_give_is_asked_of_a_person(place: Office) -> None:
    """Posted, not answered, and the history may not be read: nothing is sent blindly; a button in
    the thread sends it again.
    """
    place.slack.faults += [
        Fault("chat.postMessage", "drop", after=3),
        Fault("conversations.replies", "missing_scope", times=20),
    ]
    debate = await place.debate(QUESTION)
    await place.wait_for_posts(debate, hurry=0.25)
    message = await place.saying("A message of this debate may be missing here")
    assert message["thread_ts"] == place.root(debate)
    before = len(place.ours())
    place.slack.faults.clear()
    assert await place.pressed(message["ts"], "Post it again") == "I will post it again."
    await place.until(lambda: len(place.ours()) == before + 1)
    assert await place.pressed(message["ts"], "Post it again") == "That post is settled already."


async def test_a_redelivery_starts_nothing_twice_even_after_a_restart(place: Office) -> None:
    place.slack.twice = True
    await place.slack.mention(QUESTION)
    [(debate, _)] = await place.until(place.roots)
    await place.wait_for_posts(debate)
    heard = [
        d
        for d in place.slack.deliveries
        if d.kind == "events_api" and QUESTION in str(d.body["event"].get("text"))
    ]
    assert len(heard) >= 4
    await place.restart()
    place.slack.twice = False
    for delivery in heard[:2]:
        await place.slack.event(delivery.body["event"], event_id=delivery.body["event_id"], retry=1)
    await place.slack.mention("status")
    await place.until(lambda: place.whispers("U1"))
    assert [id for id, _ in place.roots()] == [debate]
    assert len(await place.parts.stores.debates.find_recent()) == 1
