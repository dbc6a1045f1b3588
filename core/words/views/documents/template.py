"""Describes what happens in a debate on a template, and what decides it."""

from __future__ import annotations

from core.debate.formats.plan import CONTESTED, OPENINGS
from core.debate.template import Template
from core.debate.verdict.findings.contested import MOST_ARGUING

_MOST_CALLS = 14


def decided_by(template: Template) -> str:
    """Names what decides: a share of the seats, or the rule of a review."""
    if template.findings:
        return "one rule over findings and votes decides (`debate docs judgement`)"
    return f"it takes {template.consensus_threshold:.0%} of the seats"


def course(template: Template) -> str:
    """Describes a course that the template's phases do not show; empty for most."""
    if not template.findings or template.format != CONTESTED:
        return ""
    return (
        f"{OPENINGS} seats open. If nothing that would change the decision is contested, the "
        f"debate ends there. Else the author answers, {MOST_ARGUING} seats argue in two rounds at "
        f"most and decide again: {_MOST_CALLS} calls at most. --format phased plays all phases."
    )
