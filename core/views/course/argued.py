"""Describes the argument that a statement makes: its type, what it answers, its evidence and the
areas that it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.debate import Debate
from core.replies import Statement
from core.script import Turn
from core.verdict.findings.evidence import claim_faults
from core.views.language.grammar import capital, listed
from core.views.language.references import called
from core.views.verdict.findings import AREAS

EVIDENCE = "Evidence"


def argument_title(debate: Debate, statement: Statement) -> str:
    """Names the type of the argument with the points that it answers; "" for no argument."""
    if statement.argument is None:
        return ""
    return _title(debate, statement.argument.type.value, statement.argument.references)


def argument_facts(statement: Statement) -> tuple[tuple[str, str], ...]:
    """Returns the argument's evidence and the areas that it concerns, each with its label."""
    if statement.argument is None:
        return ()
    return _facts(statement.argument.evidence, statement.argument.impact_areas)


def proven_quotes(debate: Debate, turn: Turn, statement: Statement) -> list[str]:
    """Returns what the statement's claims quote, without what code could not find."""
    wrong = claim_faults(debate, (turn,))
    quotes = (c.quote for c in statement.claims if c.quote and c.id not in wrong)
    return list(dict.fromkeys(quotes))


def argument_in(
    debate: Debate, document: Mapping[str, Any] | None
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Returns the same of an argument in an outcome document; empty for none."""
    if not document:
        return "", ()
    title = _title(debate, document["type"], document["references"])
    return title, _facts(document["evidence"], document["impact_areas"])


def _title(debate: Debate, kind: str, references: Sequence[str]) -> str:
    to = listed([f"“{called(debate, id)[0]}”" for id in references[:2]])
    return f"{capital(kind)} to {to}" if to else capital(kind)


def _facts(evidence: Sequence[str], areas: Sequence[str]) -> tuple[tuple[str, str], ...]:
    facts = ((EVIDENCE, "; ".join(evidence)), (AREAS, ", ".join(areas)))
    return tuple((label, text) for label, text in facts if text)
