"""What is left to do after a verdict, as lines of plain text."""

from __future__ import annotations

from core.debate.material.plaintext import plain_line
from core.debate.replies.tasks import TASKS
from core.debate.state import Debate, once
from core.debate.verdict.findings import merge_findings


@once
def action_items(debate: Debate) -> tuple[str, ...]:
    """Returns the last closing reply's action items; without any, the fixes of the findings that
    must be fixed.
    """
    closed = [s for t, s in debate.statements() if t.closing and "actions" in TASKS[t.task].asks]
    if closed and closed[-1].actions:
        return tuple(filter(None, (plain_line(a) for a in closed[-1].actions)))
    if len(debate.present) < max(1, debate.open.terms.quorum):
        return ()
    fixes = (f.wording.advice for f in merge_findings(debate) if f.blocking)
    return tuple(plain_line(advice) for advice in fixes if advice)
