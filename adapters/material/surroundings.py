"""The code around a change, put beside it: chosen and parsed where it can be ended, and never the
reason why a change is not debated.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace

from adapters.repository.around import Pack
from core.errors import BadInput, CouldNotFinish
from core.material import Material
from core.material.around import around_chars
from core.material.coverage import tokens_in

_SHARE = 0.15
"""Of the material's budget; the change itself goes first."""
_MOST = 18_000
"""Characters in any case: more context made reviewers worse, not better (arXiv 2603.26130)."""


def room_around(material: Material, budget: int) -> int:
    """Characters of prompt for the code around a change, in what it leaves of ``budget`` tokens;
    none for one that is read in parts.
    """
    if material.parts:
        return 0
    left = budget - tokens_in(material.text) - tokens_in(material.body + material.guidelines)
    return max(0, min(_MOST, 3 * min(int(budget * _SHARE), left)))


async def with_around(material: Material, choosing: Awaitable[Pack]) -> Material:
    """The material with what was chosen, and a sentence that says what it is."""
    try:
        pack = await choosing
    except (BadInput, CouldNotFinish) as error:
        note = (
            f"The code around the change could not be read, so seats read the diff alone: {error}"
        )
        return replace(material, notes=(*material.notes, note))
    if not pack.pieces and not pack.left:
        return material
    return replace(
        material,
        around=pack.pieces,
        around_left=pack.left,
        redacted=material.redacted + pack.secrets,
        notes=(*material.notes, _told(pack)),
    )


def _told(pack: Pack) -> str:
    places = len(pack.pieces)
    read = (
        f"Beside the change seats read {places} place{'s' * (places != 1)} of the code around it "
        f"({around_chars(pack.pieces):,} characters)"
    )
    if not pack.left:
        return f"{read}."
    return f"{read}; for {len(pack.left)} more there was no room: {', '.join(pack.left[:3])}."
