"""One replica of the bot in a process of its own, for tests that freeze and kill it: ``python -m
tests.bot.serve.replica URL FOLDER [DIRECT_URL]``.

Everything is the product's; only the chat is a file and the rhythm is quick, so that a dead replica
is missed within two seconds.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import timedelta
from pathlib import Path

from bot.serve.runtime.procrastinate import Rhythm
from bot.wire.bot import Timing, open_bot
from tests.bot.crashing import settings_for
from tests.bot.parts import FilePlatform, connect
from tests.standins.chat import RecordingChat

QUICK = Rhythm(sweep=0.5, search=0.5, look=0.25, heartbeat=0.4, stalled=1.5, stale=1.5)
OWN = "--own-rhythm"
"""The product's own intervals, for tests that measure them."""


async def run(url: str, folder: Path, direct: str = "") -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    settings = settings_for(
        url, folder, env={"DEBATE_SCRIPTED_LATENCY": "0.1"}, database_direct_url=direct
    )
    platform = FilePlatform(RecordingChat(folder / "chat.jsonl"))
    timing = Timing(paces={}, heartbeat=0.4, lease=timedelta(seconds=4), rhythm=QUICK)
    if OWN in sys.argv:
        timing = Timing(paces={})
    async with open_bot(settings, connect=connect(platform), timing=timing) as (_, bot):
        await bot.start("127.0.0.1", 0)
        print("ready", bot.address, flush=True)
        await stopped.wait()
        await bot.stop()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], Path(sys.argv[2]), *(one for one in sys.argv[3:] if one != OWN)))
