"""The bot as ``debate serve`` runs it, as a process that a test may kill: the same parts from the
environment, unpaced.

Prints one line once it runs.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot import settings
from bot.wire.bot import Timing, open_bot
from storage.claims import Pace

UNPACED = {"slack": Pace()}


async def main() -> None:
    async with open_bot(settings.read(), timing=Timing(paces=UNPACED)) as (_, bot):
        await bot.start("127.0.0.1", 0)
        print(bot.address, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
