"""The leaderboard's page shows what may block on a forge, and how good the forecasts of findings
were.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from core.debate.verdict.learned.judged import FindingOutcome
from tests.bot.room.serving import served
from tests.browser.stage import finished_review, keep


async def test_the_meter_and_the_reliability_of_forecasts(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        now = room.parts.clock.now()
        id = await keep(room.parts, await finished_review(room.parts, "revw4k7q", now))
        rows = [
            FindingOutcome(f"m{n}", "security", True, 0.9, 0.75, word, now - timedelta(days=30 - n))
            for n, word in enumerate(["fixed"] * 9 + ["merged"] * 3)
        ]
        store = room.parts.stores.judged
        await store.save(id, "code_review", "github.com/o/r", "earlier", rows)
        _, page, _ = await room.get("/leaderboard")
        assert "advice: 12 of 30 judged findings so far, 9 right" in page
        assert "security findings" in page
        assert "Brier score 0.188 over 12 findings" in page  # (9 * .25² + 3 * .75²) / 12
        assert "own confidence has 0.210" in page
        assert ">75%<" in page
