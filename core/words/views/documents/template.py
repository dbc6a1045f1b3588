"""Describes what happens in a debate on a template, and what decides it."""

from __future__ import annotations

from core.debate.formats.plan import OPENINGS
from core.debate.script import CONTESTED
from core.debate.template import Template
from core.debate.verdict.findings.contested import MOST_ARGUING
from core.languages import percent, say

_MOST_CALLS = 14


def decided_by(template: Template) -> str:
    """Names what decides: a share of the seats, or the rule of a review."""
    if template.findings:
        return say("one rule over findings and votes decides (`debate docs judgement`)")
    return say(
        "it takes {consensus_threshold} of the seats",
        consensus_threshold=percent(template.consensus_threshold),
    )


def course(template: Template) -> str:
    """Describes a course that the template's phases do not show; empty for most."""
    if not template.findings or template.format != CONTESTED:
        return ""
    return say(
        "{openings} seats open. If nothing that would change the decision is contested, "
        "the debate ends there. Else the author answers, {most_arguing} seats argue in "
        "two rounds at most and decide again: {most_calls} calls at most. --format "
        "phased plays all phases.",
        openings=OPENINGS,
        most_arguing=MOST_ARGUING,
        most_calls=_MOST_CALLS,
    )
