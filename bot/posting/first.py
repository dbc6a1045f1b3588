"""Waits for a debate's first message before the first turn is paid for."""

from __future__ import annotations

import asyncio

from adapters.posts.keys import root_key
from storage.outbox import Outbox

_PATIENCE = 3.0
"""Seconds until a debate begins although its first message is still on its way."""
_PAUSE, _LONGEST_PAUSE = 0.05, 0.5
"""Seconds between two looks at the message: longer each time, for a channel may be busy with
many.
"""


async def first_message(outbox: Outbox, debate: str) -> None:
    """Returns once the message is posted in at least one place, or was given up in all of them; at
    the latest after ``_PATIENCE``, since a platform that is away gets its posts later.
    """
    pause = _PAUSE
    try:
        async with asyncio.timeout(_PATIENCE):
            while await outbox.is_on_its_way(debate, root_key(debate)):
                await asyncio.sleep(pause)
                pause = min(_LONGEST_PAUSE, 2 * pause)
    except TimeoutError:
        return
