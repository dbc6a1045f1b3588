"""Secrets of webhooks, derived from the operator's key, so that none is stored."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta

from core.debate.issued import webhook_secret
from core.words.receipt.signing import private_bytes

OVERLAP = timedelta(days=1)
"""The time after a rotation during which the old secret signs, too."""


def secret_of(key: str, hook: str, generation: int) -> str:
    """Derives a webhook's secret from the operator's signing ``key``, so that it is stored nowhere.
    Raises ``BadInput`` for a key that is none.
    """
    made = hmac.digest(private_bytes(key), f"webhook:{hook}:{generation}".encode(), hashlib.sha256)
    return webhook_secret(made)
