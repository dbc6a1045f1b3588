"""Classifies an address: public, private, or one that hands out credentials."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_EMBEDDING = (
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
    ipaddress.IPv6Network("::/96"),
)
"""Named here, too, although Python holds them for reserved: its tables change between releases."""
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        # Alibaba, Oracle, Azure's host, Amazon over IPv6; the others' are link-local
        ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"),
    )
)


def is_public(address: Address) -> bool:
    """True if an address is on the open Internet, looking through every form of IPv6 that carries
    an IPv4 address.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or any(address in network for network in _EMBEDDING):
            return False
        if address.is_site_local:
            return False  # fec0::/10, which Python calls global because it was withdrawn
    if address.is_multicast or address.is_reserved or address in _METADATA:
        return False
    return address.is_global


def is_metadata(address: Address) -> bool:
    """True if a cloud hands out its machine's credentials there: every link-local address and a few
    others.
    """
    if isinstance(address, ipaddress.IPv6Address) and (inner := _inner(address)) is not None:
        return is_metadata(inner)
    return address.is_link_local or address in _METADATA


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return address.ipv4_mapped or address.sixtofour


@lru_cache(maxsize=1024)  # every request asks it of its host
def literal(host: str) -> Address | None:
    """Returns the address that a host spells out, None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
