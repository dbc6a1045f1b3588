"""The loop of workers over rows: it is woken, and no defect ends it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from bot import keep as keeping
from bot.keep import keep
from tests.patience import PATIENCE


@pytest.mark.parametrize("woken", [True, False])
async def test_work_goes_on_after_a_defect(woken: bool, caplog: pytest.LogCaptureFixture) -> None:
    wake, done, tries = asyncio.Event(), asyncio.Event(), 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries == 3:
            done.set()
            return
        if woken:
            wake.set()
        if tries == 1:
            raise ConnectionError("the database is away")

    task = asyncio.create_task(keep("work", work, 3600.0 if woken else 0.001, wake))
    async with asyncio.timeout(PATIENCE):
        await done.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    messages = [one.message for one in caplog.records if one.name == keeping.__name__]
    assert messages == ["what is due can't be worked off"]
