"""Chooses the language of a debate: as requested, else the place's, else that of its question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from core.debate.events import DebateRequest
from core.debate.material import Material, MaterialKind
from core.languages import ENGLISH
from core.languages.detection import detect

_PROSE = (MaterialKind.QUESTION, MaterialKind.DOCUMENT, MaterialKind.INCIDENT)
FindLanguage = Callable[[str], Awaitable[str]]
"""Returns the language that was set for a place or a person, "" for none."""


async def language_of(request: DebateRequest, material: Material, find: FindLanguage | None) -> str:
    """Returns the code of the language in which the seats write and which the thread has, "" if
    nobody chose one and the question is English or in no shipped language.
    """
    if chosen := request.extras.get("language", ""):
        return chosen
    if find is not None and (set_here := await find(request.place)):
        return set_here
    prose = material.text if material.kind in _PROSE else ""
    language = detect(f"{material.title}\n{material.body}\n{prose}")
    return "" if language == ENGLISH else language
