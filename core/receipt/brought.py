"""A receipt that somebody brings, as text: read and checked. It is called where it can be ended,
for the text is anybody's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import BadInput
from core.receipt.reading import read_receipt
from core.receipt.signing import Check, verify

_LONGEST = 2_000
_NO_RECEIPT = "That is no receipt: give the JSON file as it was saved."


@dataclass(frozen=True, slots=True)
class BroughtReceipt:
    """What it claims, in its own words, and what was found when it was checked."""

    statement: str
    checks: tuple[Check, ...]


def check_receipt(text: str, public_key: str, now: str) -> BroughtReceipt:
    """``now`` is an ISO time with zone. Raises ``BadInput`` for what is no receipt."""
    try:
        document = read_receipt(text)
        checks = verify(document, public_key, now=datetime.fromisoformat(now))
    except (ValueError, RecursionError) as error:
        raise BadInput(_NO_RECEIPT) from error
    short = (Check(c.name[:_LONGEST], c.ok, c.detail[:_LONGEST]) for c in checks)
    return BroughtReceipt(statement_of(document), tuple(short))


def statement_of(document: Mapping[str, Any]) -> str:
    """What a receipt claims, in its own words."""
    claim = document.get("claim")
    said: Mapping[str, Any] = claim if isinstance(claim, dict) else {}
    return str(said.get("statement", ""))[:_LONGEST]
