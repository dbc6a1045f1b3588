"""Says what kind of input a person's text was recognised as, beside the field in which they typed
it.
"""

from __future__ import annotations

from enum import StrEnum

from core.languages import say


class TakenFor(StrEnum):
    """The kind of the text; ``UNCLEAR`` is too little to begin anything with."""

    CHANGE = "a change of code"
    LINK = "a link"
    COMMAND = "a command"
    TEXT = "a text"
    QUESTION = "a question"
    UNCLEAR = ""


def taken_words(what: TakenFor, template: str) -> str:
    """Describes the kind: "Taken for a change of code: Code Review." """
    if what is TakenFor.UNCLEAR:
        return say("Too short for a question: give a few more words, a link, a diff or a file.")
    if what is TakenFor.COMMAND:
        return say("Taken for {what}.", what=what)
    return say("Taken for {what}: {template}.", what=what, template=template)
