"""Turns the typed answers of a cross-examination into sentences: seats fill in fields only, so that
they give evidence instead of arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from core.debate.replies import Answer, Position
from core.debate.stored import stored

SAID_OF_IT: Final = {
    Position.AGREE: stored("must be fixed"),
    Position.DISPUTE: stored("need not be fixed"),
    Position.KEEP: stored("is kept"),
    Position.WITHDRAW: stored("is withdrawn"),
    Position.CONCEDE: stored("is conceded"),
    Position.ANSWERED: stored("is answered"),
    Position.MUST_FIX: stored("is real and must be fixed"),
    Position.NEED_NOT: stored("is real and need not block"),
    Position.NOT_REAL: stored("is not real"),
}
"""The verb of each position, as it follows a finding's name."""


def with_reason(answer: Answer) -> Answer:
    """Returns the answer with its evidence as the reason: the quoted line or the named input,
    behind the seat's own words.
    """
    parts = (" ".join(answer.because.split()).rstrip(". "), _evidence(answer))
    return replace(answer, because=": ".join(filter(None, parts)))


def own_words(answer: Answer) -> str:
    """Returns the seat's own words of an answer whose reason ends with its evidence."""
    return answer.because.removesuffix(_evidence(answer)).rstrip(": ")


def in_words(answers: Sequence[Answer]) -> str:
    """Returns a sentence for each answer with its reason; findings are named by ids."""
    return " ".join(point_sentence(a.to, SAID_OF_IT[a.position], a) for a in answers)


def point_sentence(point: str, verb: str, answer: Answer) -> str:
    """Returns a sentence with what the answer says of a point, and why."""
    return as_sentence(": ".join(filter(None, (f"{point} {verb}", answer.because))))


def _evidence(answer: Answer) -> str:
    if answer.checked:
        quoted = " ".join(answer.quote.split()).replace("`", "'")
        return f"{answer.path}:{answer.line} says `{quoted}`"
    match answer.position:
        case Position.DISPUTE:
            return "no line of the code is quoted"
        case Position.MUST_FIX | Position.NEED_NOT | Position.NOT_REAL:
            return ""
        case Position.KEEP if not answer.input:
            return "no input is named that reaches it"
        case Position.WITHDRAW:
            return ""
        case _:
            return " ".join(answer.input.split())


def as_sentence(text: str) -> str:
    """Returns the text with a full stop, unless it ends with a mark."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
