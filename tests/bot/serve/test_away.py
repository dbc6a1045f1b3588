"""A database that goes away under everything and comes back: the bot says so in words and recovers
by itself. The database stands behind a real pgbouncer, which is ended and begun again.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from subprocess import PIPE

import aiohttp
import pytest

from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import until, until_status
from tests.bot.room.serving import QUESTION, served
from tests.bot.serve.test_serving import environment
from tests.end_to_end import nursery
from tests.origins import origin
from tests.patience import PATIENCE
from tests.standins.pooler import pooler
from tests.standins.programs import find, free_port

pytestmark = pytest.mark.skipif(
    not find("pgbouncer"), reason="no pgbouncer: `make test` says how to get it"
)
AWAY = "The database does not answer. Nothing is lost; load the page again in a moment."
TOKEN = "s3cret-s3cret"


async def test_the_room_says_so_in_words_and_is_back_with_it(
    postgres_url: str, tmp_path: Path
) -> None:
    async with (
        pooler(postgres_url, tmp_path, "session") as between,
        served(tmp_path, between.address) as room,
    ):
        before, _, _ = await room.get("/")
        await between.end()
        pages = [await room.get(path) for path in ("/", "/schedules", "/d/123")]
        status, body, _ = await room.get("/", Accept="application/json")
        await between.begin()

        async def back() -> bool:
            return (await room.get("/"))[0] == 200

        await until(back)
    assert before == 200
    assert [(code, AWAY in page) for code, page, _ in pages] == [(503, True)] * 3
    assert "Set-Cookie" not in pages[0][2], "whoever came in stays in"
    assert (status, json.loads(body)) == (503, {"ok": False, "text": AWAY})


async def test_a_shell_says_in_one_sentence_how_to_go_on(postgres_url: str, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    async with (
        open_parts(settings_for(postgres_url, tmp_path)) as parts,
        pooler(postgres_url, tmp_path, "session") as between,
    ):
        more = {"DEBATE_DATABASE_URL": between.address, "DEBATE_SCRIPTED_HOLD": str(hold)}
        env = environment(tmp_path, **more)
        shell = nursery.Popen(
            [sys.executable, "-m", "bot", "triad", QUESTION, "--json"],
            cwd=tmp_path, env=env, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip

        async def begun() -> bool:
            lines = await parts.stores.debates.find_recent()
            return any(line.status == "running" for line in lines)

        await until(begun)
        await between.end()
        hold.unlink()
        _, output = await asyncio.to_thread(shell.communicate)
    last = output.decode().splitlines()[-1]
    match = re.fullmatch(
        r"debate: The database does not answer\. Everything so far is stored\. When it is back, "
        r"continue with: debate resume (\w+)",
        last,
    )
    assert match, output.decode()
    assert shell.returncode == 3
    assert "sqlalche.me" not in output.decode()
    async with open_parts(settings_for(postgres_url, tmp_path)) as parts:
        assert (await parts.service.load(match[1])).status == "running"


async def test_a_bot_logs_lines_and_no_traces_while_it_is_away_and_goes_on(
    postgres_url: str, tmp_path: Path
) -> None:
    port = free_port()
    async with pooler(postgres_url, tmp_path, "session") as between:
        env = environment(
            tmp_path,
            DEBATE_DATABASE_URL=between.address,
            DEBATE_SCRIPTED_LATENCY="0.1",
            DEBATE_PORT=str(port),
            DEBATE_WATCH_TOKEN=TOKEN,
        )
        log = tmp_path / "log"
        with log.open("wb") as out:
            bot = nursery.Popen(
                [sys.executable, "-m", "bot", "serve"], cwd=tmp_path, env=env, stderr=out
            )
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with aiohttp.ClientSession(headers=headers) as web:
            try:
                await ready(web, port, 200)
                async with open_parts(settings_for(postgres_url, tmp_path), shell=False) as parts:
                    request = DebateRequest(
                        "triad", QUESTION, ASKER, PLACE, vote_window=0.0, rounds=1
                    )
                    id = await parts.service.take(request, origin("e1"))

                    async def begun() -> bool:
                        return (await parts.service.load(id)).count >= 6

                    await until(begun)
                    await between.end()
                    await ready(web, port, 503)
                    await between.begin()
                    await ready(web, port, 200)
                    ended = await until_status(parts, id, "finished")
            finally:
                bot.terminate()
                await asyncio.to_thread(bot.wait)
    assert ended.status == "finished"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line for line in lines if "exception" in line] == []


async def ready(web: aiohttp.ClientSession, port: int, status: int) -> None:
    """Waits until the bot says that it is ready, or is not."""
    for _ in range(int(PATIENCE / 0.05)):
        try:
            async with web.get(f"http://127.0.0.1:{port}/readyz") as answer:
                if answer.status == status:
                    return
        except aiohttp.ClientError:
            pass
        await asyncio.sleep(0.05)
    pytest.fail(f"/readyz never said {status}")
