"""Every debate that a test plays to its end in this process is played once more on what was stored
of it: the same events must come out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest


def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Watches whoever plays debates over a store, where a test has anything to do with that."""
    if "bot.debates.advance" not in sys.modules:
        yield
        return
    from bot.debates.advance import Advancer
    from bot.debates.replay import replay_debate
    from core.errors import CouldNotFinish

    others: list[list[str]] = []
    advance = Advancer.advance

    async def watched(self: Advancer, id: str, **given: Any) -> Any:
        debate = await advance(self, id, **given)
        if debate.concluded is not None:
            try:
                events = await self.debates.load(id)
                replayed = await replay_debate(events, await self.debates.load_calls(id))
            except CouldNotFinish:  # the store of this test is away
                return debate
            if replayed.difference is not None or replayed.reworded:
                others.append([*replayed.lines, str(replayed.document["difference"])])
        return debate

    monkeypatch.setattr(Advancer, "advance", watched)
    yield
    if others:
        pytest.fail(f"played again it is another debate: {others}", pytrace=False)
