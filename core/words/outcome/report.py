"""Writes the template's report as Markdown, and below it how the decision came about.

Sections that a model wrote are made inert first (``core.debate.material.plaintext``); code fills in
decisions, scores and counts, so no model can report a verdict that nobody computed. An unanswered
question is marked as such.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from typing import Any

from core.debate.checks import run_checks
from core.debate.finding import Severity
from core.debate.material.plaintext import neutral, one_line
from core.debate.replies.sections import FINDINGS, is_computed, placeholders
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.languages import decimal, msgid, say, say_if
from core.words.outcome.appendix import appendix, dissent, linked_place
from core.words.outcome.sections import fork_comparison
from core.words.outcome.unwritten import unwritten
from core.words.views.documents.headings import HOW_DECIDED, confidence_words
from core.words.views.language.grammar import capital, option_words
from core.words.views.language.once import once
from core.words.views.language.references import finding_title
from core.words.views.verdict.decision import DEMONSTRATION, decision
from core.words.views.verdict.rule import agreement
from core.words.views.verdict.scores import (
    NOT_ASSESSED,
    asked_for_findings,
    risk,
    risk_level,
    scores,
)

_NOT_ANSWERED = msgid("_not answered_")
_TITLE = 160
_HEADING = re.compile(r"^(#{1,5} )", re.MULTILINE)
TITLE_OF = re.compile(r"^(#{1,5} |\*\*)([A-Z][\w /&'’-]*\w)", re.MULTILINE)
"""Matches the words of a heading, or of a bold label, in a template's form."""
_UNSCORED = re.compile(rf"^(#+ .*) \({NOT_ASSESSED}\)$", re.MULTILINE)
"""Matches a title without a score; the findings below it are kept."""


def report(debate: Debate, parent: Mapping[str, Any] | None = None) -> str:
    """Returns the whole report. ``parent`` is the outcome of the debate that this one was forked
    from.
    """
    return f"{as_asked(debate)}\n\n---\n\n{render_account(account(debate, parent))}\n"


def as_asked(debate: Debate) -> str:
    """Returns the report in its template's form, without how the decision came about."""
    above = (f"> **{note}**" for note in notes(debate))
    return "\n\n".join(filter(None, (*above, written(debate))))


def notes(debate: Debate) -> tuple[str, ...]:
    """Returns the warnings that come first."""
    refused = " ".join(run_checks(debate).refused)
    demo = say_if(debate.open.terms.demo, DEMONSTRATION)
    return tuple(filter(None, (demo, refused)))


@once
def written(debate: Debate, *, lower: bool = False) -> str:
    """Fills in the template's form; with ``lower`` its headings are a level lower."""
    form = TITLE_OF.sub(
        lambda title: f"{title[1]}{say(title[2])}", debate.open.template.output_format
    )
    if lower:
        form = _HEADING.sub(r"#\1", form)
    return _filled(debate, form).strip()


def account(debate: Debate, parent: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns how the decision came about: a text for each title, "" if there is nothing to say."""
    return {
        **appendix(debate),
        **dict(run_checks(debate).sections),
        say("Fork"): fork_comparison(debate, parent),
    }


def render_account(account: Mapping[str, str]) -> str:
    """Renders how the decision came about, each part below its title."""
    texts = {title: text for title, text in account.items() if text}
    parts = [f"### {title}\n\n{text}" if title else text for title, text in texts.items()]
    return "\n\n".join((f"## {say(HOW_DECIDED)}", *parts))


def _filled(debate: Debate, form: str) -> str:
    values = unwritten(debate)
    by_code = debate.open.template.findings
    values |= {
        name: neutral(text)
        for name, text in _sections(debate).items()
        if not (by_code and name.endswith(FINDINGS))
    }
    for name in filter(is_computed, placeholders(form)):
        values[name] = _computed(debate, name)
    whole = "".join(
        text + ((values.get(name) or say(_NOT_ANSWERED)) if name else "")
        for text, name, _, _ in string.Formatter().parse(form)
    )
    whole = whole.replace(
        f"{say(NOT_ASSESSED)}/10", say(NOT_ASSESSED)
    )  # a unit belongs to a number
    unscored = _UNSCORED.pattern.replace(NOT_ASSESSED, re.escape(say(NOT_ASSESSED)))
    return re.sub(unscored, r"\1", whole, flags=re.MULTILINE)


def _sections(debate: Debate) -> dict[str, str]:
    """Returns the sections of the closing replies; a later one replaces an earlier one only if it
    is not empty.
    """
    sections: dict[str, str] = {}
    for turn, statement in debate.statements():
        if turn.closing:
            sections |= {name: text for name, text in statement.sections.items() if text.strip()}
    return sections


def _computed(debate: Debate, name: str) -> str:
    if name.endswith("_score"):
        return _score(debate, name)
    if name.endswith("_count"):
        return str(_count(debate, name.removesuffix("_count")))
    if name in _COMPUTED:
        return _COMPUTED[name](debate)
    return one_line(debate.open.material.title, _TITLE)


def _decision(debate: Debate) -> str:
    made = decision(debate)
    if made.reached:
        return option_words(verdict(debate).decision)
    return made.headline.rstrip(".")


def _incident(debate: Debate) -> str:
    material = debate.open.material
    return one_line(material.facts.get("incident_id", "") or material.title)


def _score(debate: Debate, name: str) -> str:
    """Returns a score out of 10. The criterion is the rubric's whose name begins like the
    placeholder's; the unit is added if the form has none.
    """
    stem = name.removesuffix("_score")
    if stem == "risk":
        values = [risk(merge_findings(debate))] if asked_for_findings(debate) else []
    else:
        values = [
            10 * share
            for criterion, share in scores(debate).items()
            if criterion.startswith((stem, stem.rstrip("s"))) or stem.startswith(criterion)
        ]
    if not values:
        return say(NOT_ASSESSED)
    unit = "/10"
    if re.search(rf"\{{{name}\}}\s*/", debate.open.template.output_format):
        unit = ""
    return f"{decimal(values[0], 1)}{unit}"


def _count(debate: Debate, what: str) -> int:
    severities = [f.wording.severity.value for f in merge_findings(debate) if _is_counted(f)]
    if what in set(Severity):
        return severities.count(what)
    return len(severities)


def _is_counted(finding: MergedFinding) -> bool:
    return finding.state is FindingState.OPEN and finding.evident


def _critical(debate: Debate) -> str:
    lines = []
    for finding in merge_findings(debate):
        f = finding.wording
        if finding.blocking or (f.severity is Severity.CRITICAL and _is_counted(finding)):
            severity, title = f"- **{say(f.severity.value)}**", one_line(finding_title(f))
            lines.append(" ".join(filter(None, (severity, linked_place(debate, finding), title))))
    if not lines and not asked_for_findings(debate):
        return f"{capital(say(NOT_ASSESSED))}."
    return "\n".join(lines) or say("None found.")


_COMPUTED: Mapping[str, Callable[[Debate], str]] = {
    "decision": _decision,
    "recommendation": _decision,
    "assessment": _decision,
    "status": _decision,
    "confidence": confidence_words,
    "consensus": agreement,
    "dissent": dissent,
    "critical_issues": _critical,
    "risk_level": risk_level,
    "risk_rating": risk_level,
    "incident_id": _incident,
}
