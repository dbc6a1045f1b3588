"""Reads a receipt strictly, so that two readers cannot understand one signed file differently.

A file that gives a member twice would be read in two ways, so it is no receipt at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.debate.errors import BadInput
from core.words.receipt.signing import ReceiptCheck, verify

_DEEPEST = 60
"""The deepest nesting of a receipt; those that we write have seven levels."""

_LONGEST = 2_000
_NO_RECEIPT = "That is no receipt: give the JSON file as it was saved."


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


@dataclass(frozen=True, slots=True)
class CheckedReceipt:
    """A receipt's ``claim``, in its own words, and the results of its checks; ``document`` is empty
    for a receipt that someone brought.
    """

    claim: str
    checks: tuple[ReceiptCheck, ...]
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        return all(check.ok for check in self.checks)


def check_receipt(text: str, public_key: str, now: str) -> CheckedReceipt:
    """Checks the receipt; ``now`` is an ISO time with zone. Raises ``BadInput`` for a text that is
    no receipt. Anyone may write the text, so callers run this in a process that can be ended.
    """
    try:
        document = read_receipt(text)
        checks = verify(document, public_key, now=datetime.fromisoformat(now))
    except (ValueError, RecursionError) as error:
        raise BadInput(_NO_RECEIPT) from error
    short = (ReceiptCheck(c.name[:_LONGEST], c.ok, c.detail[:_LONGEST]) for c in checks)
    return CheckedReceipt(statement_of(document), tuple(short))


def statement_of(document: Mapping[str, Any]) -> str:
    """Returns the receipt's claims, in its own words."""
    claim = document.get("claim")
    content: Mapping[str, Any] = claim if isinstance(claim, dict) else {}
    return str(content.get("statement", ""))[:_LONGEST]
