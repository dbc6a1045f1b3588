"""The receiver of a webhook's messages: its address is checked, and its secret is derived from the
operator's key, so that none is stored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from datetime import timedelta
from urllib.parse import urlsplit

from adapters.network import HostNotAllowed, HostReach
from core.debate.errors import BadInput
from core.debate.issued import webhook_secret
from core.words.receipt.signing import private_bytes

_LONGEST = 1_000
OVERLAP = timedelta(days=1)
"""The time after a rotation during which the old secret signs, too."""


def checked_address(address: str, inside: Collection[str]) -> str:
    """Checks an address. Raises ``BadInput`` for an address that may not be used.

    ``inside`` are hosts that the operator named; only these may be used without TLS.
    """
    no_address = BadInput("{address} is no address: https://HOST/PATH.", address=repr(address[:80]))
    try:
        split = urlsplit(address)
        split.port  # noqa: B018  raises for one that is none
    except ValueError as error:  # also for a host in brackets that is no IP address
        raise no_address from error
    host = (split.hostname or "").lower()
    if len(address) > _LONGEST or split.scheme not in ("https", "http") or not host:
        raise no_address
    if split.username or split.password:
        raise BadInput("An address with a password in it is not taken: the signature is the proof.")
    if host not in inside:
        if split.scheme == "http":
            raise BadInput("Only https is taken, unless DEBATE_HOOK_HOSTS names {host}.", host=host)
        try:
            HostReach(None).require_host(host)
        except HostNotAllowed as error:
            raise BadInput(
                "{error}. DEBATE_HOOK_HOSTS names hosts inside, by commas.", error=error
            ) from error
    return address


def secret_of(key: str, hook: str, generation: int) -> str:
    """Derives a webhook's secret from the operator's signing ``key``, so that it is stored nowhere.
    Raises ``BadInput`` for a key that is none.
    """
    made = hmac.digest(private_bytes(key), f"webhook:{hook}:{generation}".encode(), hashlib.sha256)
    return webhook_secret(made)
