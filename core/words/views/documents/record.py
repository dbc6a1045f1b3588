"""Words of a decision record, which is always in English."""

from __future__ import annotations

CONTEXT = "## Context and Problem Statement"
VOTES = "| option | seats before the debate | seats at the end | people |\n|---|---|---|---|"
NO_DECISION = "A decision record is made of a decision, and this debate has none."
OF_DEMO = "A demonstration decides nothing, so there is no decision record of it."
OF_WHAT_IF = "A what-if decides nothing, so there is no decision record of it."


def receipt_line(debate: str) -> str:
    """Returns the line that names the commands for a debate's receipt."""
    return f"- Receipt: `debate receipt {debate}`, checked by `debate verify FILE`"
