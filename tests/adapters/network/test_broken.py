"""Why nothing came from a host, in words."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from adapters.network.broken import broken_by

KEY = cast("Any", SimpleNamespace(host="h", port=443, ssl=True, is_ssl=True))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "unknown"), "its name was not found"),
        (TimeoutError(), "it did not answer in time"),
        (OSError(113, "no route"), "no connection"),
        (aiohttp.ServerDisconnectedError(), "it broke the connection"),
        (aiohttp.ClientConnectorError(KEY, ConnectionRefusedError()), "it refused the connection"),
        (
            aiohttp.ClientProxyConnectionError(KEY, ConnectionRefusedError()),
            "the proxy before it: it refused the connection",
        ),
        (aiohttp.ClientResponseError(cast("Any", None), (), status=502), "it answered 502"),
    ],
)
def test_what_the_system_said_is_told_in_words(error: OSError, words: str) -> None:
    assert broken_by(error) == words
