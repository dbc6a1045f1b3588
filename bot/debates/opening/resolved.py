"""What became of verdicts: everything that ratings, casting and weights learn from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.casting import Discounts
from core.debate import replay
from core.script import Script, SeatId
from core.template import Mode, Template
from core.verdict.learned.discounts import StatedByRole, calibration_of, discounts, stated
from core.verdict.learned.kinds import KindRecord, kind_record
from core.verdict.learned.ratings import Record, counts, records, seat_weights
from core.verdict.learned.sizes import PanelRecord, panel_record
from storage.debates import Debates
from storage.debates.outcomes import Outcomes

CountCalls = Callable[[datetime], Awaitable[Mapping[str, int]]]
WORKLOAD = timedelta(hours=1)
"""For so long a call counts as work that a model has had."""
MOST = 500
"""Resolved debates that are read at most, the newest."""


@dataclass(slots=True)
class ResolvedDebates:
    """What became of verdicts. Every debate that begins asks for it, so what was read of a debate
    is kept as long as nothing more has happened in it.
    """

    outcomes: Outcomes
    debates: Debates
    _known: Mapping[str, tuple[int, Sequence[Record]]] = field(default_factory=dict)

    async def records(self) -> Sequence[Record]:
        """Who was how sure of what, and right, in the debates that people resolved."""
        ids = await self.outcomes.resolved(MOST)
        counts = await self.debates.count_events(ids)
        known = {}
        for id in ids:
            found = self._known.get(id)
            if found is None or found[0] != counts.get(id):
                debate = replay(await self.debates.load(id))
                found = (debate.count, tuple(records(debate)))
            known[id] = found
        self._known = known
        return [record for _, found in known.values() for record in found]


async def panel_records(outcomes: Outcomes) -> Sequence[PanelRecord]:
    """What people said of the newest panels, and what became of their verdicts."""
    stored = await outcomes.panels(MOST)
    found = (panel_record(document, held) for document, held in stored)
    return [record for record in found if record is not None]


async def kind_records(
    outcomes: Outcomes, within: Sequence[str] | None = None
) -> Sequence[KindRecord]:
    """What the newest debates cost and were good for; of places that begin so, where given."""
    stored = await outcomes.kinds(MOST, within)
    found = (kind_record(template, document, held) for template, document, held in stored)
    return [record for record in found if record is not None]


@dataclass(frozen=True, slots=True)
class Learned:
    """What seats are drawn by and votes weigh by: the ``records`` of resolved debates, what those
    models ``stated`` of themselves, and how ``busy`` they were just now. Empty where nothing is
    known.
    """

    records: Sequence[Record] = ()
    stated: StatedByRole = field(default_factory=dict)
    busy: Mapping[str, int] = field(default_factory=dict)

    def discounts(self, models: Sequence[str]) -> Discounts:
        return discounts(self.stated, self.busy, models)


async def learn(
    records: Sequence[Record], models: Sequence[str], calls: CountCalls | None, now: datetime
) -> Learned:
    """What became of earlier verdicts, and where enough of them are known what else counts.
    ``calls`` says how often each model was asked since a moment.
    """
    known = stated(records, models)
    if not known or calls is None:
        return Learned(records, known)
    asked = await calls(now - WORKLOAD)
    return Learned(records, known, {model: asked.get(model, 0) for model in models})


def weights_of(
    template: Template,
    script: Script,
    seats: Mapping[SeatId, tuple[str, ...]],
    learned: Learned,
) -> Mapping[SeatId, float]:
    """Of each entitled seat, where votes are weighted; empty for equal ones.

    By how often its model was surely right, less what it is surer than right in that role.
    """
    if template.consensus is not Mode.WEIGHTED:
        return {}
    models = {s: seats[s][0] for s in script.voters if s in seats}
    weights = seat_weights(models, counts(learned.records))
    return {
        seat: round(
            weight * calibration_of(learned.stated, models[seat], script.seat(seat).role), 4
        )
        for seat, weight in weights.items()
    }
