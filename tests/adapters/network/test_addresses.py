"""Which addresses are public, and which hand out credentials."""

from __future__ import annotations

import ipaddress

import pytest

from adapters.network.addresses import is_metadata, is_public, literal

PUBLIC = ("93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "2002:5db8:d822::1")
"""Public addresses; the last is a public one in the form of 6to4."""
INSIDE = (
    "127.0.0.1", "10.0.0.8", "172.16.0.1", "192.168.1.1", "0.1.2.3", "100.64.0.1", "192.0.2.1",
    "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fc00::1", "ff02::1",
    "ff0e::1",  # a global group
    "2001:0:53aa:64c::1",  # Teredo
    "fec0::1", "feff::1", "2001:db8::1", "64:ff9b::5db8:d822", "64:ff9b::7f00:1",
    "64:ff9b:1::5db8:d822", "::5db8:d822", "::127.0.0.1", "::ffff:10.0.0.8", "2002:a00:8::1",
    "2002:7f00:1::",
)  # fmt: skip
METADATA = (
    "169.254.169.254", "169.254.0.1", "fe80::1", "100.100.100.200", "192.0.0.192",
    "168.63.129.16", "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254",
    "::ffff:168.63.129.16", "2002:a9fe:a9fe::1",
)  # fmt: skip
"""Addresses at which clouds give out credentials."""


@pytest.mark.parametrize("text", [*PUBLIC, *INSIDE, *METADATA])
def test_an_address_is_public_or_inside_or_hands_out_credentials(text: str) -> None:
    address = ipaddress.ip_address(text)
    assert is_public(address) is (text in PUBLIC)
    assert is_metadata(address) is (text in METADATA)


@pytest.mark.parametrize(
    ("host", "spelled"),
    [
        ("10.0.0.8", "10.0.0.8"),
        ("[fe80::1]", "fe80::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1%eth0]", "fe80::1"),
        ("10.0.0", None),
        ("example.com", None),
        ("", None),
    ],
)
def test_only_an_address_is_literal(host: str, spelled: str | None) -> None:
    address = literal(host)
    assert address == (spelled and ipaddress.ip_address(spelled))
