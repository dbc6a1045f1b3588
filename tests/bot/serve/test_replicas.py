"""Several replicas on one PostgreSQL, frozen and killed: the survivors finish every debate, and
nothing happens twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.serve.runtime.procrastinate import ReplicaRuntime
from bot.wire import House
from core import commands as c
from core.events import DebateRequest
from storage.commands import SLOW_LOOK
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.serve.replica import QUICK
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.standins.chat import RecordingChat


@contextmanager
def replica(url: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A running bot; killed at the end if it still lives."""
    command = [sys.executable, "-m", "tests.bot.serve.replica", url, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("ready")
            yield process
        finally:
            process.kill()


async def asked(house: House, number: int) -> list[str]:
    """That many debates, each stored under its own event."""
    question = "Should the queue of jobs live in PostgreSQL?"
    return [
        await house.request(
            DebateRequest("triad", question, ASKER, PLACE, vote_window=0.0), f"event-{n}"
        )
        for n in range(number)
    ]


async def until(house: House, done: int, seconds: float) -> None:
    """Waits until that many debates are over and their posts have left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        counts = await house.debates.count_by_status()
        if counts.get("finished", 0) >= done and not (await house.outbox.count_backlog()).open:
            return
        await asyncio.sleep(0.1)
    counts, backlog = await house.debates.count_by_status(), await house.outbox.count_backlog()
    pytest.fail(f"after {seconds:g} s: {counts}, {backlog}")


async def owner(house: House, process: subprocess.Popen[str], number: int = 1) -> None:
    """Waits until the process writes to at least that many debates."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        lines = await house.debates.find_recent(statuses=["running"])
        if (
            sum(line.owner.endswith(f":{process.pid}") and line.events > 8 for line in lines)
            >= number
        ):
            return
        await asyncio.sleep(0.05)
    pytest.fail("the replica took no debate")


async def everything_once(house: House, folder: Path, ids: list[str]) -> None:
    posts = Counter(RecordingChat(folder / "chat.jsonl").keys())
    assert [key for key, n in posts.items() if n > 1] == []
    for id in ids:
        debate = await house.load(id)
        assert debate.status == "finished"
        assert not debate.failed
        assert posts[f"{id}:verdict/0"] == 1
        assert posts[f"{id}:root/0"] == 1


async def frozen_then_survivor_killed(url: str, folder: Path, debates: int, seconds: float) -> None:
    """The hardest story: one freezes, the other takes over, the first wakes and is fenced, then the
    second dies.
    """
    async with House.at(settings_for(url, folder), shell=False) as house:
        with replica(url, folder) as first:
            ids = await asked(house, debates)
            await owner(house, first)
            first.send_signal(signal.SIGSTOP)
            with replica(url, folder) as second:
                await owner(house, second)
                first.send_signal(signal.SIGCONT)
                await asyncio.sleep(0.2)
                second.kill()
                second.wait()
                await until(house, debates, seconds)
        await everything_once(house, folder, ids)


async def test_a_command_from_another_process_arrives_within_a_second_and_resting_costs_nothing(
    postgres_url: str, tmp_path: Path
) -> None:
    slow = settings_for(postgres_url, tmp_path, env={"DEBATE_SCRIPTED_LATENCY": "600"})
    quick = settings_for(postgres_url, tmp_path)
    async with House.at(slow, shell=False) as one, House.at(quick, shell=False) as two:
        runtime = ReplicaRuntime(one, QUICK)
        await runtime.start()
        (id,) = await asked(two, 1)
        await status(two, id, "running")
        before = time.monotonic()
        await two.enqueue(id, c.Pause(ASKER), "click-1")
        await status(two, id, "paused")
        assert time.monotonic() - before < SLOW_LOOK, "it was told of, not found by the slow look"
        for _ in range(100):
            if not runtime.running:
                break
            await asyncio.sleep(0.02)
        assert not runtime.running, "a paused debate holds no job"
        await runtime.stop()

        runtime = ReplicaRuntime(two, QUICK)
        await runtime.start()
        await one.enqueue(id, c.Resume(ASKER), "click-2")
        await status(one, id, "finished")
        await runtime.stop()


async def status(house: House, id: str, wanted: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if (await house.load(id)).status == wanted:
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"{id} is {(await house.load(id)).status}, not {wanted}")


async def test_frozen_woken_and_then_its_survivor_killed(postgres_url: str, tmp_path: Path) -> None:
    await frozen_then_survivor_killed(postgres_url, tmp_path, 2, PATIENCE)


async def test_a_stopped_replica_hands_its_debates_over_at_once(
    postgres_url: str, tmp_path: Path
) -> None:
    async with House.at(settings_for(postgres_url, tmp_path), shell=False) as house:
        with replica(postgres_url, tmp_path) as first, replica(postgres_url, tmp_path) as second:
            ids = await asked(house, 2)
            await asyncio.sleep(0.5)
            first.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(first.wait, PATIENCE) == 0
            await until(house, 2, PATIENCE)
            await everything_once(house, tmp_path, ids)
            assert second.poll() is None


@pytest.mark.faults
@pytest.mark.timeout(600)
async def test_many_debates_frozen_woken_and_killed(postgres_url: str, tmp_path: Path) -> None:
    for run in range(5):
        folder = tmp_path / str(run)
        folder.mkdir()
        await frozen_then_survivor_killed(postgres_url, folder, 6, 90)
        async with House.at(settings_for(postgres_url, folder)) as house:
            for line in await house.list():
                assert line.status == "finished"
        clear(postgres_url)


@pytest.mark.faults
@pytest.mark.timeout(600)
async def test_replicas_die_one_after_another(postgres_url: str, tmp_path: Path) -> None:
    """Ten deaths while a dozen debates run on two replicas; a new one always comes."""
    async with House.at(settings_for(postgres_url, tmp_path), shell=False) as house:
        ids = await asked(house, 12)
        for _ in range(10):
            with replica(postgres_url, tmp_path) as one:
                await asyncio.sleep(0.9)
                os.kill(one.pid, signal.SIGKILL)
        with replica(postgres_url, tmp_path):
            await until(house, len(ids), 120)
        await everything_once(house, tmp_path, ids)


def clear(url: str) -> None:
    import psycopg

    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as conn:
        conn.execute("DELETE FROM debate")
        conn.execute("DELETE FROM procrastinate_jobs")
