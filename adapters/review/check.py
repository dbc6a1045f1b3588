"""The one line that a change's list of checks shows: the verdict, how much was read, and where the
debate is. All of it is computed; no word of a model is in it.

A check is green only for a change that was read and that nothing blocks. What was not finished, or
was a demonstration, is neutral: a review that was skipped must not look like one that passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from adapters.posts.words import coverage_line
from core.debate import Debate
from core.material import Read
from core.verdict import FAILED, NO_QUORUM, blocks, label, verdict
from core.verdict.findings import State, merge_findings
from core.verdict.unread import covered

NAME = "debatebot"


class Conclusion(StrEnum):
    RUNNING = "running"
    PASSED = "passed"
    BLOCKED = "blocked"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Check:
    """``mark`` is the debate. ``title`` fits a status line (140 characters), ``summary`` is
    Markdown of ours.
    """

    mark: str
    head: str
    conclusion: Conclusion
    title: str
    summary: str
    link: str = ""


def running(debate: str, head: str, link: str = "") -> Check:
    told = "The debate is running."
    return Check(debate, head, Conclusion.RUNNING, told, told, link)


def ended(debate: Debate, link: str = "") -> Check:
    """The check of a debate that is over, or that could not begin."""
    if debate.opened is None or debate.failure:
        told = "The debate could not be held; nothing was reviewed."
        head = ""
        if debate.opened:
            head = debate.opened.material.revision
        return Check(debate.id, head, Conclusion.NEUTRAL, told, told, link)
    material = debate.open.material
    head = material.facts.get("head", material.revision)
    decided = verdict(debate)
    found = merge_findings(debate)
    fix = sum(m.blocking for m in found)
    think = sum(m.state is State.OPEN for m in found) - fix
    counts = f"{fix} to fix, {think} to think about"
    read = coverage_line(debate) or "read in full"
    partly = any(c.state is not Read.FULL for c in covered(debate))
    lost = decided.decision in (FAILED, NO_QUORUM) or debate.status in ("failed", "stopped")
    if debate.open.terms.demo:
        return _neutral(debate, head, "Demonstration, not a review", read, link)
    if lost:
        return _neutral(debate, head, "No verdict: the debate did not come to its end", read, link)
    said = f"{label(decided.decision).capitalize()}: {counts}"
    if blocks(debate, decided.decision):
        return Check(debate.id, head, Conclusion.BLOCKED, said, _summary(said, read), link)
    if partly:
        return _neutral(debate, head, f"{said}; not everything was read", read, link)
    return Check(debate.id, head, Conclusion.PASSED, said, _summary(said, read), link)


def _neutral(debate: Debate, head: str, title: str, read: str, link: str) -> Check:
    return Check(debate.id, head, Conclusion.NEUTRAL, title, _summary(title, read), link)


def _summary(said: str, read: str) -> str:
    return f"{said}.\n\nRead: {read.replace('`', chr(39))}."
