"""Every debate that is played here over a store is played once more on what was stored of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import replayed


@pytest.fixture(autouse=True)
def every_debate_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from replayed.watch(monkeypatch)
