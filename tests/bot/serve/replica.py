"""One replica of the bot in a process of its own, for tests that freeze and kill it: ``python -m
tests.bot.serve.replica URL FOLDER``.

Everything is the product's; only the chat is a file and the rhythm is quick, so that a dead replica
is missed within two seconds.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.desk.front_desk import front_desk
from bot.serve.process import Bot
from bot.serve.runtime.procrastinate import ReplicaRuntime, Rhythm
from bot.wire import House
from tests.bot.crashing import settings_for
from tests.standins.chat import RecordingChat

QUICK = Rhythm(sweep=0.5, look=0.25, heartbeat=0.4, stalled=1.5, stale=1.5)


@dataclass
class FilePlatform:
    """A platform that is always there."""

    chat: RecordingChat

    async def start(self) -> None:
        """Nothing to connect to."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    def ready(self) -> str:
        return ""


async def run(url: str, folder: Path) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    settings = settings_for(url, folder, env={"DEBATE_SCRIPTED_LATENCY": "0.1"})
    async with House.at(settings, shell=False) as house:
        house.advancer.heartbeat = 0.4
        house.outbox.lease = timedelta(seconds=4)
        bot = Bot(
            front_desk(house),
            {"slack": FilePlatform(RecordingChat(folder / "chat.jsonl"))},
            paces={},
        )
        if not house.database.sqlite:
            bot.runtime = ReplicaRuntime(house, QUICK)
        await bot.start("127.0.0.1", 0)
        print("ready", bot.address, flush=True)
        await stopped.wait()
        await bot.stop()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], Path(sys.argv[2])))
