"""A debate's first message, before the first turn is paid for."""

from __future__ import annotations

import asyncio

from adapters.posts.words import root_key
from storage.outbox import Outbox

_PATIENCE, _PAUSE = 3.0, 0.05
"""Seconds until a debate begins although its first message is still on its way, and between two
looks at it.
"""


async def first_message(outbox: Outbox, debate: str) -> None:
    """Returns once it stands in one place at least, or was given up wherever it was to go; at the
    latest after ``_PATIENCE``, since a platform that is away has its posts later.
    """
    try:
        async with asyncio.timeout(_PATIENCE):
            while await outbox.is_on_its_way(debate, root_key(debate)):  # noqa: ASYNC110  another process may post it
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        return
