"""Fills the sections of a review's report that follow from its findings.

The sections of findings follow the findings' categories, and each finding is in one of them. Code
writes the others as well if no closing statement was due: a review in which nothing was contested
spends nothing on one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from core.debate.finding import Category
from core.debate.material.plaintext import one_line
from core.debate.replies.sections import FINDINGS, placeholders, written_sections
from core.debate.replies.tasks import TASKS
from core.debate.script import ARGUED, LEFT_TO_CODE, MOVED
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings, role_behind
from core.debate.verdict.findings.merged import CODE, FindingState, MergedFinding
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.documents.headings import PROVEN
from core.words.views.language.references import finding_title, noted_place
from core.words.views.verdict.decision import decision
from core.words.views.verdict.findings import NOWHERE, state_words

_NEAREST: Final[Mapping[Category, Category]] = {
    Category.TESTS: Category.MAINTAINABILITY,
    Category.COMPATIBILITY: Category.CORRECTNESS,
    Category.CONFIGURATION: Category.CORRECTNESS,
}
"""Whose section holds a category that has none in the report."""


def unwritten(debate: Debate) -> dict[str, str]:
    """Returns section -> Markdown, for the sections that code fills; a closing statement replaces
    those that it writes, except the findings.
    """
    template, findings = debate.open.template, merge_findings(debate)
    sections: dict[str, str] = {}
    if template.findings:
        sections = _by_category(debate)
        for name in placeholders(template.output_format):
            if name.startswith("action"):
                sections[name] = _actions(debate)
    if _is_closing_due(debate):
        return sections
    for name in written_sections(template):
        if name.endswith(FINDINGS):
            stem = name.removesuffix(FINDINGS)
            sections[name] = listed_findings([f for f in findings if _concerns(debate, f, stem)])
        elif name.startswith("action"):
            sections[name] = _actions(debate)
        elif name.endswith(("notes", "summary")):
            made = decision(debate)
            line = " ".join((made.headline, *made.rest))
            if debate.ended_early is not None:
                line = f"{line} {say_stored(debate.ended_early.detail)}"
            parts = [one_line(line)]
            if proven := [f for f in findings if f.proven]:
                parts += [say(PROVEN), listed_findings(proven)]
            sections[name] = "\n\n".join(parts)
    return sections


def _by_category(debate: Debate) -> dict[str, str]:
    """Returns the sections of a review's findings; each finding is in one, and a section without
    any says so.
    """
    names = [n for n in placeholders(debate.open.template.output_format) if n.endswith(FINDINGS)]
    listed: dict[str, list[MergedFinding]] = {name: [] for name in names}
    for finding in merge_findings(debate):
        if names:
            listed[_section(debate, finding, names)].append(finding)
    return {name: listed_findings(some) for name, some in listed.items()}


def _section(debate: Debate, finding: MergedFinding, names: Sequence[str]) -> str:
    """Returns the section of a finding: its category's, else that of the role that raised it, else
    the first.
    """
    category = finding.category
    if category is not None:
        sections = (f"{one}{FINDINGS}" for one in (category, _NEAREST.get(category)))
        return next((name for name in sections if name in names), names[0])
    concerned = (n for n in names if _concerns(debate, finding, n.removesuffix(FINDINGS)))
    return next(concerned, names[0])


def _is_closing_due(debate: Debate) -> bool:
    """Return whether a closing statement writes the sections that code cannot know."""
    stop = debate.ended_early
    if stop is not None and not stop.closing:
        return False
    closing = [t for t in debate.turns if "sections" in TASKS[t.task].asks]
    unneeded = (LEFT_TO_CODE, ARGUED, MOVED)
    return any(debate.skipped.get(t.id) not in unneeded and t.when != LEFT_TO_CODE for t in closing)


def _actions(debate: Debate) -> str:
    listed = action_items(debate) or [
        finding_title(f.wording) for f in merge_findings(debate) if f.blocking
    ]
    return "\n".join(f"- {one_line(action)}" for action in listed) or say("None.")


def _concerns(debate: Debate, finding: MergedFinding, stem: str) -> bool:
    raised = [r for r in finding.raised if r.seat != CODE]
    return any(role_behind(debate, r, finding.demand).startswith(stem) for r in raised)


def listed_findings(findings: Sequence[MergedFinding]) -> str:
    """Lists findings, a line each, or writes that there are none."""
    return "\n".join(f"- {_line(f)}" for f in findings) or say("Nothing found.")


def _line(finding: MergedFinding) -> str:
    wording = finding.wording
    place = noted_place(wording)
    parts = [f"**{say(wording.severity.value)}**", place, one_line(finding_title(wording))]
    if finding.state is not FindingState.OPEN:
        parts.append(f"[{state_words(finding)}]")
    elif not finding.evident:
        parts.append(f"[{say(NOWHERE)}]")
    return " ".join(filter(None, parts))
