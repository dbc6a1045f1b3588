"""Adds the code around a change: it is chosen and parsed in a process that can be ended, and a
failure never stops the debate.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import replace

from adapters.processes.workers import ReaderFailed, TakesTooMuch
from adapters.repository.around import Pack
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material import Material
from core.debate.material.coverage import tokens_in
from core.debate.material.rendering import around_chars, render_records
from core.debate.stored import stored, stored_many

logger = logging.getLogger(__name__)

_SHARE = 0.15
"""The largest share of the material's budget for code around the change; the change itself goes
first.
"""
_MOST = 18_000
"""Characters in any case: more context made reviewers worse, not better (arXiv 2603.26130)."""


def room_around(material: Material, budget: int) -> int:
    """Returns characters of prompt for the code around a change, from the rest of ``budget``
    tokens; none for a change that is read in parts.
    """
    if material.parts:
        return 0
    beside = material.body + material.guidelines + render_records(material.records)
    left = budget - tokens_in(material.text) - tokens_in(beside)
    return max(0, min(_MOST, 3 * min(int(budget * _SHARE), left)))


async def with_around(material: Material, choosing: Awaitable[Pack]) -> Material:
    """Returns the material with the chosen code, and a sentence that describes it."""
    try:
        pack = await choosing
    except (TakesTooMuch, ReaderFailed) as error:  # their own words are of a text to be debated
        return unread_around(material, f"{error.why}.")
    except (BadInput, CouldNotFinish) as error:
        return unread_around(material, str(error))
    except Exception:  # our defect: it is logged, and the change is debated all the same
        logger.exception("code around a change", extra={"action": "around_failed"})
        return unread_around(material, stored("that failed unexpectedly, and the log says where."))
    if not pack.pieces and not pack.left and not pack.tangled:
        return material
    return replace(
        material,
        around=pack.pieces,
        around_left=pack.left,
        redacted=material.redacted + pack.secrets,
        notes=(*material.notes, _told(pack)),
    )


def unread_around(material: Material, why: str) -> Material:
    """Returns the material as it is, with the reason why no code was added."""
    note = stored(
        "The code around the change could not be read, so seats read only the diff: {why}", why=why
    )
    return replace(material, notes=(*material.notes, note))


def _told(pack: Pack) -> str:
    parts = [
        stored_many(
            len(pack.pieces),
            "Besides the change, seats read {n} place of the code around it ({chars} characters)",
            "Besides the change, seats read {n} places of the code around it ({chars} characters)",
            chars=f"{around_chars(pack.pieces):,}",
        )
    ]
    if pack.left:
        more, places = len(pack.left), ", ".join(pack.left[:3])
        parts.append(
            stored("for {more} more there was no room: {places}", more=more, places=places)
        )
    if pack.tangled:
        files = ", ".join(pack.tangled[:3])
        parts.append(stored("too tangled to look through: {files}", files=files))
    return f"{'; '.join(parts)}."
