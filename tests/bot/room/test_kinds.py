"""The page of ratings shows the cost of a kind of decision beside its use."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from tests.bot.room.serving import served
from tests.patience import PATIENCE


async def test_a_kind_of_decision_has_a_row(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        _, page, _ = await room.get("/leaderboard")
        assert "By kind of decision" not in page
        debate = await room.debate()
        outcomes = room.parts.stores.outcomes
        async with asyncio.timeout(PATIENCE):
            while (kept := await outcomes.get(debate.id)) is None:  # noqa: ASYNC110 (a database has no event)
                await asyncio.sleep(0.02)
        document = {**kept.document, "demo": False, "cost": {**kept.document["cost"], "usd": 0.5}}
        await outcomes.save(debate.id, document, kept.concluded_at, held=True)
        _, page, _ = await room.get("/leaderboard")
        row = page.partition("By kind of decision</h2>")[2].partition("</tbody>")[0]
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row.partition("<tbody>")[2])
        assert [re.sub("<[^>]*>", "", cell) for cell in cells] == [
            "triad",
            "1",
            "$0.50",
            "–",
            "–",
            "1 of 1",
            "21% to 100% too few",
        ]
