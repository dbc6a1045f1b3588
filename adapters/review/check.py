"""The check of a change: one line with the verdict, how much was read, and a link to the debate.
All of it is computed; no word of a model is in it.

A check is green only for a change that was read and that nothing blocks. An unfinished debate, a
demonstration or a what-if is neutral: a review that was skipped must not look like one that passed.
A verdict that blocks without the right to block is advice: it keeps nobody from merging.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from adapters.review.amendment import NO_NAMES, changed_words, objection_lines
from core.debate.state import Debate
from core.debate.verdict.condition import is_for_show
from core.debate.verdict.gate import gated
from core.languages import say
from core.words.views.documents.review import (
    NO_VERDICT_YET,
    NOT_HELD,
    RUNNING,
    check_title,
    is_read_in_part,
    is_unfinished,
)
from core.words.views.history import gate_sentence, meter_lines
from core.words.views.verdict.coverage import coverage_line
from core.words.views.verdict.decision import decision

NAME = "debatebot"


class Conclusion(StrEnum):
    RUNNING = "running"
    PASSED = "passed"
    BLOCKED = "blocked"
    ADVISED = "advised"  # something must be fixed, and the check may not block
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class CommitCheck:
    """The check that a commit shows on its forge. ``mark`` holds the debate's id, by which the
    check is found again; ``queued`` marks that of a merge queue, which may not
    stay pending. ``title`` fits a status line (140 characters), ``summary`` is Markdown.
    """

    mark: str
    head: str
    conclusion: Conclusion
    title: str
    summary: str
    link: str = ""
    queued: bool = False


def queued(check: CommitCheck | None, head: str) -> CommitCheck:
    """Returns the check of a commit that a merge queue tests: the verdict on the change, or neutral
    if there is none, since the queue waits for a check that is not there yet.
    """
    if check is None or check.conclusion is Conclusion.RUNNING:
        mark, text = f"queue:{head}", say(NO_VERDICT_YET)
        return CommitCheck(mark, head, Conclusion.NEUTRAL, text, text, queued=True)
    return replace(check, mark=f"queue:{head}", head=head, queued=True)


def running(debate: str, head: str, link: str = "") -> CommitCheck:
    return CommitCheck(debate, head, Conclusion.RUNNING, say(RUNNING), say(RUNNING), link)


def ended(debate: Debate, link: str = "", names: Mapping[str, str] = NO_NAMES) -> CommitCheck:
    """Returns the check of a debate that is over, or that could not begin; ``names`` are the
    display names of people who objected.
    """
    if debate.opened is None or debate.failure:
        head = debate.opened.material.revision if debate.opened else ""
        return CommitCheck(debate.id, head, Conclusion.NEUTRAL, say(NOT_HELD), say(NOT_HELD), link)
    material = debate.open.material
    title = f"{check_title(debate)}{changed_words(debate, names)}"
    read = say(
        "Read: {replace}.", replace=coverage_line(debate).replace("`", chr(39)) or say("all of it")
    )
    objected = objection_lines(debate, names)
    parts = (f"{title}.", *objected, gate_sentence(debate), *meter_lines(debate), read)
    summary = "\n\n".join(filter(None, parts))
    head = material.facts.get("head", material.revision)
    return CommitCheck(debate.id, head, _conclusion(debate), title, summary, link)


def _conclusion(debate: Debate) -> Conclusion:
    if is_for_show(debate) or is_unfinished(debate):
        return Conclusion.NEUTRAL
    if decision(debate).blocks:
        allowed = gated(debate)
        if allowed.advises:
            return Conclusion.ADVISED
        if allowed.blocks:
            return Conclusion.BLOCKED
        return Conclusion.NEUTRAL
    if is_read_in_part(debate):
        return Conclusion.NEUTRAL
    return Conclusion.PASSED
