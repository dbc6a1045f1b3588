"""Every debate that a test plays to its end in this process is played once more, when the test is
over, on what was stored of it: the same events must come out.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from core.debate.events import Event
    from core.debate.log import Call

    Stored = tuple[Sequence[Event], Sequence[Call]]

STAGED: set[str] = set()
"""Debates whose past a test wrote itself: nobody played it, so it can't be played again."""


def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Collects the debates that a test plays to their ends, if it plays any, and replays them."""
    if "bot.debates.advance" not in sys.modules:
        yield
        return
    from bot.debates.advance import Advancer
    from core.debate.errors import CouldNotFinish

    stored: dict[str, Stored] = {}
    advance = Advancer.advance

    async def watched(self: Advancer, id: str, **given: Any) -> Any:
        debate = await advance(self, id, **given)
        unread = id not in stored or len(stored[id][0]) != debate.count
        if debate.concluded is not None and id not in STAGED and unread:
            with suppress(CouldNotFinish):  # the store of this test is away
                stored[id] = await self.debates.load(id), await self.debates.load_calls(id)
        return debate

    monkeypatch.setattr(Advancer, "advance", watched)
    yield
    if not stored:
        return
    with closing(asyncio.new_event_loop()) as loop:
        others = loop.run_until_complete(_differing(stored.values()))
    if others:
        pytest.fail(f"played again it is another debate: {others}", pytrace=False)


async def _differing(stored: Iterable[Stored]) -> list[list[str]]:
    """Plays each debate once more and returns what differs in it."""
    from bot.debates.replay import replay_debate

    others = []
    for events, calls in stored:
        replayed = await replay_debate(events, calls)
        if replayed.difference is not None or replayed.reworded:
            others.append([*replayed.lines, str(replayed.document["difference"])])
    return others
