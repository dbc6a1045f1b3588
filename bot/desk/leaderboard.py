"""The desk's part for ratings: how models fared where people found out later whether a verdict
held.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec

from adapters.ports.chat import File
from adapters.ports.desk import Answer
from core.debate import replay
from core.verdict.ratings import Record, Standing, leaderboard, records
from storage.debates import Debates
from storage.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class LeaderboardDesk:
    outcomes: Outcomes
    debates: Debates

    async def show(self) -> Answer:
        standings = leaderboard(await self.records())
        lines = [_line(standing) for standing in standings] or [
            "No verdict was resolved yet. Say later whether one held: held ID yes|no"
        ]
        document = json.dumps(msgspec.to_builtins(standings), ensure_ascii=False, indent=2)
        return Answer("\n".join(lines), files=(File("leaderboard.json", document),))

    async def records(self) -> list[Record]:
        """Who was how sure of what, and right, in every debate that was resolved."""
        resolved = await self.outcomes.resolved()
        debates = [replay(await self.debates.load(id)) for id in resolved]
        return [record for debate in debates for record in records(debate)]


def _line(standing: Standing) -> str:
    """One model's record.

    No rank where intervals overlap, no score without enough resolved outcomes.
    """
    rank = f"{standing.rank}. " if standing.rank is not None else "- "
    brier = f", Brier {standing.brier:.3f}" if standing.brier is not None else ""
    share = f"{standing.held.low:.0%} to {standing.held.high:.0%}"
    right = f"right in {standing.right} of {standing.n} ({share})"
    return f"{rank}{standing.model}: {right}{brier}, moved {standing.moved} times"
