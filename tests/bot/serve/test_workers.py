"""Readers of strangers' text start with their work, or ahead of it where that is known to come."""

from __future__ import annotations

import pytest

from adapters.processes.workers import Workers
from bot.wire.workers import open_workers


@pytest.mark.parametrize("ahead", [False, True])
async def test_a_reader_starts_before_its_work_only_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    happened: list[str] = []

    async def start(_: Workers) -> None:
        happened.append("started")

    async def end(_: Workers) -> None:
        happened.append("ended")

    monkeypatch.setattr(Workers, "start", start)
    monkeypatch.setattr(Workers, "aclose", end)
    async with open_workers(ahead=ahead):
        happened.append("open")
    assert happened == ["started"] * ahead + ["open", "ended"]
