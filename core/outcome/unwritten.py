"""The sections of a review's report where nobody wrote them: a debate that had nothing to settle
spends nothing on a closing word, so code lists what the seats found.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.debate import Debate
from core.material.plaintext import cell, one_line
from core.replies.sections import written_sections
from core.verdict import Verdict
from core.verdict.findings import CODE, MergedFinding, State, role_behind


def unwritten(
    debate: Debate, decided: Verdict, findings: Sequence[MergedFinding]
) -> dict[str, str]:
    """Section -> Markdown, for those that follow from what was found; empty where a closing word
    was due.
    """
    if debate.stop is None or debate.stop.closing:
        return {}
    sections: dict[str, str] = {}
    for name in written_sections(debate.open.template):
        if name.endswith("_findings"):
            stem = name.removesuffix("_findings")
            sections[name] = _listed([f for f in findings if _concerns(debate, f, stem)])
        elif name.startswith("action"):
            sections[name] = "\n".join(f"- {a}" for a in decided.actions) or "None."
        elif name.endswith(("notes", "summary")):
            sections[name] = one_line(f"{decided.summary} {debate.stop.detail}")
    return sections


def _concerns(debate: Debate, found: MergedFinding, stem: str) -> bool:
    """Whether a seat whose role begins so raised it, now or in an earlier run."""
    raised = [r for r in found.raised if r.seat != CODE]
    return any(role_behind(debate, r, found.earlier).startswith(stem) for r in raised)


def _listed(findings: Sequence[MergedFinding]) -> str:
    lines = []
    for f in findings:
        shown = f.shown
        line = f":{shown.line}" if shown.line is not None else ""
        place = f"`{cell(shown.path, 120).replace('`', chr(39))}{line}` " if shown.path else ""
        state = "" if f.state is State.OPEN else f" [{f.state.value}]"
        lines.append(f"- **{shown.severity}** {place}{one_line(shown.title)} ({f.id}){state}")
    return "\n".join(lines) or "Nothing found."
