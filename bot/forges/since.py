"""What a run on a change takes from the one before: the head that was read, and the findings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from core.debate import Debate
from core.material import Kind
from core.material.since import Since
from core.verdict.findings.carried import carried

Load = Callable[[str], Awaitable[Debate]]


async def since_before(load: Load, after: str) -> Since | None:
    """Returns the run before, by its id; where that one never began, the one before it."""
    debate = await load(after)
    while debate.opened is None and debate.request.after:
        debate = await load(debate.request.after)
    if debate.opened is None:
        return None
    material = debate.open.material
    if material.kind is not Kind.PULL_REQUEST or "head" not in material.facts:
        return None
    return Since(
        base=material.base,
        head=material.facts["head"],
        run=int(material.facts.get("run", "1")) + 1,
        base_branch=material.facts.get("base_branch", ""),
        findings=carried(debate),
        private=debate.private,
    )
