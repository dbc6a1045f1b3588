"""Vendors' libraries that make their own clients (litellm's, over httpx): each of their requests,
redirects too, is checked before it is sent. They connect by themselves, so a name that changes its
mind in that moment is not caught; their own proxies are the environment's too.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any

from adapters.network.addresses import literal
from adapters.network.reach import Reach

_holding = threading.Lock()
_named: set[str] = set()
_VENDORS = Reach(None, _named)
"""Any public host, and those that the operator named."""


def allow_vendors(host: str) -> None:
    """The operator named this host: it may be inside."""
    _named.add(host.lower())


def hold_httpx() -> None:
    """Puts the rules in front of every transport of httpx in this process, once. Imports it."""
    import httpx

    with _holding:
        if getattr(httpx.AsyncHTTPTransport, "held_by_reach", False):
            return
        wait, block = (
            httpx.AsyncHTTPTransport.handle_async_request,
            httpx.HTTPTransport.handle_request,
        )

        async def handle_async_request(self: Any, request: httpx.Request) -> httpx.Response:
            await asyncio.to_thread(_require, request.url.host)
            return await wait(self, request)

        def handle_request(self: Any, request: httpx.Request) -> httpx.Response:
            _require(request.url.host)
            return block(self, request)

        for kind, name, held in (
            (httpx.AsyncHTTPTransport, "handle_async_request", handle_async_request),
            (httpx.HTTPTransport, "handle_request", handle_request),
        ):
            setattr(kind, name, held)
            setattr(kind, "held_by_reach", True)  # noqa: B010  not an attribute that it has


def _require(host: str) -> None:
    """Raises ``NotAllowed``. A name that only a proxy can resolve is the proxy's matter."""
    _VENDORS.require_host(host)
    if literal(host) is not None:
        return
    try:
        found = [str(one[4][0]) for one in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)]
    except OSError:
        return
    _VENDORS.require_addresses(host, found)
