"""The template's report as Markdown, and below it how the decision came about.

Sections that a model wrote are made inert first (``core.material.plaintext``); decisions, scores
and counts are filled in by code, so no model can report a verdict that nobody computed. What nobody
answered is said to be unanswered.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from core.checks import run_checks
from core.debate import Debate, once
from core.material.plaintext import neutral, one_line
from core.outcome.appendix import agreement, appendix, dissent, linked_place, section
from core.outcome.scores import NOT_ASSESSED, asked_for_findings, risk, risk_level, scores
from core.outcome.sections import fork_comparison
from core.outcome.unwritten import unwritten
from core.replies import Severity
from core.replies.sections import is_computed, placeholders
from core.verdict import DEMONSTRATION, Verdict, label, same_option, verdict
from core.verdict.findings import MergedFinding, State, merge_findings

_NOT_ANSWERED = "_not answered_"


def report(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """The whole report. ``parent`` is the outcome of the debate that this one was forked from."""
    if parent is None:
        return _whole(debate)
    return _written_out(debate, parent)


@once
def _whole(debate: Debate) -> str:
    return _written_out(debate, None)


def _written_out(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    decided, findings = verdict(debate), merge_findings(debate)
    checks = run_checks(debate)
    parts = [
        _filled(debate, decided, findings).strip(),
        "---",
        *appendix(debate, decided, findings),
        *(section(title, text) for title, text in checks.sections),
        section("Fork", fork_comparison(debate, parent, decided)),
    ]
    if checks.refused:
        parts.insert(0, f"> **{' '.join(checks.refused)}**")
    if debate.open.terms.demo:
        parts.insert(0, f"> **{DEMONSTRATION}.**")
    return "\n\n".join(filter(None, parts)) + "\n"


def _filled(debate: Debate, decided: Verdict, findings: tuple[MergedFinding, ...]) -> str:
    form = debate.open.template.output_format
    values = unwritten(debate, decided, findings)
    values |= {name: neutral(text) for name, text in _written(debate).items()}
    for name in filter(is_computed, placeholders(form)):
        values[name] = _computed(debate, name, decided, findings)
    whole = "".join(
        text + ((values.get(name) or _NOT_ANSWERED) if name else "")
        for text, name, _, _ in string.Formatter().parse(form)
    )
    return whole.replace(f"{NOT_ASSESSED}/10", NOT_ASSESSED)  # a unit belongs to a number


def _written(debate: Debate) -> dict[str, str]:
    """The sections of the closing replies; a later one replaces an earlier one only where it says
    something.
    """
    sections: dict[str, str] = {}
    for turn, statement in debate.statements():
        if turn.closing:
            sections |= {name: text for name, text in statement.sections.items() if text.strip()}
    return sections


def _computed(
    debate: Debate, name: str, decided: Verdict, findings: tuple[MergedFinding, ...]
) -> str:
    if name.endswith("_score"):
        return _score(debate, name, findings)
    if name.endswith("_count"):
        return str(_count(name.removesuffix("_count"), findings))
    material = debate.open.material
    made: Mapping[str, Callable[[], str]] = {
        "decision": lambda: _decision(decided),
        "recommendation": lambda: _decision(decided),
        "assessment": lambda: _decision(decided),
        "status": lambda: _decision(decided),
        "confidence": lambda: _confidence(debate, decided),
        "consensus": lambda: f"{agreement(debate, decided)}, {decided.reached_label}",
        "dissent": lambda: dissent(debate, decided, findings),
        "critical_issues": lambda: _critical(debate, findings),
        "risk_level": lambda: risk_level(debate, findings),
        "risk_rating": lambda: risk_level(debate, findings),
        "incident_id": lambda: one_line(material.facts.get("incident_id", "") or material.title),
    }
    if name in made:
        return made[name]()
    return one_line(material.title)


def _confidence(debate: Debate, decided: Verdict) -> str:
    """What the seats that hold the decision say of themselves; nobody has calibrated it."""
    stated = [
        stance.confidence
        for _, stance in debate.stances().values()
        if same_option(stance.option, decided.decision)
    ]
    if not stated:
        return NOT_ASSESSED
    seats = f"{len(stated)} seat{'s' * (len(stated) > 1)}"
    return f"{median(stated):.0%}, as {seats} stated it, not calibrated"


def _decision(decided: Verdict) -> str:
    if decided.reached:
        return label(decided.decision)
    return f"{label(decided.decision)} (agreement not reached)"


def _score(debate: Debate, name: str, findings: tuple[MergedFinding, ...]) -> str:
    """Out of 10. The criterion is the rubric's whose name begins like the placeholder's; the unit
    is added where the form has none.
    """
    stem = name.removesuffix("_score")
    if stem == "risk":
        values = [risk(findings)] if asked_for_findings(debate) else []
    else:
        values = [
            10 * share
            for criterion, share in scores(debate).items()
            if criterion.startswith((stem, stem.rstrip("s"))) or stem.startswith(criterion)
        ]
    if not values:
        return NOT_ASSESSED
    unit = "" if re.search(rf"\{{{name}\}}\s*/", debate.open.template.output_format) else "/10"
    return f"{values[0]:.1f}{unit}"


def _count(what: str, findings: tuple[MergedFinding, ...]) -> int:
    counted = (f for f in findings if f.state is State.OPEN and f.evident)
    severities = [f.shown.severity.value for f in counted]
    if what in set(Severity):
        return severities.count(what)
    return len(severities)


def _critical(debate: Debate, findings: tuple[MergedFinding, ...]) -> str:
    lines = [
        f"- **{f.shown.severity}** {linked_place(debate, f)} {one_line(f.shown.title)} ({f.id})"
        for f in findings
        if f.blocking
    ]
    return "\n".join(lines) or "None found."
