"""Seals stored secrets with the operator's own key, never with one that a platform knows.

Of several keys the first seals and every one opens, so that a new key can be put in front, all
stored secrets sealed anew (``Installations.rotate``), and the old one dropped.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from hashlib import sha256

from core.debate.errors import BadInput


def key_id(key: str) -> str:
    """Returns a name for a key that does not reveal the key."""
    return _derived(b"debatebot\0name of a key\0", key).decode()[:16]


class Seal:
    """Seals and opens secrets; ``keys`` are the operator's. ``older`` are secrets with which
    releases sealed that had no such key: they open, and seal nothing.
    """

    def __init__(self, keys: Sequence[str], older: Sequence[str] = ()) -> None:
        from cryptography.fernet import Fernet, MultiFernet

        made = [Fernet(_derived(b"debatebot\0sealed\0", key)) for key in keys]
        old = [Fernet(_derived(b"installation\0", key)) for key in older if key]
        self._seals = MultiFernet(made) if made else None
        self._opens = MultiFernet([*made, *old]) if made or old else None

    @property
    def opens_nothing(self) -> bool:
        return self._opens is None

    def close(self, secret: str) -> bytes:
        """Seals a secret. Raises ``BadInput`` if there is no key."""
        if self._seals is None:
            raise BadInput(
                "A secret has to be stored, and there is no key to seal it with: set "
                "DEBATE_SECRET_KEY (debate db key makes one)."
            )
        return self._seals.encrypt(secret.encode())

    def open(self, sealed: bytes) -> str | None:
        """Opens a sealed secret; None if none of our keys opens it."""
        from cryptography.fernet import InvalidToken

        if self._opens is None:
            return None
        try:
            return self._opens.decrypt(sealed).decode()
        except InvalidToken:
            return None


def _derived(purpose: bytes, key: str) -> bytes:
    return base64.urlsafe_b64encode(sha256(purpose + key.encode()).digest())
