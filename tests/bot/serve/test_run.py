"""A run of a debate says whether it came to its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.serve.runtime.run import run
from core.errors import Fenced, NeedsNewer, StoreAway


@dataclass
class Ends:
    error: Exception | None
    advanced: list[str] = field(default_factory=list)

    async def advance(self, debate: str) -> None:
        self.advanced.append(debate)
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(
    ("error", "whole"),
    [
        (None, True),
        (Fenced(), False),
        (NeedsNewer("d1 is of a newer release."), False),
        (StoreAway("The database does not answer."), False),
        (OSError("no space left"), False),
    ],
)
async def test_only_a_run_without_an_error_is_whole(error: Exception | None, whole: bool) -> None:
    advancer: Any = Ends(error)
    assert await run(advancer, "d1") is whole
    assert advancer.advanced == ["d1"]
