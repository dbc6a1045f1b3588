"""The hosts that one client may ask, and its proxy."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from adapters.network.addresses import is_metadata, is_public, literal


class HostNotAllowed(OSError):
    """A host that this client may not ask, or a name that leads to an address inside."""


@dataclass(frozen=True, slots=True)
class HostReach:
    """``hosts`` in small letters, with a dot in front for all below a name; None is every host.

    ``inside`` are the hosts that the operator named: they may be in a private network. It may grow
    while a client lives.
    """

    hosts: Collection[str] | None
    inside: Collection[str] = ()

    def require_host(self, host: str) -> None:
        """Raises ``HostNotAllowed`` for a host outside the reach, whatever addresses it has."""
        name = _name(host)
        if self.hosts is not None and not _listed(name, (*self.hosts, *self.inside)):
            raise HostNotAllowed(f"{name} is not among the hosts that the bot may contact here")
        if literal(name) is not None:
            self.require_addresses(host, (name,))

    def require_addresses(self, host: str, addresses: Iterable[str]) -> None:
        """Checks the addresses of a host. Raises ``HostNotAllowed`` unless every one of them may be
        connected to.
        """
        name = _name(host)
        parsed = [literal(address) for address in addresses]
        if not parsed:
            raise HostNotAllowed(f"{name} leads nowhere")
        for address in parsed:
            if address is None or is_metadata(address):
                raise HostNotAllowed(f"{name} leads to an address that nothing may ask")
            if not (is_public(address) or _listed(name, self.inside)):
                raise HostNotAllowed(f"{name} leads to an address inside the network")

    def look_at(self, host: str) -> None:
        """Checks the target of a proxied request; a name that only the proxy can resolve is left to
        it. Blocks.
        """
        try:
            addresses = addresses_of(host)
        except OSError:
            return
        self.require_addresses(host, addresses)

    def with_host(self, host: str) -> HostReach:
        """Returns the same reach with one host more that the operator named: the proxy."""
        name = _name(host)
        hosts = None if self.hosts is None else (*self.hosts, name)
        return HostReach(hosts, (*self.inside, name))


def addresses_of(host: str, port: int = 0) -> list[str]:
    """Returns the addresses of a host, each once. Raises ``OSError`` for an unknown one. Blocks."""
    if literal(host) is not None:
        return [host]
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


PUBLIC = HostReach(None)
"""Every public host, for links of people."""


def reach_of(*bases: str, own: Collection[str] = ()) -> HostReach:
    """Returns the reach to the hosts of configured addresses and below them.

    ``own`` are a service's own hosts, which are public; every other base was named by the operator.
    """
    named = {_name(urlsplit(base).hostname or "") for base in bases if base} - {""}
    named = {name for name in named if not _listed(name, own)}
    return HostReach((*own, *named), tuple(each for name in named for each in (name, f".{name}")))


def on_this_machine(url: str) -> bool:
    """True if an address is this machine's by its text, without a name server."""
    host = urlsplit(url).hostname or ""
    address = literal(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def proxy_for(url: str) -> str | None:
    """Returns the proxy that the environment names for an address; none for this machine itself.

    aiohttp's own reading of the environment takes passwords from a ``.netrc`` as well.
    """
    split = urlsplit(url)
    host = split.hostname or ""
    if on_this_machine(url):
        return None
    if urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    scheme = {"ws": "http", "wss": "https"}.get(split.scheme, split.scheme)
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or "//" in proxy:
        return proxy
    return f"http://{proxy}"


def not_allowed_behind(error: BaseException) -> HostNotAllowed | None:
    """Returns the ``HostNotAllowed`` behind a library's error, None if there is none."""
    cause: BaseException | None = error
    while cause is not None:
        for behind in (cause, getattr(cause, "os_error", None), getattr(cause, "reason", None)):
            if isinstance(behind, HostNotAllowed):
                return behind
        cause = cause.__cause__ or cause.__context__
    return None


def _name(host: str) -> str:
    return host.lower().strip("[]").removesuffix(".")


def _listed(name: str, hosts: Collection[str]) -> bool:
    return name in hosts or any(host[:1] == "." and name.endswith(host) for host in hosts)
