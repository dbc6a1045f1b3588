"""The secrets that sign the messages of a webhook."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from adapters.hooks.receiver import OVERLAP, secret_of
from core.application.webhooks import Hook
from core.debate.errors import BadInput
from core.words.receipt.signing import private_bytes


@dataclass(frozen=True, slots=True)
class HookKeys:
    """Returns secrets; ``key`` is the operator's signing key, "" if there is none."""

    key: str

    def require(self) -> None:
        """Raises ``BadInput`` if nothing can be signed."""
        if not self.key:
            raise BadInput(
                "What is sent is signed: set DEBATE_SIGNING_KEY to 32 random bytes in hex "
                "(openssl rand -hex 32)."
            )
        private_bytes(self.key)

    def newest(self, hook: Hook) -> str:
        """Returns the newest secret. Raises ``BadInput`` if nothing can be signed."""
        self.require()
        return secret_of(self.key, hook.id, hook.generation)

    def valid(self, hook: Hook, now: datetime) -> tuple[str, ...]:
        """Returns the secrets that are valid now, the newest first; for a day after a rotation the
        one before it too.
        """
        newest = self.newest(hook)
        if hook.rotated_at is None or now - hook.rotated_at > OVERLAP:
            return (newest,)
        return (newest, secret_of(self.key, hook.id, hook.generation - 1))
