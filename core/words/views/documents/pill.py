"""Shows a debate's end as one small mark with words and one of six colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.debate.template import Template
from core.debate.verdict import same_option
from core.languages import say
from core.words.views.course.progress import STATUS
from core.words.views.verdict.labels import stored_label, was_decided


class Colour(StrEnum):
    """The colour of a mark. ``BLOCKED``: the change does not go in. ``COMMENTS``: it does, with
    remarks. ``APPROVED``: it does. ``UNDECIDED``: nothing was reached. ``FAILED`` and ``RUNNING``
    are the debate's status.
    """

    BLOCKED = "blocked"
    COMMENTS = "comments"
    APPROVED = "approved"
    UNDECIDED = "undecided"
    FAILED = "failed"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Pill:
    colour: Colour
    words: str


def pill(
    status: str, option: str, mechanism: str, *, reached: bool, template: Template | None
) -> Pill:
    """Returns the mark of a stored debate; ``option`` is empty while there is no verdict,
    ``template`` None if it no longer exists.
    """
    if status == DebateStatus.FAILED:
        return Pill(Colour.FAILED, say(STATUS[status]))
    if not option:
        colour = Colour.UNDECIDED if status == DebateStatus.STOPPED else Colour.RUNNING
        return Pill(colour, say(STATUS[status]))
    words = stored_label(option, mechanism, reached=reached)
    if not was_decided(option, mechanism, reached=reached):
        return Pill(Colour.UNDECIDED, words)
    chosen = [one for one in template.ballot if same_option(one.option, option)] if template else []
    if not chosen:
        return Pill(Colour.UNDECIDED, words)
    if chosen[0].blocks:
        return Pill(Colour.BLOCKED, words)
    return Pill(Colour.COMMENTS if chosen[0].strict else Colour.APPROVED, words)


def colour_of(debate: Debate, verdict: Mapping[str, Any]) -> str:
    """Returns the colour of the page of a debate with a verdict, given the outcome document's
    ``verdict``: that of its mark in a list.
    """
    option, by = str(verdict["decision"]), str(verdict["mechanism"])
    reached, template = bool(verdict["reached"]), debate.open.template
    return pill(debate.status, option, by, reached=reached, template=template).colour
