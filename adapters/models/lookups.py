"""The tools by which a model looks things up in the repository around a change."""

from __future__ import annotations

from typing import Any

from core.debate.lookups import LOOKUPS, READ, SEARCH

_PATH = {"type": "string", "maxLength": 300}
_LINES = {"type": "string", "description": 'as "10-60"; without it from the first line'}
_TEXT = {"type": "string", "minLength": 3, "maxLength": 160}


def _tool(name: str, what: str, properties: dict[str, Any], required: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [required]}
    return {
        "type": "function",
        "function": {"name": name, "description": what, "parameters": parameters},
    }


TOOLS = {
    READ: _tool(
        READ,
        f"Reads lines of a source file of the repository that the change belongs to, at its "
        f"commit. You have {LOOKUPS} look-ups; use one only to settle a point that the change "
        "alone does not, then reply in the form that is asked for.",
        {"path": _PATH, "lines": _LINES},
        "path",
    ),
    SEARCH: _tool(
        SEARCH,
        "Finds the lines of that repository's source files that hold exactly this text: a name, "
        "a call. Counts as a look-up.",
        {"text": _TEXT},
        "text",
    ),
}
