"""Reads and checks a receipt that a person hands in as text.

Callers run it in a process that can be ended, because anyone may write the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.debate.errors import BadInput
from core.words.receipt.reading import read_receipt
from core.words.receipt.signing import ReceiptCheck, verify

_LONGEST = 2_000
_NO_RECEIPT = "That is no receipt: give the JSON file as it was saved."


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
    no receipt.
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
