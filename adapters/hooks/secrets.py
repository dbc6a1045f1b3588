"""Secrets of webhooks, derived from the operator's key, so that none is stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import timedelta

from core.receipt.signing import private_bytes

OVERLAP = timedelta(days=1)
"""After a rotation, the old secret signs too for this long."""


def secret_of(key: str, hook: str, generation: int) -> str:
    """Returns a webhook's secret, made of the operator's signing ``key``: it rests nowhere. Raises
    ``BadInput`` for what is no key.
    """
    made = hmac.digest(private_bytes(key), f"webhook:{hook}:{generation}".encode(), hashlib.sha256)
    return f"whsec_{base64.b64encode(made).decode()}"
