"""``python -m tools.bench.models``: the cost of the client of the models, over HTTP, against a
provider in a separate process that gives 600 pieces an answer.

Bars for times are ratios. CPU time is of this process or of the measured process, never of the
provider.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random

import sqlalchemy as sa

from adapters.models import Vendors, faults
from adapters.models.catalogue import prices
from adapters.models.hosted import Hosted
from adapters.models.protocols.litellm import LiteLLM, library
from adapters.templates.catalogue import find
from core.debate import events as e
from core.debate.formats import FORMATS, Plan
from core.debate.ports import CallOptions, Message, OnWords
from core.debate.script import Script
from storage.debates import Debates
from storage.tables import DEBATE
from tools.bench import stores as stored
from tools.bench.__main__ import line
from tools.bench.kills import killed
from tools.bench.served import MODEL, Served, a_diff, command, provider
from tools.bench.tables import Clock, change

CALLS = 24
TOGETHER = 4
"""Calls at a time: a round of one debate."""
TEMPLATE = "code_review"
MATERIAL = 4000


PROMPT = (
    Message("system", "Be brief."),
    Message("user", "x" * 20_000, cache=True),
    Message("user", "Your turn."),
)


async def cpu_a_call(model: Hosted, on_words: OnWords | None) -> float:
    """Returns the CPU seconds of this process for one call, a debate's round at a time."""
    asking = CallOptions(schema={"type": "object", "properties": {"text": {"type": "string"}}})
    await model.reply(PROMPT, asking, on_words)
    before = time.process_time()
    for _ in range(CALLS // TOGETHER):
        await asyncio.gather(*(model.reply(PROMPT, asking, on_words) for _ in range(TOGETHER)))
    return (time.process_time() - before) / CALLS


async def calls() -> None:
    facts = prices.facts(MODEL)
    if facts is None:
        raise RuntimeError("the table does not know the model")
    for flags, manner in (((), "as asked for"), (("stream",), "always streamed")):
        with provider(1.0, *flags) as served:
            vendors = Vendors(served.env)
            ours = vendors._make(MODEL)
            clean = faults.cleaner((), str)
            theirs = Hosted(
                MODEL, facts, LiteLLM(MODEL, facts, served.env, clean=clean), clean=clean
            )
            if not isinstance(ours, Hosted):
                raise TypeError("no hosted model")
            for watched, on_words in (("nobody watches", None), ("watched", _shown)):
                cost = await cpu_a_call(ours, on_words)
                line(
                    f"CPU a call, our client, 600 pieces {manner}, {watched}",
                    f"{cost * 1000:.1f} ms",
                    "bar 15 ms",
                )
            if not flags:
                await asyncio.to_thread(library)
                cost = await cpu_a_call(theirs, None)
                line("CPU a call, litellm, nobody watches", f"{cost * 1000:.1f} ms", "bar 20 ms")
                cost = await cpu_a_call(theirs, _shown)
                line("CPU a call, litellm, watched", f"{cost * 1000:.1f} ms")
            await vendors.aclose()


def _shown(_words: str) -> None:
    """Takes words as somebody who watches does."""


def shell(folder: Path) -> None:
    """Plays one debate by one command and returns the seconds from the command to its first prompt,
    and the CPU of it all.
    """
    diff = folder / "change.diff"
    diff.write_text(a_diff(MATERIAL))
    first, spent, calls = [], [], 0
    with provider(0.2) as served:
        for _ in range(5):
            (folder / "debate.db").unlink(missing_ok=True)
            argv, env = command(served, folder, TEMPLATE, str(diff), "--yes", "--debate-anyway")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            at = time.monotonic()
            subprocess.run(argv, env=env, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            made = served.calls()
            calls = len(made)
            first.append(made[0]["came"] - at)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        argv, env = command(served, folder, "templates")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, env=env, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        idle = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    line(
        "command to first prompt, an OpenAI-compatible provider",
        f"{statistics.median(first):.2f} s",
        "bar 1.0 s",
    )
    whole = statistics.median(spent)
    line(
        f"CPU of a whole debate of {calls} calls by one command, interpreter and imports included",
        f"{whole:.2f} s",
        f"{idle:.2f} s of it for a command that asks nobody",
    )


def opened(id: str, model: str = MODEL) -> tuple[e.DebateRequested, e.DebateOpened]:
    """Returns the first events of a code review with one model in every seat."""
    template = find(TEMPLATE)
    script = FORMATS[template.format].compile(template, Plan(mode=template.consensus), Random(1))
    terms = e.Terms(
        consensus=template.consensus.value,
        threshold=template.consensus_threshold,
        quorum=1,
        converge=False,
    )
    material, now = change(MATERIAL), Clock().now()
    request = e.DebateRequest(TEMPLATE, material.title, "bench", "shell:bench")
    cast = {seat.id: (model,) for seat in script.seats}
    return e.DebateRequested(id, request, now), e.DebateOpened(
        template, script, cast, material, terms, now, 1
    )


def critical_path(script: Script) -> int:
    """Counts the calls that can't be made at the same time."""
    depth: dict[str, int] = {}
    for turn in script.turns:
        depth[turn.id] = 1 + max((depth[id] for id in turn.reads), default=0)
    return max(depth.values())


async def one_debate() -> None:
    """Returns the CPU of one debate over HTTP in a process that runs already."""
    with tempfile.TemporaryDirectory() as folder, provider(0.2) as served:
        async with running(served, str(Path(folder) / "one.db")) as bot:
            await bot.hold(["warm"])
            served.calls()
            before = bot.cpu()
            await bot.hold(["one"])
            spent, count = bot.cpu() - before, len(served.calls())
        line(
            f"CPU of a debate of {count} calls over HTTP, in a bot", f"{spent:.2f} s", "bar 0.35 s"
        )


@dataclass
class Running:
    """``debate serve`` in a separate process."""

    pid: int
    url: str

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self) -> float:
        """Returns the most MB that it held."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    async def hold(self, ids: list[str]) -> float:
        """Returns the seconds until all these debates, requested at once, are over."""
        async with stored.opened(self.url) as store:
            debates = Debates(store)
            pairs = [opened(id) for id in ids]
            at = time.perf_counter()
            await asyncio.gather(
                *(debates.create(first, first.id, past=(begun,)) for first, begun in pairs)
            )
            over = sa.select(sa.func.count()).where(
                DEBATE.c.id.in_(ids), DEBATE.c.status.in_(("finished", "stopped", "failed"))
            )
            # a question that costs next to nothing: whoever watches shares the bot's processors
            while await store.read(lambda conn: conn.execute(over).scalar()) != len(ids):  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.02)
            return time.perf_counter() - at


@asynccontextmanager
async def running(served: Served, url: str) -> AsyncIterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        argv, env = command(served, Path(folder), "serve")
        env |= {"DEBATE_DATABASE_URL": url, "DEBATE_PORT": "0", "DEBATE_LOG_LEVEL": "warning"}
        process = await asyncio.create_subprocess_exec(
            *argv, env=env, stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
        )
        try:
            await asyncio.sleep(3)
            yield Running(process.pid, url)
        finally:
            process.terminate()
            await process.wait()


async def crowds() -> None:
    """Holds a hundred debates at once in ``debate serve`` and returns the seconds until all are
    over, and those from the first prompt to the last answer.
    """
    ideal = critical_path(opened("x")[1].script)
    with tempfile.TemporaryDirectory() as folder, provider(1.0) as served:
        stores: tuple[tuple[str, str, AbstractContextManager[str]], ...] = (
            ("SQLite", "bar 1.2 x, 150 MB", nullcontext(str(Path(folder) / "crowd.db"))),
            ("PostgreSQL", "bar 1.3 x", stored.postgres()),
        )
        for name, bar, store in stores:
            with store as url:
                async with running(served, url) as bot:
                    idle, before = bot.peak(), bot.cpu()
                    served.calls()
                    wall = await bot.hold([f"d{n}" for n in range(100)])
                    calls = served.calls()
                    answering = max(c["left"] for c in calls) - min(c["came"] for c in calls)
                    line(
                        f"{len(calls)} calls, 100 debates at once on {name}, 1 s an answer",
                        f"{wall:.2f} s ({wall / ideal:.2f} x), {bot.peak():.0f} MB",
                        f"{bar}; {answering / ideal:.2f} x from the first prompt to the last "
                        f"answer, {bot.cpu() - before:.1f} s of CPU, idle {idle:.0f} MB",
                    )


def kills(points: int = 20) -> None:
    """Counts whole answers that are paid again after kill -9."""
    for flags, manner in (((), "as asked for"), (("stream",), "always streamed")):
        results = killed(points, *flags)
        line(
            f"kill -9 at {points} points, answers {manner}: paid again though whole 50 ms before",
            str(sum(k.paid_again for k in results)),
            f"bar 0; {sum(k.twice for k in results)} of {sum(k.calls for k in results)} "
            "were in flight",
        )


async def main() -> None:
    await calls()
    with tempfile.TemporaryDirectory() as folder:
        shell(Path(folder))
    await one_debate()
    await crowds()
    await asyncio.to_thread(kills)


if __name__ == "__main__":
    asyncio.run(main())
