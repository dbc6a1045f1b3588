"""What became of verdicts: everything that ratings, casting and weights learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.casting import Past
from core.debate import replay
from core.script import Script, SeatId
from core.template import Mode, Template
from core.verdict.ratings import Record, records, seat_weights
from storage.debates import Debates
from storage.outcomes import Outcomes

MOST = 500
"""Resolved debates that are read at most, the newest."""


async def resolved_records(outcomes: Outcomes, debates: Debates) -> Sequence[Record]:
    """Who was how sure of what, and right, in the debates that people resolved."""
    resolved = (await outcomes.resolved())[-MOST:]
    found = [replay(await debates.load(id)) for id in resolved]
    return [record for debate in found for record in records(debate)]


def weights_of(
    template: Template,
    script: Script,
    seats: Mapping[SeatId, tuple[str, ...]],
    known: Mapping[str, Past],
) -> Mapping[SeatId, float]:
    """Of each entitled seat, where votes are weighted; empty for equal ones."""
    if template.consensus is not Mode.WEIGHTED:
        return {}
    return seat_weights({s: seats[s][0] for s in script.voters if s in seats}, known)
