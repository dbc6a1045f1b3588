"""An opening that describes a defect which none of its findings locates: its seat is asked for that
finding once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.debate.finding import Finding
from core.debate.replies import Statement

BLOCKS = "You ask for changes, and none of your findings can be found in the change."
TELLS = "You tell of a defect that none of your findings holds."


def with_findings(statement: Statement, located: Sequence[Finding]) -> Statement:
    """Returns the opening with the findings that its seat sent when it was asked for them.

    A located one replaces those that could not be located; an empty list changes nothing.
    """
    if not located:
        return statement
    kept = list(statement.findings)
    if any(finding.anchored for finding in located):
        kept = [finding for finding in kept if finding.anchored]
    known = {(f.path, f.line, f.title) for f in kept}
    new = [f for f in located if (f.path, f.line, f.title) not in known]
    last = max((int(f.id.rpartition(".f")[2]) for f in statement.findings), default=0)
    named = (replace(f, id=f"{f.id.rpartition('.f')[0]}.f{n}") for n, f in enumerate(new, last + 1))
    return replace(statement, findings=(*kept, *named), untold="")
