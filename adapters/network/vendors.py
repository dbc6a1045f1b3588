"""Vendors' libraries that make their own clients (litellm's, over httpx): each of their requests,
redirects too, is checked before it is sent, and each of their connections goes to an address that
was checked. Their proxies are the environment's too. What a cloud's own library asks for its
credentials (boto3, google-auth) does not go through httpx and is not held.
"""

from __future__ import annotations

import asyncio
import threading
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from adapters.network.reach import HostNotAllowed, HostReach, addresses_of

_holding = threading.Lock()
_named: set[str] = set()
_VENDORS = HostReach(None, _named)
"""The reach of vendors' libraries: every public host, and those that the operator named."""


def allow_vendors(host: str) -> None:
    """Allows a host that the operator named, which may be in a private network."""
    _named.add(host.lower())


def hold_httpx() -> None:
    """Applies the rules to every transport of httpx in this process, and to the code that connects
    for it, once. Imports httpx.
    """
    import httpcore
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
        _hold_connections(httpcore.AnyIOBackend, httpcore.SyncBackend)


def _hold_connections(waiting: Any, blocking: Any) -> None:
    """Makes each connection go to the first checked address that answers."""
    wait, block = waiting.connect_tcp, blocking.connect_tcp

    async def connect(self: Any, host: str, port: int, *args: Any, **more: Any) -> Any:
        failure: Exception = HostNotAllowed(f"{host} leads nowhere")
        for address in await asyncio.to_thread(_addresses, host, port):
            try:
                return await wait(self, address, port, *args, **more)
            except Exception as error:  # noqa: BLE001  the next address is tried; the last one's is raised
                failure = error
        raise failure

    def connect_blocking(self: Any, host: str, port: int, *args: Any, **more: Any) -> Any:
        failure: Exception = HostNotAllowed(f"{host} leads nowhere")
        for address in _addresses(host, port):
            try:
                return block(self, address, port, *args, **more)
            except Exception as error:  # noqa: BLE001  as above
                failure = error
        raise failure

    waiting.connect_tcp, blocking.connect_tcp = connect, connect_blocking


def _addresses(host: str, port: int) -> Sequence[str]:
    """Returns the checked addresses of a host, IPv4 first, because in a network without IPv6 each
    of the others waits for its time limit.

    Raises ``HostNotAllowed``, and httpcore's own error for a name without addresses.
    """
    reach = _VENDORS
    if host.lower() in _proxies():
        reach = _VENDORS.with_host(host)
    try:
        addresses = addresses_of(host, port)
    except OSError as error:
        import httpcore

        raise httpcore.ConnectError(str(error)) from error
    reach.require_addresses(host, addresses)
    return sorted(addresses, key=lambda address: ":" in address)


def _proxies() -> set[str]:
    named = urllib.request.getproxies()
    proxies = [url for kind, url in named.items() if kind != "no"]
    return {
        (urlsplit(url if "//" in url else f"http://{url}").hostname or "").lower()
        for url in proxies
    } - {""}


def _require(host: str) -> None:
    """Raises ``HostNotAllowed`` for a target outside the reach. A name that only a proxy can
    resolve is left to the proxy.
    """
    _VENDORS.require_host(host)
    _VENDORS.look_at(host)
