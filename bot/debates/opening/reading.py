"""Reads the material of a debate, with earlier decisions, reports and remarks."""

from __future__ import annotations

from dataclasses import replace

from bot.debates.opening.history import History
from bot.debates.opening.lineup import Lineup
from bot.debates.opening.request import example_target
from core.debate.errors import BadInput
from core.debate.material import NAMELESS, Material
from core.debate.material.library import MaterialLibrary, ReadForPrice, ReadRequest
from core.debate.material.since import Since


async def read_whole(lineup: Lineup, library: MaterialLibrary, history: History | None) -> Material:
    """Reads the whole material. Raises ``BadInput`` or ``CouldNotFinish``."""
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
        wanted = await _wanted(lineup, history)
        since = wanted.since
        material = await library.read(wanted)
    return await _with_knowledge(lineup, library, history, material, since)


async def read_for_price(
    lineup: Lineup, library: MaterialLibrary, history: History | None
) -> ReadForPrice:
    """Reads what a price needs. Raises as ``read_whole``."""
    if lineup.request.text:
        return ReadForPrice(await read_whole(lineup, library, history))
    wanted = await _wanted(lineup, history)
    read = await library.read_for_price(wanted)
    material = await _with_knowledge(lineup, library, history, read.material, wanted.since)
    if (rest := read.rest) is None:
        return ReadForPrice(material)

    async def whole() -> Material:
        return await _with_knowledge(lineup, library, history, await rest(), wanted.since)

    return replace(read, material=material, rest=whole)


async def _wanted(lineup: Lineup, history: History | None) -> ReadRequest:
    request, since = lineup.request, None
    if not request.target.strip():
        example, id = example_target(lineup.template), lineup.template.id
        raise BadInput("What is to be debated? `debate {id} {example}`", id=id, example=example)
    if history is not None:
        since = await history.run_before(request)
    return ReadRequest(
        request.target,
        lineup.template.material,
        lineup.budget,
        place=request.place,
        files=request.files,
        since=since,
        parts=lineup.most_parts,
    )


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
