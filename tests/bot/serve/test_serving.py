"""The whole bot: its HTTP server, its figures, its journal, and how it starts, stops and dies as a
process.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from prometheus_client.parser import text_string_to_metric_families

from adapters.ports.chat import Post
from adapters.redaction import clean
from bot.doctor import machine
from bot.posting.deliver import Poster
from bot.serve import journal
from bot.serve.http import HttpServer
from bot.serve.journal import open_journal
from bot.serve.metrics import BotMetrics, MeasuredModel
from bot.serve.process import Bot
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.desk import Caller
from core.application.presence import DeliveryError
from core.debate.errors import ModelError, StoreAway
from core.debate.events import DebateRequest
from core.debate.ports import CallOptions, Message
from storage.claims import LEASE
from storage.database.clock import utc_now
from tests.bot.asked import ask
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import FilePlatform, Hands, connect, until, until_posted, until_status
from tests.end_to_end import nursery
from tests.origins import origin
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.standins.chat import RecordingChat

TOKEN = "s3cret-s3cret"
QUESTION = "Should the queue of jobs live in PostgreSQL?"


@dataclass
class Running:
    bot: Bot
    parts: Parts
    platform: FilePlatform


@asynccontextmanager
async def bot_at(folder: Path, **env: str) -> AsyncIterator[Running]:
    settings = settings_for(str(folder / "debate.db"), folder, env=env, watch_token=TOKEN)
    platform = FilePlatform(RecordingChat(folder / "chat.jsonl"))
    unpaced = Timing(paces={})
    async with open_bot(settings, connect=connect(platform), timing=unpaced) as (parts, bot):
        try:
            await bot.start("127.0.0.1", 0)
            yield Running(bot, parts, platform)
        finally:
            await bot.stop()


async def seen_at(web: aiohttp.ClientSession, address: str, path: str) -> tuple[int, str]:
    async with web.get(f"{address}{path}", allow_redirects=False) as answer:
        return answer.status, await answer.text()


READY = '{"ready": true, "missing": {}}'


async def until_ready(web: aiohttp.ClientSession, address: str) -> None:
    """The look for unfinished debates goes on for a moment after the start."""

    async def ready() -> bool:
        return await seen_at(web, address, "/readyz") == (200, READY)

    await until(ready)


def not_ready(part: str, why: str) -> str:
    return json.dumps({"ready": False, "missing": {part: why}})


async def test_healthy_ready_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log names the steps of a debate and no word of its content."""
    caplog.set_level(logging.INFO, logger=journal.__name__)
    async with (
        bot_at(tmp_path) as running,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
    ):
        bot, parts, platform = running.bot, running.parts, running.platform
        request = DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0, rounds=1)
        id = await parts.service.take(request, origin("e1"))
        await until_status(parts, id, "finished")
        await until_posted(parts)
        posts = len(platform.chat.lines()) - 1  # one of them has two parts
        sent = ("debatebot_posts_total", ("platform", "slack"), ("result", "sent"))

        async def counted() -> bool:  # a moment after it is marked as sent
            page = (await seen_at(web, bot.address, "/metrics"))[1]
            return samples(page).get(sent) == posts

        assert await seen_at(web, bot.address, "/healthz") == (200, '{"alive": true}')
        await until_ready(web, bot.address)
        await until(counted)
        platform.missing = "Slack cannot be reached"
        unready = not_ready("slack", "Slack cannot be reached")
        assert await seen_at(web, bot.address, "/readyz") == (503, unready)
        platform.missing = ""
        bot._tasks[0].cancel()
        await asyncio.wait(bot._tasks[:1])
        unready = not_ready("bot", "the poster has stopped")
        assert await seen_at(web, bot.address, "/readyz") == (503, unready)
        figures = samples((await seen_at(web, bot.address, "/metrics"))[1])
        monkeypatch.setattr("bot.serve.process._QUIET", PATIENCE)
        assert not bot.quiet(), "a request has just come"
        bot.http_server.connections.latest -= 2 * PATIENCE
        assert bot.quiet()
        monkeypatch.setattr(bot.runtime, "playing", lambda: 1)
        assert not bot.quiet(), "a debate is played"
    entries = [vars(record) for record in caplog.records if record.name == journal.__name__]
    turning_points = [(entry["action"], entry["debate"]) for entry in entries]
    assert turning_points == [("opened", id), ("concluded", id)]
    assert "PostgreSQL" not in str(entries)
    assert figures["debatebot_debates", ("status", "finished")] == 1
    assert figures["debatebot_debates", ("status", "running")] == 0
    assert figures["debatebot_debates_here",] == 0
    assert figures["debatebot_turns_total", ("result", "finished"), ("template", "triad")] == 10
    assert figures["debatebot_model_calls_total", ("model", "scripted"), ("result", "ok")] == 10
    assert figures["debatebot_model_call_seconds_count", ("model", "scripted")] == 10
    assert figures["debatebot_model_tokens_total", ("kind", "prompt"), ("model", "scripted")] > 1000
    assert figures["debatebot_model_cost_usd_total", ("model", "scripted")] == 0
    assert figures["debatebot_posts_open",] == figures["debatebot_posts_uncertain",] == 0
    assert figures["debatebot_queue_age_seconds", ("queue", "posts")] == 0
    assert figures["debatebot_queue_age_seconds", ("queue", "webhooks")] == 0
    assert figures["debatebot_webhooks_open",] == 0
    assert figures["debatebot_schedule_lag_seconds",] == 0
    assert figures["debatebot_first_words_seconds_count", ("template", "triad")] == 1
    assert figures["debatebot_model_calls_in_flight", ("model", "scripted")] == 0
    assert figures["debatebot_model_retries_total", ("provider", "scripted")] == 0
    assert figures["debatebot_circuit_open", ("provider", "scripted")] == 0
    assert figures["process_resident_memory_bytes",] > 1_000_000


@dataclass
class SlowPlatform(FilePlatform):
    """A platform whose start waits for a signal."""

    began: asyncio.Event = field(default_factory=asyncio.Event)
    let: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self) -> None:
        self.began.set()
        await self.let.wait()


async def test_it_says_how_it_is_before_anything_else_is_there(tmp_path: Path) -> None:
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path, watch_token=TOKEN)
    platform = SlowPlatform(RecordingChat(tmp_path / "chat.jsonl"))
    async with (
        open_bot(settings, connect=connect(platform)) as (_parts, bot),
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
    ):
        start = asyncio.create_task(bot.start("127.0.0.1", 0))
        try:
            await asyncio.wait_for(platform.began.wait(), PATIENCE)
            seen = [await seen_at(web, bot.address, path) for path in ("/healthz", "/readyz", "/")]
            platform.let.set()
            await start
            await until_ready(web, bot.address)
            room = await seen_at(web, bot.address, "/")
        finally:
            await bot.stop()
    assert seen == [
        (200, '{"alive": true}'),
        (503, not_ready("bot", "is starting")),
        (503, "The bot is starting. Try again in a moment.\n"),
    ]
    assert room[0] != 503


@dataclass
class AskingPlatform(FilePlatform):
    """A platform to which people turn when it has just stopped."""

    ask: Callable[[], Awaitable[tuple[int, str]]] | None = None
    answers: list[tuple[int, str]] = field(default_factory=list)

    async def stop(self) -> None:
        if self.ask is not None:
            self.answers.append(await self.ask())


async def test_nothing_is_taken_in_once_the_platforms_stop(tmp_path: Path) -> None:
    """A platform's listeners would acknowledge it, and the process ends before they do it."""
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    platform = AskingPlatform(RecordingChat(tmp_path / "chat.jsonl"))
    async with (
        open_bot(settings, connect=connect(platform)) as (_parts, bot),
        aiohttp.ClientSession() as web,
    ):
        await bot.start("127.0.0.1", 0)
        platform.ask = partial(seen_at, web, bot.address, "/")
        await bot.stop()
    assert platform.answers == [(503, "The bot is stopping. Try again in a moment.\n")]


async def test_a_bot_whose_disk_is_full_is_not_ready_and_the_doctor_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = "The database can't be used now (its disk is full)."
    async with (
        bot_at(tmp_path) as running,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
    ):
        bot, settings = running.bot, running.parts.settings
        await until_ready(web, bot.address)
        room = shutil.disk_usage(tmp_path)._replace(free=4096)
        monkeypatch.setattr(shutil, "disk_usage", lambda _path: room)
        assert await seen_at(web, bot.address, "/readyz") == (503, not_ready("database", full))
        (finding,) = await machine.database(settings)
    assert finding.what == full
    assert finding.next == "Make room on its disk, or check where DEBATE_DATABASE_URL leads."


async def test_without_its_database_it_lives_and_is_not_ready(tmp_path: Path) -> None:
    async with (
        open_parts(settings_for(str(tmp_path / "debate.db"), tmp_path), shell=False) as parts,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
    ):
        figures = partial(exposition, BotMetrics(utc_now), parts)
        http_server = HttpServer(figures, parts.stores.debates.count_by_status, watch_token=TOKEN)
        address = await http_server.open("127.0.0.1", 0, dict)
        http_server.take_in()
        await parts.stores.database.close()
        unready = not_ready("database", "does not answer")
        assert await seen_at(web, address, "/readyz") == (503, unready)
        assert (await seen_at(web, address, "/healthz"))[0] == 200
        await http_server.close()


async def test_what_waits_and_what_failed_is_measured(tmp_path: Path) -> None:
    hands, metrics = Hands(), BotMetrics(utc_now)
    async with open_parts(
        settings_for(str(tmp_path / "debate.db"), tmp_path), shell=False, clock=hands
    ) as parts:
        await (await ask(parts, PLACE, "e1")).release()
        wanted = parse(
            f'schedule add "every weekday 09:00" panel "{QUESTION}"', templates=["panel"]
        )
        assert (await parts.desk.take(wanted, Caller(ASKER, PLACE, "e2"))).ok
        hands.time += timedelta(hours=1, seconds=90)
        await (await ask(parts, "slack:T1/C2", "e3")).release()
        first, _ = await parts.stores.outbox.claim("test")
        figures = samples((await exposition(metrics, parts)).decode())
        assert (
            figures["debatebot_debates", ("status", "queued")]
            == figures["debatebot_posts_open",]
            == 2
        )
        assert figures["debatebot_queue_age_seconds", ("queue", "debates")] == 3690
        assert figures["debatebot_queue_age_seconds", ("queue", "posts")] == 3690
        assert figures["debatebot_schedule_lag_seconds",] == 90
        await parts.stores.outbox.mark_uncertain(first, "the connection broke", None)
        chat = RecordingChat(tmp_path / "chat.jsonl", hook=refused)
        poster = Poster(
            parts.stores.outbox, {"slack": chat}, "test", count=metrics.count_delivery, paces={}
        )
        hands.time += LEASE
        await poster.deliver_all()
        metrics.watch_circuits(parts.models.shared.breakers)
        with pytest.raises(ModelError):
            await MeasuredModel(parts.models.get("scripted:fail"), metrics).reply(
                (Message("user", "?"),), CallOptions()
            )
        figures = samples((await exposition(metrics, parts)).decode())
        assert figures["debatebot_posts_uncertain",] == 1
        assert figures["debatebot_posts_total", ("platform", "slack"), ("result", "retried")] == 1
        failed = [
            key
            for key, value in figures.items()
            if key[0] == "debatebot_model_calls_total" and value
        ]
        assert [labels[0] for _, *labels in failed] == [("model", "scripted:fail")]
        assert figures["debatebot_circuit_open", ("provider", "scripted:fail")] == 1
        assert figures["debatebot_model_retries_total", ("provider", "scripted:fail")] > 0
        assert ("result", "ok") not in failed[0]


async def exposition(metrics: BotMetrics, parts: Parts) -> bytes:
    stores = parts.stores
    return await metrics.exposition(
        stores.debates, stores.outbox, stores.schedules, stores.spending
    )


def refused(_moment: str, _post: Post) -> None:
    raise DeliveryError("retry", "Slack failed (503).", after=5.0)


def samples(text: str) -> dict[tuple[Any, ...], float]:
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def opened_journal(*secrets: str) -> io.StringIO:
    """Opens the journal at the level info; ``logging_as_it_was`` closes it."""
    out = io.StringIO()
    open_journal("info", secrets, clean, out=out)
    return out


def lines_of(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def log_refusal(error: Exception, logger: str, text: str) -> None:
    """Logs that the job queue's connection broke off because of an error."""
    try:
        raise ConnectorException from error
    except ConnectorException:
        logging.getLogger(logger).exception(text, extra={"exception": repr(error)})


def test_the_journal_is_one_json_line_per_entry_without_secrets() -> None:
    out = opened_journal("xoxb-very-secret", 'a "key"\nof two lines', "x")
    logger = logging.getLogger("bot.test")
    logger.info(
        "a post is given up",
        extra={
            "action": "post_dead",
            "debate": "d1",
            "reason": "token xoxb-very-secret refused",
            "tried": [1, 'with a "key"\nof two lines'],
        },
    )
    logger.debug("not shown")
    logging.getLogger("LiteLLM").info("prompt: the whole diff")
    try:
        raise ValueError(
            "cannot read AKIAIOSFODNN7EXAMPLB aws_secret_access_key = "
            "'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'"
        )
    except ValueError:
        logger.exception("broken")
    lines = lines_of(out)
    assert [line["event"] for line in lines] == ["a post is given up", "broken"]
    first = {key: value for key, value in lines[0].items() if key != "timestamp"}
    assert first == {
        "event": "a post is given up",
        "level": "info",
        "logger": "bot.test",
        "action": "post_dead",
        "debate": "d1",
        "reason": "token [secret] refused",
        "tried": [1, "with [secret]"],
    }
    assert "ValueError" in lines[1]["exception"]
    assert "wJalrXUtnFEMI" not in out.getvalue()


def test_what_the_job_queue_s_database_refuses_is_one_line() -> None:
    text = "Task exception was never retrieved\nfuture: <Task finished name='process job'>"
    job, away = "Job was not found (job id: 5)", "the database does not answer"
    for error, because in (
        (psycopg.errors.AdminShutdown("terminating connection"), away),
        (psycopg.InterfaceError("the connection is closed"), away),
        (psycopg.errors.IdleInTransactionSessionTimeout("terminating connection"), away),
        (psycopg.errors.RaiseException(f"{job}\nCONTEXT: a function"), job),
    ):
        out = opened_journal()
        log_refusal(error, "asyncio", text)
        (line,) = lines_of(out)
        del line["timestamp"]
        assert line == {
            "event": "Task exception was never retrieved", "level": "warning",
            "logger": "asyncio", "because": because,
        }  # fmt: skip


def test_an_absent_database_is_logged_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    out, times = opened_journal(), [0.0]
    monkeypatch.setattr(journal, "monotonic", lambda: times[-1], raising=False)
    read_only = psycopg.errors.ReadOnlySqlTransaction("no DELETE")
    for at, error in (
        (0.0, read_only), (1.0, read_only), (2.0, StoreAway("It is away.")),
        (3.0, ValueError()), (4.0, ValueError()),
        (59.0, read_only), (61.0, read_only), (62.0, read_only),
    ):  # fmt: skip
        times.append(at)
        log_refusal(error, "bot.worker", "the worker broke off")
        logging.getLogger("psycopg.pool").warning("error connecting in 'pool-1'")
    reasons = [line.get("because", line["level"]) for line in lines_of(out)]
    assert reasons == ["no DELETE", "it is away", "error", "error", "no DELETE"]


# as a process


@contextmanager
def serve(folder: Path, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs ``debate serve`` in a folder of its own and yields the address it listens on."""
    with nursery.Popen(
        [sys.executable, "-m", "bot", "serve"],
        cwd=folder,
        env=environment(folder, **env),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            yield process, address_in(process.stderr)
        finally:
            process.kill()


def environment(folder: Path, **env: str) -> dict[str, str]:
    own = {
        "DEBATE_DATABASE_URL": "debate.db",
        "DEBATE_PORT": "0",
        "DEBATE_MODELS": "scripted",
        "DEBATE_SCRIPTED": "1",
        "DEBATE_SCRIPTED_LEDGER": str(folder / "ledger.jsonl"),
    }
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **own, **env}


def address_in(lines: Any) -> str:
    for line in lines:
        entry = json.loads(line)
        if entry.get("action") == "started":
            return str(entry["address"])
    raise AssertionError("the bot did not start")


def shell(folder: Path, *typed: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *typed]
    return nursery.run(command, cwd=folder, env=environment(folder), text=True, timeout=seconds)


@pytest.mark.faults
def test_a_bot_and_a_shell_beside_it(tmp_path: Path) -> None:
    """The shell hands its debate over and follows it; a second runner is refused; a kill loses
    nothing; a stop is quick.
    """
    with serve(tmp_path, DEBATE_SCRIPTED_LATENCY="0.05") as (bot, _address):
        second = shell(tmp_path, "serve")
        assert second.returncode == 2
        assert "Another debatebot" in second.stderr
        started = shell(tmp_path, "triad", QUESTION, "--json")
        assert started.returncode == 0, started.stderr
        document = json.loads(started.stdout)
        assert document["status"] == "finished"
        pids = {
            json.loads(line)["pid"] for line in (tmp_path / "ledger.jsonl").read_text().splitlines()
        }
        assert pids == {bot.pid}, "the bot made every call"
        bot.send_signal(signal.SIGTERM)
        assert bot.wait(PATIENCE) == 0


@pytest.mark.faults
def test_a_killed_bot_goes_on_where_it_was(tmp_path: Path) -> None:
    with serve(tmp_path, DEBATE_SCRIPTED_LATENCY="0.3") as (bot, _address):
        follower = subprocess.Popen(
            [sys.executable, "-m", "bot", "triad", QUESTION, "--json"],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with follower:
            ledger = tmp_path / "ledger.jsonl"
            while not ledger.exists() or len(ledger.read_text().splitlines()) < 4:
                assert follower.poll() is None
                time.sleep(0.05)
            bot.kill()
            with serve(tmp_path):
                out, _ = follower.communicate(timeout=PATIENCE)
                assert follower.returncode == 0
                assert json.loads(out)["status"] == "finished"


async def test_stopping_is_quick_while_debates_run(tmp_path: Path) -> None:
    with serve(tmp_path, DEBATE_SCRIPTED_LATENCY="600") as (bot, _address):
        async with open_parts(
            settings_for(str(tmp_path / "debate.db"), tmp_path), shell=False
        ) as parts:
            id = await parts.service.take(
                DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0), origin("e1")
            )

            async def begun() -> bool:
                return (await parts.service.load(id)).count >= 4

            await until(begun)
            bot.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(bot.wait, PATIENCE) == 0
            line = await parts.stores.debates.get(id)
            assert line is not None
            assert (line.status, line.owner) == ("running", ""), "let go of, to be gone on with"
