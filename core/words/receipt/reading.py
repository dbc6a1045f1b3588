"""Reads a receipt strictly, so that two readers cannot understand one signed file differently.

A file that gives a member twice would be read in two ways, so it is no receipt at all.
"""

from __future__ import annotations

import json
from typing import Any

from core.debate.errors import BadInput

_DEEPEST = 60
"""The deepest nesting of a receipt; those that we write have seven levels."""


def read_receipt(text: str | bytes, name: str = "That", kind: str = "receipt") -> dict[str, Any]:
    """Returns the receipt, or the JSON object of another ``kind``, that the file ``name`` holds.
    Raises ``BadInput`` with a sentence, whatever it holds.
    """
    try:
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_number)
    except _Twice as error:
        raise BadInput(f"{name} is no {kind}: it says {error} twice, in two ways.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name} is no {kind}: it is not JSON.") from error
    if not isinstance(document, dict):
        raise BadInput(f"{name} is no {kind}: it is not a JSON object.")
    level: list[object] = [document]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
    if level:
        raise BadInput(f"{name} is no {kind}: it is nested too deeply.")
    return document


class _Twice(Exception):
    """Raised for a member that an object has twice."""


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in members:
        if name in made:
            raise _Twice(json.dumps(name[:60]))
        made[name] = value
    return made


def _number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    return []
