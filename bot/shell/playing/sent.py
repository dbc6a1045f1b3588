"""Sends a review that was approved in a shell to its pull request at once, whether or not a bot is
running.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.forges.review import review_url
from bot.work import Worker
from core.debate.errors import CouldNotFinish
from core.debate.log import ForgePostKind
from core.words.views.documents.forge import not_posted_line
from storage.leases import RowState
from storage.work import POSTS, WorkRow

_PATIENCE = 90.0
"""Seconds to wait for the review; meanwhile an unknown result is requested once more."""


async def send_review(worker: Worker, debate: str) -> str:
    """Sends the review and returns its address. A running bot may write it. Raises
    ``CouldNotFinish`` with the reason why it is not posted.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            return await _sent(worker, debate)
    raise CouldNotFinish(
        "The forge has not taken it yet. It stays stored: `debate serve` keeps trying, and so "
        f"does `debate post {debate} --approve HASH`."
    )


async def _sent(worker: Worker, debate: str) -> str:
    while True:
        tried = await worker.do_due(*POSTS)
        state = await _review(worker, debate)
        if state is None or state.state == RowState.DEAD:
            raise CouldNotFinish(_refusal(debate, state))
        if state.state == RowState.DONE:
            return review_url(state)
        if not tried:
            await asyncio.sleep(0.5)


def _refusal(debate: str, state: WorkRow | None) -> str:
    """Says why the review is not posted, and what to do."""
    again = f"Try again: debate post {debate}"
    if state is None:
        return f"{not_posted_line('it is not stored any more')} {again}"
    return (
        f"{not_posted_line(state.reason)} {again} · after new commits: "
        f"debate {state.work.target} --recheck"
    )


async def _review(worker: Worker, debate: str) -> WorkRow | None:
    """Returns the latest review: an objection may have led to another one."""
    rows = await worker.queue.of(debate)
    return next((row for row in reversed(rows) if row.work.kind == ForgePostKind.REVIEW), None)
