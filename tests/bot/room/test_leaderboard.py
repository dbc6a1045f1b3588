"""The leaderboard's page: which findings may block on a forge, how good their forecasts were, and
what each kind of decision costs.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from core.debate.verdict.learned.judged import FindingOutcome
from tests.bot.room.serving import served
from tests.browser.stage import finished_review, keep


async def test_the_meter_the_reliability_of_forecasts_and_a_row_for_each_kind_of_decision(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as room:
        _, page, _ = await room.get("/leaderboard")
        assert "By kind of decision" not in page
        now, stores = room.parts.clock.now(), room.parts.stores
        id = await keep(room.parts, await finished_review(room.parts, "revw4k7q", now))
        rows = [
            FindingOutcome(f"m{n}", "security", True, 0.9, 0.75, word, now - timedelta(days=30 - n))
            for n, word in enumerate(["fixed"] * 9 + ["merged"] * 3)
        ]
        await stores.judged.save(id, "code_review", "github.com/o/r", "earlier", rows)
        debate = await room.settled()
        kept = await stores.outcomes.get(debate.id)
        assert kept is not None
        document = {**kept.document, "cost": {**kept.document["cost"], "usd": 0.5}}
        await stores.outcomes.save(debate.id, document, kept.concluded_at, held=True)
        _, page, _ = await room.get("/leaderboard")
    assert "advice: 12 of 30 judged findings so far, 9 right" in page
    assert "security findings" in page
    assert "Brier score 0.188 over 12 findings" in page  # (9 * .25² + 3 * .75²) / 12
    assert "own confidence has 0.210" in page
    assert ">75%<" in page
    row = page.partition("By kind of decision</h2>")[2].partition("</tbody>")[0]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row.partition("<tbody>")[2])
    assert [re.sub("<[^>]*>", "", cell) for cell in cells] == [
        "triad", "1", "$0.50", "–", "–", "1 of 1", "21% to 100% too few",
    ]  # fmt: skip
