"""One process on SQLite: debates wake and rest in time, a command arrives quickly, and a second
process is refused.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.debates.advance import TIME_IS_UP, Inbox
from bot.jobs import Jobs
from bot.serve.runtime.local import LocalRuntime
from bot.serve.runtime.procrastinate import Rhythm
from bot.shell.playing.live import ending
from bot.wire.bot import make_runtime
from bot.wire.parts import Parts, open_parts
from core.debate import commands as c
from core.debate import events as e
from core.debate.engine import InboxCommand
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.events import DebateRequest
from core.debate.ports import Clock
from core.debate.state import Debate
from storage.database.lock import RunnerLock
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import until_status
from tests.bot.room.serving import served
from tests.end_to_end.shell import environment, process
from tests.end_to_end.world import Time
from tests.origins import origin
from tests.patience import PATIENCE


@asynccontextmanager
async def parts_at(folder: Path, clock: Clock | None = None, **env: str) -> AsyncIterator[Parts]:
    async with open_parts(
        settings_for(str(folder / "debate.db"), folder, env=env), shell=False, clock=clock
    ) as parts:
        yield parts


@asynccontextmanager
async def running(parts: Parts) -> AsyncIterator[LocalRuntime]:
    runtime = make_runtime(parts, Rhythm(), Jobs())
    assert isinstance(runtime, LocalRuntime)
    await runtime.start()
    try:
        yield runtime
    finally:
        await runtime.stop()


def request(template: str = "triad", **more: Any) -> DebateRequest:
    return DebateRequest(
        template,
        "Should the queue of jobs live in PostgreSQL?",
        ASKER,
        PLACE,
        **{"vote_window": 0.0, "rounds": 1, **more},
    )


async def rest(runtime: LocalRuntime) -> None:
    """Waits until no task is left: a debate that rests costs nothing."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not runtime.tasks:
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"still there: {list(runtime.tasks)}")


async def test_what_was_left_is_taken_up_after_the_start_and_told_until_then(
    tmp_path: Path,
) -> None:
    async with parts_at(tmp_path, DEBATE_SCRIPTED_LATENCY="600") as parts:
        ids = [await parts.service.take(request(), origin(f"e{n}")) for n in range(3)]
        runtime = make_runtime(parts, Rhythm(), Jobs())
        assert isinstance(runtime, LocalRuntime)
        states = []
        await runtime.start()
        try:
            assert not runtime.tasks
            while runtime.missing():
                states.append(runtime.missing())
                await asyncio.sleep(0)
            assert set(runtime.tasks) == set(ids)
        finally:
            await runtime.stop()
    assert list(dict.fromkeys(states)) == [
        "unfinished debates are looked for",
        *(f"{n} of 3 unfinished debates are taken up" for n in range(3)),
    ]


async def test_a_second_runner_is_refused_and_says_who_is_there(tmp_path: Path) -> None:
    async with parts_at(tmp_path) as one, running(one), parts_at(tmp_path) as two:
        with pytest.raises(
            BadInput, match=r"Another debatebot \(process \d+\) is running on .*debate\.db"
        ):
            await make_runtime(two, Rhythm(), Jobs()).start()
        assert await two.service.bot_plays()


async def test_a_debate_whose_bot_stopped_before_it_began_is_not_followed_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.debates.play._GONE", 0.1)
    async with parts_at(tmp_path) as parts:
        with RunnerLock(tmp_path / "debate.db"):
            id = await parts.service.take(request(), origin("e1"))
            following = asyncio.create_task(parts.player.play(id))
            await asyncio.sleep(0)  # it sees a bot, and follows
        with pytest.raises(CouldNotFinish, match=f"Go on with: debate resume {id}"):
            await following
        assert (await parts.player.play(id)).over, "what was not begun can be gone on with"


async def test_a_stop_from_another_process_cancels_the_call_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models never answer; a second database on the same file is the other process. It is
    told of: nobody lives to see the slow look.
    """
    monkeypatch.setattr("storage.commands.SLOW_LOOK", 86_400.0)
    async with (
        parts_at(tmp_path, DEBATE_SCRIPTED_LATENCY="600") as one,
        running(one) as runtime,
        parts_at(tmp_path) as two,
    ):
        id = await one.service.take(request(), origin("e1"))
        await until_status(one, id, "running")
        assert await two.stores.queue.enqueue(id, c.Pause(ASKER), "click-1")
        assert not await two.stores.queue.enqueue(id, c.Pause(ASKER), "click-1"), (
            "a redelivery is no second command"
        )
        await until_status(two, id, "paused")
        await rest(runtime)
        line = await one.stores.debates.get(id)
        assert line is not None
        assert line.owner == ""


async def test_paused_holds_no_task_and_goes_on_when_told(tmp_path: Path) -> None:
    """A debate that is over is not started again."""
    hold = tmp_path / "hold"
    hold.touch()
    async with parts_at(tmp_path, DEBATE_SCRIPTED_HOLD=str(hold)) as parts:
        async with running(parts) as runtime:
            id = await parts.service.take(request(), origin("e1"))
            await until_status(parts, id, "running")
            await parts.stores.queue.enqueue(id, c.Pause(ASKER), "click-1")
            paused = await until_status(parts, id, "paused")
            await rest(runtime)
            assert not parts.stores.queue._wake_events, "and no event"
            hold.unlink()
            await parts.stores.queue.enqueue(id, c.CastVote(ASKER, "yes"), "click-2")
            await parts.stores.queue.enqueue(id, c.Resume(ASKER), "click-3")
            debate = await until_status(parts, id, "finished")
            await rest(runtime)
        assert debate.count > paused.count
        line = await parts.stores.debates.find(id)
        async with running(parts) as runtime:
            assert runtime.tasks == {}
        assert (await parts.stores.debates.find(id)).epoch == line.epoch
        calls = await (await parts.stores.debates.claim(id, "test")).calls()
        finished = [call.turn for call in calls if call.state == "done"]
        assert len(finished) == len(set(finished)), (
            "a call that was finished before the pause is not repeated"
        )


@dataclass
class Alarm:
    """A clock whose sleepers wake when it is ``rung``."""

    rung: asyncio.Event = field(default_factory=asyncio.Event)

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        assert seconds == 1800.0
        await self.rung.wait()


async def test_a_debate_whose_time_is_up_is_brought_to_its_end(tmp_path: Path) -> None:
    """After the first answer the time is over: calls in flight are ended, and the closing turns
    still report.
    """
    alarm = Alarm()

    def listener(event: e.Event, _debate: Debate) -> None:
        if isinstance(event, e.TurnFinished):
            alarm.rung.set()

    async with open_parts(
        settings_for(str(tmp_path / "debate.db"), tmp_path, time_limit=1800.0),
        shell=False,
        clock=alarm,
    ) as parts:
        debate = await parts.advancer.advance(
            await parts.service.take(request(), origin("e1")), event_listener=listener
        )
        assert debate.status == "finished"
        assert debate.stop == e.StopOrdered(e.EndReason.BUDGET, "", TIME_IS_UP)
        assert debate.skipped
        assert all(turn.id in debate.finished for turn in debate.turns if turn.closing)
        assert ending(debate)[1].startswith(
            "The debate's time is used up, and the debate was not complete;"
        )


async def test_votes_close_when_their_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.serve.runtime.local._LOOK", 0.02)
    clock = Time()
    async with parts_at(tmp_path, clock) as parts, running(parts) as runtime:
        id = await parts.service.take(request(vote_window=600.0), origin("e1"))
        await until_status(parts, id, "waiting")
        await rest(runtime)
        assert (await parts.service.load(id)).status == "waiting", (
            "a debate that waits for votes holds no task"
        )
        clock.ahead += 600.0
        debate = await until_status(parts, id, "finished")
        assert debate.closed is not None
        assert debate.concluded is not None
        assert debate.closed.at - debate.concluded.at >= timedelta(seconds=600)


async def test_a_command_that_came_while_nobody_ran_counts_at_the_start(tmp_path: Path) -> None:
    async with parts_at(tmp_path) as parts:
        id = await parts.service.take(request(), origin("e1"))
        await parts.stores.queue.enqueue(id, c.Stop(ASKER), "click-1")
        async with running(parts):
            debate = await until_status(parts, id, "stopped", "failed")
        assert debate.stop is not None
        assert await parts.stores.queue.find_answer("click-1") == ""


async def test_what_comes_after_the_last_look_of_a_shell_is_answered(tmp_path: Path) -> None:
    """A vote is typed, and another one stored by a second shell, while the outcome is worked on."""
    async with parts_at(tmp_path) as parts:
        id = await parts.service.take(request(), origin("e1"))
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        inbox: Inbox = asyncio.Queue()

        async def kept(_debate: Debate) -> None:
            if await parts.stores.queue.enqueue(id, c.CastVote(ASKER, "yes"), "click-1"):
                inbox.put_nowait(InboxCommand(c.CastVote(ASKER, "no"), answer=typed))

        player = replace(parts.player, advancer=replace(parts.advancer, kept=kept))
        assert (await player.play(id, inbox=inbox)).status == "finished"
        assert typed.done()
        assert typed.result() == "The vote is closed."
        assert await parts.stores.queue.find_answer("click-1") == "The vote is closed."


async def test_what_is_typed_at_the_end_of_a_debate_that_a_bot_plays_reaches_the_bot(
    tmp_path: Path,
) -> None:
    async with parts_at(tmp_path) as parts, running(parts):
        id = await parts.service.take(request(), origin("e1"))
        inbox: Inbox = asyncio.Queue()

        def listener(event: e.Event, _debate: Debate) -> None:
            if isinstance(event, e.VotesClosed):
                inbox.put_nowait(InboxCommand(c.CastVote(ASKER, "yes")))

        await parts.player.play(id, event_listener=listener, inbox=inbox)
        (vote,) = await parts.stores.queue.find_from(id, f"shell:{id}")
        assert vote.command == c.CastVote(ASKER, "yes")


async def test_a_shell_shows_also_what_a_bot_played_before_the_shell_looked(tmp_path: Path) -> None:
    async with parts_at(tmp_path) as parts, running(parts):
        id = await parts.service.take(request(), origin("e1"))
        seen = await parts.service.load(id)
        await until_status(parts, id, "finished")
        events: list[e.Event] = []
        await parts.player.play(
            id, seen=seen, event_listener=lambda event, _debate: events.append(event)
        )
        assert events == (await parts.stores.debates.load(id))[seen.count :]


async def test_a_debate_that_is_played_again_is_not_released_with_those_that_are_not(
    tmp_path: Path,
) -> None:
    """The runs of two debates ended because the database was away; a command begins one anew while
    the other one is released.
    """
    async with parts_at(tmp_path, DEBATE_SCRIPTED_LATENCY="600") as parts:
        runtime = make_runtime(parts, Rhythm(), Jobs())
        first, second = sorted(
            [await parts.service.take(request(), origin(f"e{n}")) for n in range(2)]
        )
        for id in (first, second):
            await parts.stores.debates.claim(id, parts.advancer.owner)
        runtime._unreleased.update((first, second))
        releasing = asyncio.create_task(runtime.release())
        await asyncio.sleep(0)
        again = asyncio.create_task(runtime.run(second))
        assert await releasing == [first]
        await until_status(parts, second, "running")
        assert (await parts.stores.debates.find(first)).owner == ""
        assert (await parts.stores.debates.find(second)).owner == parts.advancer.owner
        again.cancel()
        await asyncio.wait([again])


async def test_a_debate_that_a_living_shell_plays_is_left_to_it(tmp_path: Path) -> None:
    """The owner is another process of this machine that lives: the parent of this one."""
    async with parts_at(tmp_path) as parts:
        id = await parts.service.take(request(), origin("e1"))
        host = parts.advancer.owner.rpartition(":")[0]
        await parts.stores.debates.claim(id, f"{host}:{os.getppid()}")
        async with running(parts) as runtime:
            await asyncio.sleep(0.2)
            assert runtime.tasks == {}
            await parts.stores.queue.enqueue(id, c.CastVote(ASKER, "yes"), "click-1")
            await rest(runtime)
            line = await parts.stores.debates.find(id)
            assert line.owner == f"{host}:{os.getppid()}", "the shell takes its commands, too"
        await parts.stores.debates.claim(id, f"{host}:99999999")
        async with running(parts):
            await until_status(parts, id, "finished")


async def test_a_page_that_checks_the_database_loses_nothing_of_it(tmp_path: Path) -> None:
    """The bot's own connections keep their locks, so that no other process takes their log away."""
    env = environment(DEBATE_DATABASE_URL=str(tmp_path / "debate.db"))
    async with served(tmp_path) as room:
        assert (await room.get("/doctor"))[0] == 200
        await asyncio.to_thread(process, tmp_path, "list", env=env)
        debate = await room.debate()
        listed = await asyncio.to_thread(process, tmp_path, "list", "--json", env=env)
    assert [one["id"] for one in listed.document] == [debate.id]
