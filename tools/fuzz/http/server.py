"""The real bot in a separate process, with a probe in its loop.

It prints one line of JSON when it runs (its address, a link that signs in, its rows) and answers
each line of input with the probe's measurements since the line before.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO, TypeAlias

from aiohttp import web

from adapters.routes import Route
from bot.debates.origins import asked_by
from bot.room.invitations import make_link
from bot.room.tokens import make_token, service_of
from bot.serve.collecting import settle
from bot.serve.journal import open_journal
from bot.settings import read
from bot.shell.serve import TAKE_TURNS, warm
from bot.wire.bot import open_bot
from core.application.tokens import TokenTerms
from core.debate.events import DebateRequest
from storage.database.clock import utc_now
from storage.people.tokens import Tokens

SHELL = "shell:fuzz"
_ROOT = Path(__file__).parents[3]
_LOOK = 0.004
"""Seconds between two looks at what the loop runs."""
_BEAT = 0.002
"""Seconds between two looks at whether the loop gets its turn."""
_WORTH = 0.005
"""Seconds that a piece of work takes at least to be kept."""
_SHOWN = 8
_LOOK_UP = signal.SIGUSR1
_Stack: TypeAlias = tuple[tuple[CodeType, int], ...]
"""The innermost frame first, each with its line."""


class Probe:
    """The longest that one piece of work kept the loop's thread busy, in seconds of its processor
    time and of the clock, and the work itself: other processes make only the second time longer.

    During a piece of work a signal makes the loop's thread look at its own stack again and again,
    which names the functions that ran and the request that they ran for; to look into the frames of
    a running thread can end the process. The probe also reports the share of the piece that garbage
    collection took, and how long the longest full collection took in any thread.

    ``held`` is the longest that the loop was due and did not run while other threads of this
    process computed: one of them held the interpreter, as a pattern does over a long text.
    """

    def __init__(self) -> None:
        self.by_the_clock = (0.0, "")
        self.kept: dict[str, tuple[float, str]] = {}
        self._run = asyncio.Handle._run
        self._began = 0.0  # by the clock; 0.0 while the loop waits
        self._seen: Counter[_Stack] = Counter()
        self._address = ""
        self._collected, self._collecting, self._looking = 0.0, 0.0, 0.0
        self._full, self._full_since, self._held = 0.0, 0.0, 0.0
        self._thread = threading.get_ident()

    def install(self) -> None:
        probe, run = self, self._run

        def timed(handle: asyncio.Handle) -> None:
            clock, began, all_began = time.monotonic(), time.thread_time(), time.process_time()
            probe._address = _address(handle)
            probe._collected, probe._looking, probe._began = 0.0, 0.0, clock
            run(handle)
            probe._began = 0.0
            spent = time.thread_time() - began - probe._looking
            passed = time.monotonic() - clock
            if passed > probe.by_the_clock[0]:
                others = time.process_time() - all_began - spent
                probe.by_the_clock = (passed, probe._waited(spent, others))
            if spent > _WORTH:
                probe._keep(spent, passed, handle)
            probe._seen = Counter()

        asyncio.get_running_loop().call_later(_BEAT, self._beat, *self._now(_BEAT))
        gc.callbacks.append(self._collects)
        asyncio.Handle._run = timed  # type: ignore[method-assign, assignment]
        signal.signal(_LOOK_UP, self._looks)
        signal.siginterrupt(_LOOK_UP, False)
        threading.Thread(target=self._watch, daemon=True).start()

    def measured(self) -> dict[str, Any]:
        """Returns the measurements since the last call: the longest pieces of work first, each kind
        once.
        """
        pieces = sorted(self.kept.values(), reverse=True)[:_SHOWN]
        facts = {
            "pieces": pieces,
            "clock": self.by_the_clock,
            "spent": sum(os.times()[:4]),
            "memory": memory(),
            "peak": peak(),
            "collection": self._full,
            "held": self._held,
        }
        self.by_the_clock, self.kept, self._held = (0.0, ""), {}, 0.0
        return facts

    def _now(self, later: float = 0.0) -> tuple[float, float]:
        """Returns the time by the clock without that for which the loop has computed, and for how
        long other threads have.
        """
        own = time.thread_time()
        return time.monotonic() + later - own, time.process_time() - own

    def _beat(self, due: float, others: float) -> None:
        now, computed = self._now()
        self._held = max(self._held, min(now - due, computed - others))
        asyncio.get_running_loop().call_later(_BEAT, self._beat, *self._now(_BEAT))

    def _waited(self, spent: float, others: float) -> str:
        """Returns the part of a wait that is neither the loop's nor another thread's, and so the
        machine's.
        """
        seen = ", ".join(self._ran())
        return (
            f"{spent * 1000:.1f} ms of the loop's and {others * 1000:.1f} ms of other threads' "
            f"processor time; {self._address} ran {seen or 'nothing that was seen'}"
        )

    def _keep(self, spent: float, passed: float, handle: asyncio.Handle) -> None:
        """Keeps the longest piece of work of each kind."""
        seen = self._ran()
        ran = ", ".join(seen) or f"too short to be seen, {_told(handle)}"
        kind = f"{self._address.partition('?')[0]} {seen[0].partition(' (')[0] if seen else ''}"
        collected = f"{self._collected * 1000:.1f} ms of it collected garbage"
        what = f"{passed * 1000:.1f} ms by the clock, {collected}: {self._address} ran {ran}"
        self.kept[kind] = max(self.kept.get(kind, (0.0, "")), (spent, what))

    def _ran(self) -> list[str]:
        """Returns the most frequent entries, each with its count."""
        return [f"{_where(stack)} ({n}x)" for stack, n in self._seen.most_common(3)]

    def _collects(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._full_since = time.thread_time()
        elif info["generation"] == 2:
            self._full = max(self._full, time.thread_time() - self._full_since)
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._collecting = time.thread_time()
        else:
            self._collected += time.thread_time() - self._collecting

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK)
            began = self._began
            if not began or time.monotonic() - began < _LOOK:
                continue
            signal.pthread_kill(self._thread, _LOOK_UP)

    def _looks(self, _signal: int, frame: FrameType | None) -> None:
        """Notes the frames and no more: to put them into words would cost the most of it."""
        if self._began and frame is not None:
            began = time.thread_time()
            self._seen[tuple((f.f_code, line) for f, line in traceback.walk_stack(frame))] += 1
            self._looking += time.thread_time() - began


def _where(stack: _Stack) -> str:
    """Returns the innermost function, and the project's innermost six, with their lines."""
    places = [
        (code.co_filename, f"{Path(code.co_filename).name}:{line} {name}")
        for code, line in stack
        if (name := code.co_name) not in ("timed", "_run", "_collects", "_looks")
    ]
    ours = [where for file, where in places if "site-packages" not in file and str(_ROOT) in file]
    return " < ".join(dict.fromkeys([*(where for _, where in places[:1]), *ours[:6]]))


def _address(handle: asyncio.Handle) -> str:
    """Returns the address of the request under way, if there is one. It is looked up in the loop's
    own thread, while the request's frame waits: reading the variables of a running frame can end
    the process.
    """
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
    if getattr(coroutine, "__qualname__", "") != "RequestHandler._handle_request":
        return ""
    frame = getattr(coroutine, "cr_frame", None)
    request = frame.f_locals.get("request") if frame is not None else None
    return (
        f"{request.method} {request.path_qs[:80]}" if isinstance(request, web.BaseRequest) else ""
    )


def _told(handle: asyncio.Handle) -> str:
    """Names the running work: a task by its name, and the place at which it waits now."""
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    if not isinstance(task, asyncio.Task):
        return repr(handle)[:200]
    where = [f"{each.f_code.co_name}:{each.f_lineno}" for each in task.get_stack()]
    return f"{task.get_name()} {getattr(task.get_coro(), '__qualname__', '')} {where[-3:]}"


def memory() -> int:
    """Returns the bytes that this process holds."""
    return _status("VmRSS")


def peak() -> int:
    """Returns the most bytes that it has held."""
    return _status("VmHWM")


def _status(name: str) -> int:
    with Path("/proc/self/status").open(encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


async def main(folder: Path) -> None:
    open_journal("warning", (), lambda text: text, console=False)
    sys.setswitchinterval(TAKE_TURNS)
    settings = read(dict(os.environ), folder)
    out, probe = os.fdopen(os.dup(1), "w"), Probe()
    async with open_bot(settings) as (parts, bot):
        settle()
        await bot.start("127.0.0.1", 0)
        await warm(parts.models)
        try:
            request = DebateRequest("triad", "Shall we?", SHELL, SHELL, vote_window=600.0)
            debate = await parts.service.take(request, asked_by(SHELL, "fuzz"))
            terms = TokenTerms("fuzz", ("read", "start", "act"), 10_000.0, days=1)
            tokens, who = Tokens(parts.stores.database), service_of("fuzz", "")
            _, bearer = await make_token(tokens, who, terms, utc_now())
            question = DebateRequest("triad", "And shall programs?", who, who)
            theirs = await parts.service.take(question, asked_by(who, "fuzz"))
            link = await make_link(parts.stores.database, settings, bot.address, SHELL)
            other = await make_link(parts.stores.database, settings, bot.address, SHELL)
            rows = [_row(each) for each in bot.routes]
            document = {"address": bot.address, "link": link, "other": other, "debate": debate}
            say(out, document | {"routes": rows, "bearer": bearer, "theirs": theirs})
            probe.install()
            while await asyncio.to_thread(sys.stdin.readline):
                measured = probe.measured()
                debates = await parts.stores.debates.find_recent(limit=10_000)
                counts = Counter(line.status for line in debates)
                failed = [line.id for line in debates if line.status == "failed"]
                why = Counter([(await parts.service.load(id)).failure for id in failed])
                say(out, measured | {"debates": dict(sorted(counts.items())), "failures": why})
        finally:
            await bot.stop()


def _row(row: Route) -> dict[str, Any]:
    return {
        "method": row.method,
        "path": row.path,
        "takes": row.takes,
        "body": row.body,
        "query": [asdict(each) for each in row.query],
        "form": [asdict(each) for each in row.form],
    }


def say(out: TextIO, document: object) -> None:
    out.write(json.dumps(document, default=str) + "\n")
    out.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
