"""The secrets that sign the messages of a webhook."""

from __future__ import annotations

from datetime import datetime

from adapters.hooks.receiver import OVERLAP, secret_of
from core.application.webhooks import Hook
from core.debate.errors import BadInput
from core.words.receipt.signing import private_bytes


def require_key(signing_key: str) -> None:
    """Raises ``BadInput`` if nothing can be signed with the operator's key."""
    if not signing_key:
        raise BadInput(
            "What is sent is signed: set DEBATE_SIGNING_KEY to 32 random bytes in hex "
            "(openssl rand -hex 32)."
        )
    private_bytes(signing_key)


def newest_secret(signing_key: str, hook: Hook) -> str:
    """Returns the newest secret. Raises ``BadInput`` if nothing can be signed."""
    require_key(signing_key)
    return secret_of(signing_key, hook.id, hook.generation)


def valid_secrets(signing_key: str, hook: Hook, now: datetime) -> tuple[str, ...]:
    """Returns the secrets that are valid now, the newest first; for a day after a rotation the one
    before it too.
    """
    newest = newest_secret(signing_key, hook)
    if hook.rotated_at is None or now - hook.rotated_at > OVERLAP:
        return (newest,)
    return (newest, secret_of(signing_key, hook.id, hook.generation - 1))
