"""Tells apart what a person pasted or typed into the field of the start page, by the shell's
rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from adapters.forges.links import looks_like_link
from adapters.material.file import is_diff
from core.application.commands.named import change_url
from core.application.commands.parsing import PANEL, REVIEW, is_change, is_question
from core.application.commands.pasted import pasted_diff
from core.words.views.course.taken import TakenFor

COMMAND = "/debate"
_TEXT = 3
"""Typed words of at least this many lines are a text and no question."""


@dataclass(frozen=True, slots=True)
class MaterialGuess:
    """A guess about the content of the field: ``what`` it is, the ``template`` that fits it ("" if
    none does), and whether the material itself was ``pasted``.
    """

    what: TakenFor
    template: str = ""
    pasted: bool = False


def take(target: str, attached: str = "", name: str = "") -> MaterialGuess:
    """Sorts the content of the field, or of the attached file."""
    typed = target.strip()
    if typed.startswith(COMMAND):
        return MaterialGuess(TakenFor.COMMAND)
    if attached:
        diff = is_diff(name, attached.encode())
        return (
            MaterialGuess(TakenFor.CHANGE, REVIEW) if diff else MaterialGuess(TakenFor.TEXT, PANEL)
        )
    if pasted_diff(target):
        return MaterialGuess(TakenFor.CHANGE, REVIEW, pasted=True)
    first = next(iter(typed.split()), "")
    named = typed if change_url(first) else first  # with words after it owner/name#7 is in a text
    if looks_like_link(typed) or is_change(named):
        return MaterialGuess(TakenFor.LINK, REVIEW)
    if not is_question(typed):
        return MaterialGuess(TakenFor.UNCLEAR)
    lines = len(typed.splitlines())
    return MaterialGuess(TakenFor.TEXT if lines > _TEXT else TakenFor.QUESTION, PANEL)
