"""The cost of a run stays below its bars; ``python -m tools.bench.forges`` prints the figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tools.bench.forges import Figures, on_github, on_gitlab


@pytest.mark.parametrize(("run", "calls"), [(on_github, 14), (on_gitlab, 26)])
async def test_a_rereview_reads_a_third_and_a_run_asks_little(
    tmp_path: Path, run: Callable[[Path], Awaitable[Figures]], calls: int
) -> None:
    figures = await run(tmp_path)
    assert figures.share <= 0.35
    assert max(figures.calls) <= calls
