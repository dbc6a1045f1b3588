"""Routes for programs that we start (git): the address is checked, and the program is reported to
use that address and no other.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from adapters.network.addresses import literal
from adapters.network.reach import HostReach, addresses_of, proxy_for


@dataclass(frozen=True, slots=True)
class PinnedRoute:
    """The route to a host: ``pinned`` are its addresses as curl takes them
    (``HOST:PORT:ADDRESS,...``), empty if a ``proxy`` resolves it.
    """

    scheme: str
    proxy: str
    pinned: str


async def route_to(url: str, reach: HostReach) -> PinnedRoute:
    """Returns the way to a host. Raises ``HostNotAllowed`` if requests to it are forbidden,
    ``OSError`` if it cannot be resolved.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    reach.require_host(host)
    proxy = proxy_for(url)
    port = parts.port or (80 if parts.scheme == "http" else 443)
    try:
        addresses = await asyncio.to_thread(addresses_of, host, port)
    except OSError:
        if proxy is None:
            raise
        return PinnedRoute(parts.scheme, proxy, "")  # a name that only the proxy can resolve
    reach.require_addresses(host, addresses)
    if proxy is not None or literal(host) is not None:
        return PinnedRoute(parts.scheme, proxy or "", "")
    rendered = ",".join(f"[{one}]" if ":" in one else one for one in addresses)
    return PinnedRoute(parts.scheme, "", f"{host}:{port}:{rendered}")
