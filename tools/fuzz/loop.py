"""``python -m tools.fuzz.loop``: prints for each hostile text how long the event loop was kept busy
without a pause while a bot took it in, opened a debate on it, debated and posted it.

A model that reads nothing plays the seats, since a real model would read on another machine. Only
the processor time of the loop's own thread between two beats of a clock counts, so that other
processes on this machine do not change the result.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.wire.parts import Parts, open_parts
from core.debate.events import DebateRequest
from tests.bot.crashing import settings_for
from tests.end_to_end.played import answering, approving
from tests.origins import origin
from tests.standins.chat import RecordingChat

LIMIT = 0.05
"""Seconds between two beats of the clock."""
_BEAT = 0.001
_BIG = 1_000_000


def hostile() -> Mapping[str, tuple[str, str]]:
    """Returns template and text, by name."""
    hunks = "".join(f"@@ -{n * 9},0 +{n * 10 + 1},1 @@\n+line {n}\n" for n in range(10_000))
    head = "diff --git a/big.py b/big.py\n--- a/big.py\n+++ b/big.py\n"
    return {
        "a plain question": ("panel", "Shall we?"),
        "nested links": ("design_doc", "[a](" * (_BIG // 4)),
        "assignments of passwords": ("design_doc", 'password="' * (_BIG // 10)),
        "numbers of characters": ("design_doc", "&#" + "9" * 5_000 + ";" * (_BIG // 2)),
        "open comments": ("design_doc", "<!--" * (_BIG // 4)),
        "quotation marks": ("design_doc", ">" * _BIG),
        "emphasis": ("design_doc", "*a_" * (_BIG // 3)),
        "one line of 2.5 MB": ("code_review", f"{head}@@ -0,0 +1,1 @@\n+{'x' * 2_500_000}\n"),
        "10,000 hunks": ("code_review", head + hunks),
    }


async def busiest(work: Awaitable[str]) -> tuple[float, str]:
    """Returns the longest time between two beats for which the loop's thread was busy, in seconds,
    and the result of the work.
    """
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        last = time.thread_time()
        while True:
            await asyncio.sleep(_BEAT)
            now = time.thread_time()
            longest, last = max(longest, now - last), now

    beside = asyncio.create_task(beat())
    try:
        came = await work
    finally:
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)
    return longest, came


async def taken(parts: Parts, name: str, template: str, text: str) -> str:
    """Takes a debate in from a chat, plays it to its end and returns its status."""
    request = DebateRequest(template, "the attached text", "slack:T1/U1", "slack:T1/C1", text=text)
    id = await parts.service.take(request, origin(name))
    return (await parts.advancer.advance(id)).status


async def main() -> int:
    with TemporaryDirectory() as name:
        folder = Path(name)
        chat = RecordingChat(folder / "said.jsonl")
        settings = settings_for(f"sqlite:///{folder}/debate.db", folder)
        async with open_parts(
            settings, shell=False, chats={"slack": chat}, make_models=answering(approving)
        ) as parts:
            await taken(parts, "once", "code_review", hostile()["10,000 hunks"][1][:500])
            worst = 0.0
            for what, (template, text) in hostile().items():
                longest, ended = await busiest(taken(parts, what, template, text))
                worst = max(worst, longest)
                size = f"{len(text):>9,} characters"
                print(f"{what:<26} {size}  {ended:<8} busy {longest * 1000:6.1f} ms")
    print(f"longest {worst * 1000:.1f} ms, at most {LIMIT * 1000:.0f} ms wanted")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
