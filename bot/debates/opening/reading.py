"""Reads the material of a debate, with earlier decisions, reports and remarks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.debates.opening.history import History
from bot.debates.opening.lineup import Lineup
from bot.debates.opening.request import example_target
from core.debate.errors import BadInput
from core.debate.material import NAMELESS, Material
from core.debate.material.library import MaterialLibrary, ReadForPrice
from core.debate.material.since import Since


async def read_whole(lineup: Lineup, library: MaterialLibrary, history: History | None) -> Material:
    """Reads the whole material. Raises ``BadInput`` or ``CouldNotFinish``."""
    _require_target(lineup)
    request, since = lineup.request, None
    if request.text:
        material = await library.read_attachment(
            request.extras.get("attachment") or request.target or NAMELESS,
            request.text.encode(),
            kind=lineup.template.material,
            budget=lineup.budget,
            parts=lineup.most_parts,
        )
    else:
        since = await _run_before(lineup, history)
        material = await library.read(request.target, since=since, **_options(lineup))
    return await _with_knowledge(lineup, library, history, material, since)


async def read_for_price(
    lineup: Lineup, library: MaterialLibrary, history: History | None
) -> ReadForPrice:
    """Reads what a price needs. Raises as ``read_whole``."""
    if lineup.request.text:
        return ReadForPrice(await read_whole(lineup, library, history))
    _require_target(lineup)
    since = await _run_before(lineup, history)
    read = await library.read_for_price(lineup.request.target, since=since, **_options(lineup))
    material = await _with_knowledge(lineup, library, history, read.material, since)
    if (rest := read.rest) is None:
        return ReadForPrice(material)

    async def whole() -> Material:
        return await _with_knowledge(lineup, library, history, await rest(), since)

    return replace(read, material=material, rest=whole)


def _require_target(lineup: Lineup) -> None:
    request = lineup.request
    if not (request.text or request.target).strip():
        example, id = example_target(lineup.template), lineup.template.id
        raise BadInput("What is to be debated? `debate {id} {example}`", id=id, example=example)


async def _run_before(lineup: Lineup, history: History | None) -> Since | None:
    if history is None:
        return None
    return await history.run_before(lineup.request)


async def _with_knowledge(
    lineup: Lineup,
    library: MaterialLibrary,
    history: History | None,
    material: Material,
    since: Since | None,
) -> Material:
    """Adds earlier decisions, a scanner's reports and other reviewers' remarks; a change is private
    if it was so in the last run.
    """
    request = lineup.request
    if since is not None and since.private:
        material = replace(material, private=True)
    if history is not None:
        material = await history.with_precedents(request, material, lineup.voices)
    if request.evidence:
        material = await library.with_evidence(material, request.evidence, files=request.files)
    if request.extras.get("with-remarks") == "yes":
        material = await library.with_remarks(material, request.place)
    return material


def _options(lineup: Lineup) -> dict[str, Any]:
    return {
        "kind": lineup.template.material,
        "budget": lineup.budget,
        "place": lineup.request.place,
        "files": lineup.request.files,
        "parts": lineup.most_parts,
    }
