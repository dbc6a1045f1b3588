"""Sends a review that was approved in a shell to its pull request at once, whether or not a bot is
running.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.forges.review import review_url
from bot.forges.write import ForgeWriter
from core.errors import CouldNotFinish
from core.views.documents.forge import not_posted_line
from storage.forges.posts import ForgePosts, PostState
from storage.leases import RowState

_PATIENCE = 90.0
"""Seconds to wait for the review; meanwhile a forge with an unknown result is asked again."""


async def send_review(writer: ForgeWriter, posts: ForgePosts, debate: str) -> str:
    """Sends the review and returns its address. A running bot may write it. Raises
    ``CouldNotFinish`` with the reason why it is not posted.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            return await _sent(writer, posts, debate)
    raise CouldNotFinish(
        "The forge has not taken it yet. It stays stored: `debate serve` keeps trying, and so "
        f"does `debate post {debate} --approve HASH`."
    )


async def _sent(writer: ForgeWriter, posts: ForgePosts, debate: str) -> str:
    while True:
        posts.wake_event.clear()
        tried = await writer.write_due()
        state = await _review(posts, debate)
        if state is None or state.state == RowState.DEAD:
            raise CouldNotFinish(_refusal(debate, state))
        if state.state == RowState.SENT:
            return review_url(state)
        if not tried:
            await asyncio.sleep(0.5)


def _refusal(debate: str, state: PostState | None) -> str:
    """Says why the review is not posted, and what to do."""
    again = f"Try again: debate post {debate}"
    if state is None:
        return f"{not_posted_line('it is not stored any more')} {again}"
    return (
        f"{not_posted_line(state.reason)} {again} · after new commits: "
        f"debate {state.post.link} --recheck"
    )


async def _review(posts: ForgePosts, debate: str) -> PostState | None:
    posts_of = await posts.of(debate)
    return next((one for one in posts_of if one.post.kind == "review"), None)
