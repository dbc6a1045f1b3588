"""Divides a report into the parts that the closing seat writes and those that code fills in.

Numbers and decisions come from code or from the judge's scores, so that a report can't claim a
verdict nobody computed.
"""

from __future__ import annotations

import string
from typing import Final

from core.debate.template import Template

_COMPUTED = frozenset(
    {
        "title",
        "confidence",
        "consensus",
        "decision",
        "dissent",
        "status",
        "assessment",
        "recommendation",
        "critical_issues",
    }
    | {"risk_level", "risk_rating", "topic", "policy_title", "system_name", "incident_id"}
)
"""The placeholders that code fills for every template, besides every ``*_score`` and
``*_count``.
"""


def placeholders(output_format: str) -> tuple[str, ...]:
    """Returns the names between braces, in order, each once. Raises ``ValueError`` for an
    unbalanced brace.
    """
    names = (name for _, name, _, _ in string.Formatter().parse(output_format) if name)
    return tuple(dict.fromkeys(names))


def is_computed(name: str) -> bool:
    return name in _COMPUTED or name.endswith(("_score", "_count"))


FINDINGS: Final = "_findings"
"""The end of the names of sections that list findings; in a review code fills them."""


def written_sections(template: Template) -> tuple[str, ...]:
    """Returns the sections that the closing reply must write."""
    names = (name for name in placeholders(template.output_format) if not is_computed(name))
    return tuple(n for n in names if not (template.findings and n.endswith(FINDINGS)))
