"""The later outcomes of verdicts, from which ratings, casting and weights learn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.debate.casting import Discounts
from core.debate.earned import GateTerms
from core.debate.script import Script, SeatId
from core.debate.state import replay
from core.debate.template import Mode, Template
from core.debate.verdict.learned.discounts import StatedByRole, calibration_of, discounts, stated
from core.debate.verdict.learned.kinds import KindRecord, kind_record
from core.debate.verdict.learned.ratings import Record, counts, records, seat_weights
from core.debate.verdict.learned.sizes import PanelRecord, panel_record
from storage.debates import Debates
from storage.debates.outcomes import Outcomes

CountCalls = Callable[[datetime], Awaitable[Mapping[str, int]]]
WORKLOAD = timedelta(hours=1)
"""How long a call counts as recent work of its model."""
MOST = 500
"""The most resolved debates that are read, the newest first."""


@dataclass(slots=True)
class ResolvedDebates:
    """Reads the later outcomes of verdicts. Every new debate needs them, so each debate's result is
    cached until something more happens in it.
    """

    outcomes: Outcomes
    debates: Debates
    _known: Mapping[str, tuple[int, Sequence[Record]]] = field(default_factory=dict)

    async def records(self) -> Sequence[Record]:
        """Returns how sure each seat was, and whether it was right, in every debate that people
        resolved.
        """
        ids = await self.outcomes.resolved(MOST)
        counts = await self.debates.count_events(ids)
        known = {}
        for id in ids:
            cached = self._known.get(id)
            if cached is None or cached[0] != counts.get(id):
                debate = replay(await self.debates.load(id))
                cached = (debate.count, tuple(records(debate)))
            known[id] = cached
        self._known = known
        return [record for _, cached in known.values() for record in cached]


async def panel_records(outcomes: Outcomes) -> Sequence[PanelRecord]:
    """Returns people's ratings of the newest panels, and the later outcomes of their verdicts."""
    stored = await outcomes.panels(MOST)
    rows = (panel_record(document, held) for document, held in stored)
    return [record for record in rows if record is not None]


async def kind_records(
    outcomes: Outcomes, within: Sequence[str] | None = None
) -> Sequence[KindRecord]:
    """Returns the cost and the usefulness of the newest debates, only in places that begin with the
    prefix if one is given.
    """
    stored = await outcomes.kinds(MOST, within)
    rows = (kind_record(template, document, held) for template, document, held in stored)
    return [record for record in rows if record is not None]


@dataclass(frozen=True, slots=True)
class Learned:
    """The data by which seats are drawn and votes are weighted: the ``records`` of resolved
    debates, the confidence that models ``stated``, how ``busy`` each was just now, and what became
    of findings (``gate``). It is empty if nothing is known.
    """

    records: Sequence[Record] = ()
    stated: StatedByRole = field(default_factory=dict)
    busy: Mapping[str, int] = field(default_factory=dict)
    gate: GateTerms | None = None

    def discounts(self, models: Sequence[str]) -> Discounts:
        return discounts(self.stated, self.busy, models)


async def learn(
    records: Sequence[Record], models: Sequence[str], calls: CountCalls | None, now: datetime
) -> Learned:
    """Reads the outcomes of earlier verdicts and, if there are enough of them, the other data that
    weights use. ``calls`` counts how often each model was called since a given moment.
    """
    known = stated(records, models)
    if not known or calls is None:
        return Learned(records, known)
    load = await calls(now - WORKLOAD)
    return Learned(records, known, {model: load.get(model, 0) for model in models})


def weights_of(
    template: Template,
    script: Script,
    seats: Mapping[SeatId, tuple[str, ...]],
    learned: Learned,
) -> Mapping[SeatId, float]:
    """Returns the weight of each entitled seat where votes are weighted, else an empty table. A
    weight grows with how often the model was certainly right, and falls with its overconfidence in
    that role.
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
