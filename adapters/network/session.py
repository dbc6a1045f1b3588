"""aiohttp's clients: every connection is made by a connector that checks its target."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import Connection
from aiohttp.helpers import strip_auth_from_url
from aiohttp.resolver import ThreadedResolver
from aiohttp.tracing import Trace
from yarl import URL

from adapters.network.reach import HostNotAllowed, HostReach, proxy_for

KEPT = 15.0
"""Seconds that an idle connection is kept by default."""


class CheckedConnector(aiohttp.TCPConnector):
    """Refuses hosts outside its ``reach``. The proxy is the environment's, whatever the calling
    library prefers.
    """

    def __init__(self, reach: HostReach, resolver: AbstractResolver | None, **more: Any) -> None:
        self._checking = _Checking(reach, resolver or ThreadedResolver())
        super().__init__(resolver=self._checking, use_dns_cache=False, **more)

    async def connect(
        self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        host = req.url.raw_host or ""
        self._checking.reach.require_host(host)
        proxy = proxy_for(str(req.url))
        if proxy is None:
            req.update_proxy(None, None, None)
        else:
            address, login = strip_auth_from_url(URL(proxy))
            await self._checking.look_at(host, req.url.port or 443)
            self._checking.proxies.add(address.host or "")
            req.update_proxy(address, login, None)
        return await super().connect(req, traces, timeout)


class _Checking(AbstractResolver):
    """Resolves names, and fails if any of their addresses may not be connected to."""

    def __init__(self, reach: HostReach, inner: AbstractResolver) -> None:
        self.reach = reach
        self.proxies: set[str] = set()
        self._inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        hosts = await self._inner.resolve(host, port, family)
        reach = self.reach
        if host in self.proxies:
            reach = self.reach.with_host(host)
        reach.require_addresses(host, [one["host"] for one in hosts])
        return hosts

    async def look_at(self, host: str, port: int) -> None:
        """Checks the target of a proxied request; a name that only the proxy can resolve is left to
        it.
        """
        try:
            await self.resolve(host, port)
        except HostNotAllowed:
            raise
        except OSError:
            return

    async def close(self) -> None:
        await self._inner.close()


def connector(
    reach: HostReach,
    resolver: AbstractResolver | None = None,
    *,
    limit: int = 100,
    keepalive: float = KEPT,
) -> CheckedConnector:
    """Returns a connector for a library that makes its own session. ``limit`` 0 is no limit."""
    trusted = os.environ.get("SSL_CERT_FILE", "")
    more = {"ssl": _trusting(trusted)} if trusted else {}
    return CheckedConnector(reach, resolver, limit=limit, keepalive_timeout=keepalive, **more)


@lru_cache(maxsize=4)
def _trusting(_named: str) -> ssl.SSLContext:
    """Returns the context of the authorities that ``SSL_CERT_FILE`` names now; aiohttp's own keeps
    what it named when that was imported.
    """
    return ssl.create_default_context()


def session_on(shared: aiohttp.BaseConnector) -> aiohttp.ClientSession:
    """Returns a client on the connector of ``shared``, for a request that the library of ``shared``
    would make otherwise.
    """
    return aiohttp.ClientSession(
        connector=shared,
        connector_owner=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
    )


def session(
    reach: HostReach,
    resolver: AbstractResolver | None = None,
    *,
    limit: int = 100,
    keepalive: float = KEPT,
    timeout: aiohttp.ClientTimeout | None = None,
    headers: Mapping[str, str] | None = None,
    unpack: bool = True,
    buffer: int = 1 << 16,
) -> aiohttp.ClientSession:
    """Returns a client without cookies or credentials of the environment. ``buffer`` is in
    bytes.
    """
    return aiohttp.ClientSession(
        connector=connector(reach, resolver, limit=limit, keepalive=keepalive),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        timeout=timeout or aiohttp.ClientTimeout(),
        headers=headers,
        auto_decompress=unpack,
        read_bufsize=buffer,
    )
