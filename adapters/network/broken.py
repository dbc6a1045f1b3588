"""The reason why nothing came from a host, in words."""

from __future__ import annotations

import os
import socket
import ssl
from pathlib import Path

from core.debate.stored import stored

_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (socket.gaierror, stored("its name was not found")),
    (ssl.SSLError, stored("its certificate was not accepted")),
    (ConnectionRefusedError, stored("it refused the connection")),
    (TimeoutError, stored("it did not answer in time")),
)


_UNKNOWN_ISSUER = (2, 18, 19, 20, 21)
"""OpenSSL's codes for a certificate whose authority is not known."""


def certificate_step(error: BaseException) -> str:
    """Returns the next step if a certificate's authority is not known, "" for any other error."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", error)
    if getattr(cause, "verify_code", 0) not in _UNKNOWN_ISSUER:
        return ""
    named = os.environ.get("SSL_CERT_FILE", "")
    if not named:
        return "set SSL_CERT_FILE to a file that holds your network's certificate authority (PEM)"
    if not Path(named).is_file():
        return f"correct SSL_CERT_FILE: it names {named}, which is not there"
    return f"add your network's certificate authority to {named}, which SSL_CERT_FILE names"


def broken_by(error: BaseException) -> str:
    """Returns the reason in words; HTTP libraries wrap the system's own error. A proxy that cannot
    be reached is named, because the host itself was never asked.
    """
    import aiohttp

    if status := getattr(error, "status", 0):
        return stored("it answered {status}", status=status)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return stored("it broke the connection")
    cause = getattr(error, "os_error", error)
    reason = next(
        (words for kind, words in _REASONS if isinstance(cause, kind)), stored("no connection")
    )
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return stored("the proxy before it: {why}", why=reason)
    return reason
