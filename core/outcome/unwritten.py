"""Fills the sections of a review's report that no seat wrote with the seats' findings.

A debate that had nothing to settle spends nothing on a closing statement, and a demonstration
leaves it to code.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.debate import Debate
from core.formats.demonstration import LEFT_TO_CODE
from core.material.plaintext import one_line, place_as_code
from core.replies.placing import placing_note
from core.replies.sections import written_sections
from core.replies.tasks import TASKS
from core.verdict import Verdict
from core.verdict.findings import CODE, FindingState, MergedFinding, role_behind
from core.views.documents.headings import PROVEN
from core.views.verdict.decision import decision
from core.views.verdict.findings import state_words


def unwritten(
    debate: Debate, decided: Verdict, findings: Sequence[MergedFinding]
) -> dict[str, str]:
    """Returns section -> Markdown, for the sections that follow from the findings; empty where a
    closing statement was due.
    """
    stop, turns = debate.stop, debate.turns
    nothing_due = stop is not None and not stop.closing
    closing_due = any("sections" in TASKS[t.task].asks and t.when != LEFT_TO_CODE for t in turns)
    if closing_due and not nothing_due:
        return {}
    sections: dict[str, str] = {}
    for name in written_sections(debate.open.template):
        if name.endswith("_findings"):
            stem = name.removesuffix("_findings")
            sections[name] = _listed([f for f in findings if _concerns(debate, f, stem)])
        elif name.startswith("action"):
            sections[name] = _actions(decided, findings)
        elif name.endswith(("notes", "summary")):
            line = one_line(f"{decision(debate).summary} {stop.detail if stop else ''}")
            sections[name] = "\n\n".join((line, *_proven(findings)))
    return sections


def _actions(decided: Verdict, findings: Sequence[MergedFinding]) -> str:
    """Lists the fixes, and the findings that must be fixed where no seat said how."""
    listed = decided.actions or [one_line(f.wording.title) for f in findings if f.blocking]
    return "\n".join(f"- {action}" for action in listed) or "None."


def _proven(findings: Sequence[MergedFinding]) -> list[str]:
    """Lists the findings that need no judgement, in a paragraph of their own."""
    proven = [f for f in findings if f.proven]
    if not proven:
        return []
    return [f"{PROVEN}\n\n{_listed(proven)}"]


def _concerns(debate: Debate, finding: MergedFinding, stem: str) -> bool:
    """Says whether a seat whose role begins so raised it, now or in an earlier run."""
    raised = [r for r in finding.raised if r.seat != CODE]
    return any(role_behind(debate, r, finding.earlier).startswith(stem) for r in raised)


def _listed(findings: Sequence[MergedFinding]) -> str:
    return "\n".join(f"- {_line(f)}" for f in findings) or "Nothing found."


def _line(finding: MergedFinding) -> str:
    wording = finding.wording
    place = place_as_code(wording.path, wording.line) + placing_note(wording)
    parts = [f"**{wording.severity}**", place, one_line(wording.title)]
    if finding.state is not FindingState.OPEN:
        parts.append(f"[{state_words(finding)}]")
    return " ".join(filter(None, parts))
