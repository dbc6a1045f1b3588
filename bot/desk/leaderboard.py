"""The desk's part for ratings: how models fared where people found out later whether a verdict
held.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from adapters.ports.chat import File
from adapters.ports.desk import Answer, Caller
from bot.debates.opening.resolved import resolved_records
from core.verdict.ratings import (
    ENOUGH,
    Record,
    SeatStanding,
    Standing,
    Warned,
    rate,
)
from core.verdict.votes import Interval
from storage.debates import Debates
from storage.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class LeaderboardDesk:
    outcomes: Outcomes
    debates: Debates

    async def show(self, caller: Caller) -> Answer:
        found = await self.records()
        rated = rate(found)
        none = "No verdict was resolved yet. Say later whether one held: "
        empty = f"{none}{caller.prefix} held ID yes|no [why]"
        lines = [_line(standing) for standing in rated.models] or [empty]
        if rated.seats:
            lines += ["", "By role:", *(_seat_line(one) for one in rated.seats)]
        if warned := [one for one in rated.dissent if one.failed]:
            lines += ["", "Who disagreed when a verdict did not hold:"]
            lines += [_warned_line(one) for one in warned]
        document = {
            "models": msgspec.to_builtins(rated.models),
            "seats": msgspec.to_builtins(rated.seats),
            "dissent": msgspec.to_builtins(rated.dissent),
        }
        shown = json.dumps(document, ensure_ascii=False, indent=2)
        return Answer("\n".join(lines), files=(File("leaderboard.json", shown),))

    async def records(self) -> Sequence[Record]:
        """Who was how sure of what, and right, in every debate that was resolved."""
        return await resolved_records(self.outcomes, self.debates)


def _line(standing: Standing) -> str:
    """One model's record.

    No rank where intervals overlap, no score without enough resolved outcomes.
    """
    rank = "- "
    if standing.rank is not None:
        rank = f"{standing.rank}. "
    brier = ""
    if standing.brier is not None:
        brier = f", Brier {standing.brier:.3f}"
    few = "" if standing.n >= ENOUGH else _FEW
    right = f"right in {standing.right} of {standing.n} ({_range(standing.held)})"
    return f"{rank}{standing.model}: {right}{brier}, moved {_times(standing.moved)}{few}"


def _seat_line(one: SeatStanding) -> str:
    few = "" if one.enough else _FEW
    role = one.role.replace("_", " ")
    return f"- {role}, {one.model}: right in {one.right} of {one.n} ({_range(one.held)}){few}"


def _warned_line(one: Warned) -> str:
    role = one.role.replace("_", " ")
    return (
        f"- {role}: {one.warned} of {one.failed}; of verdicts that held it doubted "
        f"{one.doubted} of {one.stood}"
    )


_FEW = f", too few to tell (under {ENOUGH})"


def _range(held: Interval) -> str:
    return f"{held.low:.0%} to {held.high:.0%}"


def _times(number: int) -> str:
    if number == 1:
        return "once"
    return f"{number} times"
