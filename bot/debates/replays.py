"""Plays stored debates once more and compares the result with everything stored: their events, the
hashes over these that receipts name, and the outcome document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.processes.threads import make_in_thread
from bot.debates.replay import replay_debate
from core.debate.events import Event
from core.debate.log import Call
from core.debate.state import Debate
from core.words.views.course.replayed import Replayed
from storage.codec import event_hash
from storage.debates import Debates
from storage.debates.outcomes import Outcomes


async def replay_stored(debates: Debates, outcomes: Outcomes, debate: Debate) -> Replayed:
    """Plays a debate once more and returns the comparison."""
    events = await debates.load(debate.id)
    document = None
    if debate.over and (stored := await outcomes.get(debate.id)) is not None:
        document = stored.document
    calls = await debates.load_calls(debate.id)
    hashes = await debates.load_hashes(debate.id)
    return await make_in_thread(_replayed, events, calls, document, hashes)


def _replayed(
    events: Sequence[Event],
    calls: Sequence[Call],
    document: Mapping[str, Any] | None,
    hashes: Sequence[str],
) -> Replayed:
    """Replays on a separate event loop, because it takes as much computing as the debate did."""
    result = asyncio.run(replay_debate(events, calls, document))
    if not result.same:
        return result
    older = sum(event_hash(x) != was for x, was in zip(events, hashes, strict=False))
    return replace(result, older=older, hashed=True)
