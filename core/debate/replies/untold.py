"""Decides whether an opening tells of a defect that none of its findings locates; its seat is then
asked for that finding once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from core.debate.finding import Finding
from core.debate.replies import Statement

BLOCKS = "You ask for changes, and none of your findings can be found in the change."
TELLS = "You tell of a defect that none of your findings holds."


def lacks_finding(
    statement: Statement, blocking: Collection[str], before: Sequence[Finding] = ()
) -> str:
    """Returns why the opening lacks a finding, or "".

    ``blocking`` are the options that block; ``before`` are the findings that the seat reported
    when it read the parts of a large change. A seat that confirms a finding of an earlier run has
    named its place.
    """
    if statement.untold:
        return TELLS
    stance = statement.stance
    if stance is None or stance.option not in blocking or statement.answers:
        return ""
    if any(finding.anchored for finding in (*before, *statement.findings)):
        return ""
    return BLOCKS


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
    number = max((_number(f.id) for f in statement.findings), default=0)
    named = [replace(f, id=_renumbered(f.id, number + n)) for n, f in enumerate(new, 1)]
    return replace(statement, findings=(*kept, *named), untold="")


def _number(id: str) -> int:
    return int(id.rpartition(".f")[2])


def _renumbered(id: str, number: int) -> str:
    return f"{id.rpartition('.f')[0]}.f{number}"
