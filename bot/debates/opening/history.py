"""The results of earlier debates for one that begins: the last run on the same change, decisions
about the same files or question, and the models that were right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.debates.judged import FindingHistory
from bot.debates.opening.resolved import Learned, ResolvedDebates, learn
from bot.debates.precedents import Precedents
from core.debate.events import DebateRequest
from core.debate.material import Material, MaterialKind
from core.debate.material.precedents import note_of
from core.debate.material.since import Since
from core.debate.ports import Model
from core.debate.state import Debate, replay
from core.debate.verdict.findings.demands import demands_after
from storage.debates import Debates
from storage.debates.calls import Spending


@dataclass(frozen=True, slots=True)
class History:
    """Reads the earlier debates of one database."""

    debates: Debates
    precedents: Precedents
    resolved: ResolvedDebates
    spending: Spending
    findings: FindingHistory

    async def run_before(self, request: DebateRequest) -> Since | None:
        """Returns how far the last run read the change and the ledger that it left, or None if this
        is the first. If that run never began, the one before it counts.
        """
        if not request.after:
            return None
        debate = replay(await self.debates.load(request.after))
        while debate.opened is None and debate.request.after:
            debate = replay(await self.debates.load(debate.request.after))
        return since(debate)

    async def with_precedents(
        self, request: DebateRequest, material: Material, voices: Sequence[Model]
    ) -> Material:
        """Adds this place's earlier decisions to the material, unless the request excludes them."""
        if request.fresh:
            return material
        demo = any(m.demo for m in voices)
        precedents = await self.precedents.find(request.place, material, demo=demo)
        if not precedents:
            return material
        notes = (*material.notes, note_of(precedents))
        return replace(material, precedents=precedents, notes=notes)

    async def learned(self, models: Sequence[str], now: datetime) -> Learned:
        """Returns the outcomes of the verdicts in which these models had a voice, and how busy they
        are.
        """
        records = await self.resolved.records()
        return await learn(records, models, self.spending.count_since, now)


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
