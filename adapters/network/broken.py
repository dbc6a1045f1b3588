"""The reason why nothing came from a host, in words."""

from __future__ import annotations

import socket
import ssl

_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (socket.gaierror, "its name was not found"),
    (ssl.SSLError, "its certificate was not accepted"),
    (ConnectionRefusedError, "it refused the connection"),
    (TimeoutError, "it did not answer in time"),
)


def broken_by(error: BaseException) -> str:
    """Returns the reason in words; HTTP libraries wrap the system's own error. A proxy that cannot
    be reached is named, because the host itself was never asked.
    """
    import aiohttp

    if status := getattr(error, "status", 0):
        return f"it answered {status}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "it broke the connection"
    cause = getattr(error, "os_error", error)
    reason = next((words for kind, words in _REASONS if isinstance(cause, kind)), "no connection")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"the proxy before it: {reason}"
    return reason
