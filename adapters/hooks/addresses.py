"""Checks the address of a webhook."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from adapters.network import HostNotAllowed, HostReach
from core.debate.errors import BadInput

_LONGEST = 1_000


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
