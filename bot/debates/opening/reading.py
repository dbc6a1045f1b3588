"""Reads the material of a debate, with earlier decisions, reports and remarks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bot.debates.opening.history import History
from bot.debates.opening.lineup import Lineup
from bot.debates.opening.request import example_target
from core.debate.errors import BadInput
from core.debate.material import NAMELESS, Material
from core.debate.material.library import MaterialLibrary, ReadForPrice
from core.debate.material.since import Since


@dataclass(frozen=True, slots=True)
class MaterialReader:
    library: MaterialLibrary
    history: History | None = None

    async def read(self, lineup: Lineup) -> Material:
        """Reads the whole material. Raises ``BadInput`` or ``CouldNotFinish``."""
        target, since = await self._target(lineup)
        if lineup.request.text:
            material = await self._attachment(lineup)
        else:
            material = await self.library.read(target, since=since, **_options(lineup))
        return await self._with_knowledge(lineup, material, since)

    async def read_for_price(self, lineup: Lineup) -> ReadForPrice:
        """Reads what a price needs. Raises as ``read``."""
        if lineup.request.text:
            return ReadForPrice(await self.read(lineup))
        target, since = await self._target(lineup)
        read = await self.library.read_for_price(target, since=since, **_options(lineup))
        material = await self._with_knowledge(lineup, read.material, since)
        if (rest := read.rest) is None:
            return ReadForPrice(material)

        async def whole() -> Material:
            return await self._with_knowledge(lineup, await rest(), since)

        return replace(read, material=material, rest=whole)

    async def _target(self, lineup: Lineup) -> tuple[str, Since | None]:
        """Returns what is to be read, and how far the last run read it."""
        request = lineup.request
        if not (request.text or request.target).strip():
            example, id = example_target(lineup.template), lineup.template.id
            raise BadInput("What is to be debated? `debate {id} {example}`", id=id, example=example)
        if request.text or self.history is None:
            return request.target, None
        return request.target, await self.history.run_before(request)

    async def _attachment(self, lineup: Lineup) -> Material:
        request = lineup.request
        return await self.library.read_attachment(
            request.extras.get("attachment") or request.target or NAMELESS,
            request.text.encode(),
            kind=lineup.template.material,
            budget=lineup.budget,
            parts=lineup.most_parts,
        )

    async def _with_knowledge(
        self, lineup: Lineup, material: Material, since: Since | None
    ) -> Material:
        """Adds earlier decisions, a scanner's reports and other reviewers' remarks; a change is
        private if it was so in the last run.
        """
        request = lineup.request
        if since is not None and since.private:
            material = replace(material, private=True)
        if self.history is not None:
            material = await self.history.with_precedents(request, material, lineup.voices)
        if request.evidence:
            files = request.files
            material = await self.library.with_evidence(material, request.evidence, files=files)
        if request.extras.get("with-remarks") == "yes":
            material = await self.library.with_remarks(material, request.place)
        return material


def _options(lineup: Lineup) -> dict[str, Any]:
    """Returns how the library reads the request's target."""
    return {
        "kind": lineup.template.material,
        "budget": lineup.budget,
        "place": lineup.request.place,
        "files": lineup.request.files,
        "parts": lineup.most_parts,
    }
