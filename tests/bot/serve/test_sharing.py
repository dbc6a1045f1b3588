"""Processes that share the work: some receive and post, others play; one that stops lets every seat
finish and hands its debates over.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import aiohttp
import psycopg
import pytest

from bot.doctor import machine
from bot.serve.process import Bot
from bot.settings import read
from bot.settings.choices import ProcessRole
from bot.shell.db import db
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts, open_parts
from core.application.check import DoctorState
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from storage.database import database_url
from storage.database.running import RunningBots
from storage.schema import upgrade
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import FilePlatform, connect, until, until_posted, until_status
from tests.origins import origin
from tests.patience import PATIENCE
from tests.pg import Postgres
from tests.project import ROOT
from tests.standins.chat import RecordingChat
from tests.standins.programs import free_port

QUESTION = "Should the queue of jobs live in PostgreSQL?"
SLOW = {"DEBATE_SCRIPTED_LATENCY": "0.3"}
REQUEST = DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0, rounds=1)


@asynccontextmanager
async def running(
    url: str, folder: Path, part: ProcessRole, watch_token: str = "", **env: str
) -> AsyncIterator[tuple[Parts, Bot]]:
    settings = settings_for(url, folder, env=env, part=part, watch_token=watch_token)
    platform = FilePlatform(RecordingChat(folder / "chat.jsonl"))
    timing = Timing(paces={}, idle=0.1)
    async with open_bot(settings, connect=connect(platform), timing=timing) as (parts, bot):
        try:
            await bot.start("127.0.0.1", 0)
            yield parts, bot
        finally:
            await bot.stop()


async def ask(
    parts: Parts, number: int, event: str = "event", request: DebateRequest = REQUEST
) -> list[str]:
    return [await parts.service.take(request, origin(f"{event}-{n}")) for n in range(number)]


async def reached(parts: Parts, ids: list[str], status: str) -> None:
    for id in ids:
        await until_status(parts, id, status)


async def in_mid_sentence(parts: Parts, ids: list[str]) -> None:
    """Waits until seats speak in each debate and have said something."""

    async def speaking() -> bool:
        now = [await parts.service.load(id) for id in ids]
        return all(debate.running and debate.finished for debate in now)

    await until(speaking)


async def count_statements(parts: Parts, ids: list[str]) -> int:
    """Counts the turns."""
    return sum([len((await parts.service.load(id)).finished) for id in ids])


def asked_for(folder: Path) -> int:
    """Counts the calls of a model."""
    return len((folder / "ledger.jsonl").read_text("utf-8").splitlines())


async def test_one_part_takes_in_and_posts_and_another_plays(
    postgres_url: str, tmp_path: Path
) -> None:
    async with running(postgres_url, tmp_path, ProcessRole.CHAT) as (chat, front):
        (id,) = await ask(chat, 1)
        await front.runtime.search()  # type: ignore[attr-defined]  # of replicas
        assert (await chat.service.load(id)).status == "queued", "it plays nothing"
        async with running(postgres_url, tmp_path, ProcessRole.WORKER) as (_, worker):
            await reached(chat, [id], "finished")
            async with aiohttp.ClientSession() as web:
                seen = {}
                for path in ("/healthz", "/", "/github/events", f"/d/{id}"):
                    async with web.get(worker.address + path) as answer:
                        seen[path] = answer.status
            assert seen == {"/healthz": 200, "/": 404, "/github/events": 404, f"/d/{id}": 404}
            assert {task.get_name() for task in worker._tasks} == {"loop watch"}
            (address,) = (await RunningBots(chat.stores.database, "").load()).values()
            assert address == "", "nobody is led to a worker"
        await until_posted(chat)
    assert RecordingChat(tmp_path / "chat.jsonl").keys().count(f"{id}:verdict/0") == 1


async def test_a_debate_that_a_shell_starts_next_to_a_replica_is_played_once(
    postgres_url: str, tmp_path: Path
) -> None:
    """Both would begin it, and pay for the first turns twice."""
    settings = settings_for(postgres_url, tmp_path)
    async with running(postgres_url, tmp_path, ProcessRole.ALL), open_parts(settings) as shell:
        await until(shell.service.bot_plays)
        debate = await shell.player.play(
            await shell.service.open(await shell.service.prepare(REQUEST))
        )
        line = await shell.stores.debates.find(debate.id)
    assert (debate.over, line.epoch) == (True, 1), "one process has claimed it, once"
    async with open_parts(settings) as shell:
        assert not await shell.service.bot_plays(), "a replica that stopped plays nothing"
        debate = await shell.player.play(
            await shell.service.open(await shell.service.prepare(REQUEST))
        )
    assert debate.over, "the shell plays it itself"


async def test_a_bot_whose_database_takes_no_writes_is_not_ready(
    postgres_url: str, postgres_server: Postgres, tmp_path: Path
) -> None:
    """After a failover it may be connected to a standby, which answers."""
    name = database_url(postgres_url).database
    headers = {"Authorization": "Bearer seen"}

    def set_read_only(value: str) -> None:
        postgres_server.run(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
        postgres_server.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608
        )

    async with (
        running(postgres_url, tmp_path, ProcessRole.ALL, "seen") as (parts, bot),
        aiohttp.ClientSession(headers=headers) as web,
    ):

        async def ready(state: str) -> bool:
            async with web.get(f"{bot.address}/readyz") as answer:
                missing: dict[str, str] = (await answer.json())["missing"]
                return missing.get("database", "") == state

        try:
            await until(partial(ready, ""))
            set_read_only("on")
            await until(partial(ready, "The database can't be used now (it takes no writes)."))
            (finding,) = await machine.database(parts.settings)
            assert (finding.state, finding.what.count("no writes")) == (DoctorState.BROKEN, 1)
        finally:
            set_read_only("off")
        await until(partial(ready, ""))


async def test_where_nobody_migrates_the_queue_is_made_by_the_upgrade_alone(
    postgres_server: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    postgres_server.run("CREATE DATABASE unmade")
    given = {"migrates": False, "part": ProcessRole.CHAT}
    settings = settings_for(postgres_server.url("unmade"), tmp_path, **given)
    await asyncio.to_thread(upgrade, database_url(settings.database_url))
    platform = FilePlatform(RecordingChat(tmp_path / "chat.jsonl"))
    async with open_bot(settings, connect=connect(platform)) as (_, bot):
        with pytest.raises(BadInput, match="run `debate db upgrade` once"):
            await bot.start("127.0.0.1", 0)
    for done in ("brought up to date", "up to date already"):
        await asyncio.to_thread(db, ["upgrade"], settings)
        assert capsys.readouterr().out.endswith(f": {done}\n")
    async with open_bot(settings, connect=connect(platform)) as (_, bot):
        await bot.start("127.0.0.1", 0)
        await bot.stop()


def test_doctor_tells_what_runs_here(tmp_path: Path) -> None:
    shares = "DEBATE_PART=chat shares the work with other processes, which needs PostgreSQL"
    plays = "worker: plays debates; a process with DEBATE_PART=chat takes in and posts"
    for url, part, expected in (
        ("debate.db", ProcessRole.ALL, []),
        ("debate.db", ProcessRole.CHAT, [("broken", shares)]),
        ("postgresql+psycopg://u@h/n", ProcessRole.WORKER, [("ok", plays)]),
    ):
        findings = machine.part(settings_for(url, tmp_path, part=part))
        assert [(one.state.value, one.what) for one in findings] == expected


async def test_a_file_can_not_be_shared(tmp_path: Path) -> None:
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path, part=ProcessRole.WORKER)
    with pytest.raises(BadInput, match="needs PostgreSQL"):
        async with open_bot(settings):
            pass


@contextmanager
def worker_process(
    url: str, folder: Path, watch: int, **more: str
) -> Iterator[subprocess.Popen[str]]:
    """Runs ``debate serve`` that plays, and drains when it is told to stop."""
    given = {
        **settings_for(url, folder, env=SLOW).env,
        **more,
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "DEBATE_MODELS": "scripted",
        "DEBATE_DATABASE_URL": url,
        "DEBATE_PART": "worker",
        "DEBATE_DRAIN": "60s",
        "DEBATE_PORT": "0",
        "DEBATE_WATCH_PORT": str(watch),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "bot", "serve"]
    with subprocess.Popen(
        command, cwd=folder, env=given, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.faults
async def test_a_worker_that_is_told_to_stop_lets_everybody_finish_and_hands_over(
    postgres_url: str, tmp_path: Path
) -> None:
    watch = free_port()
    async with open_parts(settings_for(postgres_url, tmp_path), shell=False) as parts:
        with worker_process(postgres_url, tmp_path, watch) as process:
            ids = await ask(parts, 2, request=replace(REQUEST, rounds=None))
            await in_mid_sentence(parts, ids)
            process.send_signal(signal.SIGTERM)
            assert "is stopping" in await not_ready(watch)
            assert await asyncio.to_thread(process.wait, PATIENCE) == 0
            assert process.stderr is not None
            logged = [json.loads(line) for line in process.stderr]
        actions = [line.get("action") for line in logged]
        assert [each for each in actions if each in ("draining", "stopping", "stopping_cut")] == [
            "draining",
            "stopping",
        ]
        for id in ids:
            left = await parts.service.load(id)
            assert (left.status, left.running) == ("running", ()), "between two turns"
        address = postgres_url.replace("postgresql+psycopg", "postgresql")
        with psycopg.connect(address) as conn:
            waiting = conn.execute("SELECT lock FROM procrastinate_jobs WHERE status = 'todo'")
            assert {lock for (lock,) in waiting} == set(ids), "whoever has room goes on at once"
        async with running(postgres_url, tmp_path, ProcessRole.WORKER):
            await reached(parts, ids, "finished")
        assert asked_for(tmp_path) == await count_statements(parts, ids), (
            "nothing was asked for twice"
        )


@pytest.mark.faults
@pytest.mark.timeout(600)
async def test_workers_exchanged_one_after_another_cost_no_call_and_lose_nothing(
    postgres_url: str, tmp_path: Path
) -> None:
    """A new one comes, the old one is told to stop; four times over, while thirty debates run."""
    async with running(postgres_url, tmp_path, ProcessRole.CHAT) as (parts, _):
        with ExitStack() as stack:
            old = stack.enter_context(worker_process(postgres_url, tmp_path, free_port()))
            ids = await ask(parts, 30, request=replace(REQUEST, rounds=None))
            for _ in range(4):
                watch = free_port()
                new = stack.enter_context(worker_process(postgres_url, tmp_path, watch))
                await until(partial(is_ready, watch))
                old.send_signal(signal.SIGTERM)
                _, logged = await asyncio.to_thread(old.communicate, timeout=PATIENCE)
                assert old.returncode == 0
                assert "stopping_cut" not in logged
                old = new
            await reached(parts, ids, "finished")
            old.terminate()
            await asyncio.to_thread(old.communicate, timeout=PATIENCE)
        await until_posted(parts)
        debates = [await parts.service.load(id) for id in ids]
        assert [debate.id for debate in debates if debate.failed] == []
        assert asked_for(tmp_path) == await count_statements(parts, ids)
    posts = Counter(RecordingChat(tmp_path / "chat.jsonl").keys())
    assert [key for key, n in posts.items() if n > 1] == []
    assert sum(key.endswith(":verdict/0") for key in posts) == len(ids)


async def is_ready(watch: int) -> bool:
    async with aiohttp.ClientSession() as web:
        try:
            async with web.get(f"http://127.0.0.1:{watch}/readyz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False


async def not_ready(watch: int) -> str:
    """Returns the reason as soon as readiness says no."""
    text = ""
    async with aiohttp.ClientSession() as web:

        async def says_no() -> bool:
            nonlocal text
            async with web.get(f"http://127.0.0.1:{watch}/readyz") as answer:
                text = await answer.text()
                return answer.status == 503

        await until(says_no)
    return text


async def test_a_bot_on_a_file_drains_too(tmp_path: Path) -> None:
    url = str(tmp_path / "debate.db")
    async with running(url, tmp_path, ProcessRole.ALL, **SLOW) as (parts, bot):
        (id,) = await ask(parts, 1)
        await in_mid_sentence(parts, [id])
        assert bot.runtime.playing() == 1
        await bot.drain(PATIENCE)
        assert bot.runtime.playing() == 0
        assert bot._missing()["bot"] == "is stopping"
        (late,) = await ask(parts, 1, "late")
        left = await parts.service.load(id)
        assert (left.status, left.running) == ("running", ())
        assert (await parts.service.load(late)).status == "queued", "taken, and left for the next"
    async with running(url, tmp_path, ProcessRole.ALL) as (parts, _):
        await reached(parts, [id, late], "finished")
        assert asked_for(tmp_path) == await count_statements(parts, [id, late])


def test_nothing_is_waited_for_that_is_not_said(tmp_path: Path) -> None:
    assert read({"DEBATE_DRAIN": "90s"}, tmp_path).drain == 90
    assert read({}, tmp_path).drain == 0
