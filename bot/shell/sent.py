"""A review that was approved in a shell goes to its pull request at once, whoever else runs."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.forges.write import ForgeWriter
from core.errors import CouldNotFinish
from storage.forge_posts import ForgePosts, PostState

_PATIENCE = 90.0
"""Seconds: a forge that does not say whether a request arrived is asked again in between."""


async def send_review(writer: ForgeWriter, posts: ForgePosts, debate: str) -> str:
    """The address at which the review stands. A bot that runs beside may be the one that writes
    it. Raises ``CouldNotFinish`` with what keeps it from standing there.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            return await _sent(writer, posts, debate)
    raise CouldNotFinish(
        "The forge has not taken it yet. It stays stored: `debate serve` goes on trying, and so "
        f"does `debate post {debate} --approve HASH`."
    )


async def _sent(writer: ForgeWriter, posts: ForgePosts, debate: str) -> str:
    while True:
        posts.wake_event.clear()
        tried = await writer.write_due()
        state = await _review(posts, debate)
        if state is None or state.state == "dead":
            why = state.reason if state is not None else "it is not stored any more"
            raise CouldNotFinish(
                f"It was not posted: {why.rstrip('.')}. Look at it again with: debate post {debate}"
            )
        if state.state == "sent":
            return str(state.ref.get("url") or state.post.link)
        if not tried:
            await asyncio.sleep(0.5)


async def _review(posts: ForgePosts, debate: str) -> PostState | None:
    found = await posts.of(debate)
    return next((one for one in found if one.post.kind == "review"), None)
