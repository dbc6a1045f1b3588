"""The results of earlier debates for a debate that begins: the last run on the same change,
decisions about the same files or question, and the models that were right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.debates.judged import FindingHistory
from bot.debates.precedents import find_precedents
from bot.debates.search_texts import SearchTextKeeper
from core.debate.earned import GateTerms
from core.debate.events import DebateRequest
from core.debate.material import Material, MaterialKind
from core.debate.material.rendering import note_of
from core.debate.material.since import Since
from core.debate.ports import Model
from core.debate.script import Script, SeatId
from core.debate.state import Debate, replay
from core.debate.template import Mode, Template
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.learned.discounts import StatedByRole, calibration_of, stated
from core.debate.verdict.learned.ratings import Record, counts, records, seat_weights
from core.debate.verdict.learned.usefulness import PastDebate, past_debate
from storage.debates.outcomes import Outcomes
from storage.stores import Stores

WORKLOAD = timedelta(hours=1)
"""How long a call counts as recent work of its model."""
MOST = 500
"""The most resolved debates that are read, the newest first."""


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


@dataclass(slots=True)
class History:
    """Reads the earlier debates of one database. Every new debate needs the later outcomes of all
    verdicts, so each debate's result is cached until something more happens in it.
    """

    stores: Stores
    keeper: SearchTextKeeper
    findings: FindingHistory
    _known: Mapping[str, tuple[int, Sequence[Record]]] = field(default_factory=dict)

    async def run_before(self, request: DebateRequest) -> Since | None:
        """Returns how far the last run read the change and the ledger that it left, or None if this
        is the first. If that run never began, the one before it counts.
        """
        after = request.after
        while after:
            debate = replay(await self.stores.debates.load(after))
            if debate.opened is not None:
                return since(debate)
            after = debate.request.after
        return None

    async def with_precedents(
        self, request: DebateRequest, material: Material, voices: Sequence[Model]
    ) -> Material:
        """Adds this place's earlier decisions to the material, unless the request excludes them."""
        if request.fresh:
            return material
        await self.keeper.keep()
        demo = any(m.demo for m in voices)
        precedents = await find_precedents(self.stores, request.place, material, demo=demo)
        if not precedents:
            return material
        notes = (*material.notes, note_of(precedents))
        return replace(material, precedents=precedents, notes=notes)

    async def records(self) -> Sequence[Record]:
        """Returns how sure each seat was, and whether it was right, in every debate that people
        resolved.
        """
        ids = await self.stores.outcomes.resolved(MOST)
        counted = await self.stores.debates.count_events(ids)
        known = {}
        for id in ids:
            cached = self._known.get(id)
            if cached is None or cached[0] != counted.get(id):
                debate = replay(await self.stores.debates.load(id))
                cached = (debate.count, tuple(records(debate)))
            known[id] = cached
        self._known = known
        return [record for _, cached in known.values() for record in cached]

    async def learned(self, models: Sequence[str], now: datetime) -> Learned:
        """Returns the outcomes of the verdicts in which these models had a voice and, if there are
        enough of them, how busy the models are.
        """
        past = await self.records()
        known = stated(past, models)
        if not known:
            return Learned(past, known)
        load = await self.stores.spending.count_since(now - WORKLOAD)
        return Learned(past, known, {model: load.get(model, 0) for model in models})


def since(debate: Debate) -> Since | None:
    """Returns how far a debate read its change and which findings it left; None if it was about no
    pull request.
    """
    if debate.opened is None:
        return None
    material = debate.open.material
    if material.kind is not MaterialKind.PULL_REQUEST or "head" not in material.facts:
        return None
    return Since(
        base=material.base,
        head=material.facts["head"],
        run=int(material.facts.get("run", "1")) + 1,
        base_branch=material.facts.get("base_branch", ""),
        demands=demands_after(debate),
        private=debate.private,
    )


async def panel_records(outcomes: Outcomes) -> Sequence[PastDebate]:
    """Returns people's ratings of the newest panels, and the later outcomes of their verdicts."""
    rows = [past_debate(document, held) for document, held in await outcomes.panels(MOST)]
    return [one for one in rows if one is not None and one.form is not None]


async def kind_records(outcomes: Outcomes, within: Sequence[str] | None) -> Sequence[PastDebate]:
    """Returns the cost and the usefulness of the newest debates, ``within`` the places that begin
    with one of the prefixes (None: in all).
    """
    stored = await outcomes.kinds(MOST, within)
    rows = [past_debate(document, held, template) for template, document, held in stored]
    return [one for one in rows if one is not None]


def weights_of(
    template: Template,
    script: Script,
    seats: Mapping[SeatId, tuple[str, ...]],
    learned: Learned,
) -> Mapping[SeatId, float]:
    """Returns the weight of each entitled seat if votes are weighted, else an empty table. A weight
    grows with how often the model was certainly right, and falls with its overconfidence in that
    role.
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
