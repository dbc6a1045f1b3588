"""Work that needs more memory than its text lets one expect."""

from __future__ import annotations

from adapters.processes.workers import Workers
from tests.trust import strangers


async def test_what_runs_out_of_memory_is_done_once_more_with_all_there_is() -> None:
    pool = Workers(size=1, memory=100 << 20, small=0, loads=("tests.trust.strangers",))
    assert await pool(strangers.holding, 60 << 20, "") > 0
    assert pool.started == 2, "a process that ran out of memory is not used again"
    await pool.aclose()
