"""Sends a review or a decision record that was approved in a shell at once, whether or not a bot is
running.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.forges.review import review_url
from bot.forges.write import NOTED
from bot.work import Worker
from core.application.commands import RECORD
from core.debate.errors import CouldNotFinish
from core.debate.log import ForgePostKind
from core.languages import say
from core.words.views.documents.forge import not_posted_line
from storage.leases import RowState
from storage.work import POSTS, WorkRow

_PATIENCE = 90.0
"""Seconds to wait for the review; meanwhile an unknown result is requested once more."""


async def send_post(worker: Worker, debate: str, kind: ForgePostKind) -> str:
    """Sends the approved post of this kind and returns its address. A running bot may write it.
    Raises ``CouldNotFinish`` with the reason why it is not posted.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            return await _sent(worker, debate, kind)
    raise CouldNotFinish(
        say(
            "The forge has not taken it yet. It stays stored: `debate serve` keeps trying, and so "
            "does `{command} --approve HASH`.",
            command=_command(debate, kind),
        )
    )


async def _sent(worker: Worker, debate: str, kind: ForgePostKind) -> str:
    while True:
        tried = await worker.do_due(*POSTS)
        state = await _latest(worker, debate, kind)
        if state is None or state.state == RowState.DEAD:
            raise CouldNotFinish(_refusal(debate, kind, state))
        if state.state == RowState.DONE:
            return review_url(state)
        if not tried:
            await asyncio.sleep(0.5)


def _refusal(debate: str, kind: ForgePostKind, state: WorkRow | None) -> str:
    again = say("Try again: {command}", command=_command(debate, kind))
    if state is None:
        return f"{not_posted_line('it is not stored any more', NOTED[kind][1])} {again}"
    line = f"{not_posted_line(state.reason, NOTED[kind][1])} {again}"
    if kind is ForgePostKind.REVIEW:
        line += say(" · after new commits: debate {target} --recheck", target=state.work.target)
    return line


def _command(debate: str, kind: ForgePostKind) -> str:
    if kind is ForgePostKind.RECORD:
        return f"debate export {debate} {RECORD}"
    return f"debate post {debate}"


async def _latest(worker: Worker, debate: str, kind: ForgePostKind) -> WorkRow | None:
    """Returns the latest post of a kind: an objection may have led to another one."""
    rows = await worker.queue.of(debate)
    return next((row for row in reversed(rows) if row.work.kind == kind), None)
