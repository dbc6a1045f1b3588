"""No test reaches another machine: not a model, a chat platform, a code host or a name server.

The interpreter's audit events tell of every connection and name look-up made in Python, whichever
library makes it, before it happens. A refusal alone could hide: code under test turns an OSError
into "provider down", which a test may even expect. So every attempt is written down as well, and
the fixture `only_this_machine` fails the test that made it. Native code that opens sockets itself
(libpq, the search library) and other processes are outside the guard's sight.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from dataclasses import dataclass, field

_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_RESOLVING = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_WATCHED = _CONNECTING | _RESOLVING


class ReachedOutside(OSError):
    """A test tried to reach something that is not on this machine."""


def is_this_machine(host: object) -> bool:
    """Says whether a host, as sockets take it (text, bytes, None), can only be this machine."""
    if host is None:
        return True
    name = (
        (host.decode("ascii", "replace") if isinstance(host, bytes) else str(host))
        .lower()
        .rstrip(".")
    )
    if name in {"", "localhost", socket.gethostname().lower()} or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _is_numeric(host: object) -> bool:
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True


@dataclass
class Guard:
    """The attempts since the list was last taken."""

    attempts: list[str] = field(default_factory=list)

    def look(self, event: str, arguments: tuple[object, ...]) -> None:
        """Refuse a connection or look-up that would leave this machine."""
        if event in _CONNECTING:
            address = arguments[1] if len(arguments) > 1 else None
            # A path (AF_UNIX) or nothing (already connected) stays here; so do the other local
            # families.
            first: object = address[0] if isinstance(address, tuple) and address else None
            host = first if isinstance(first, str | bytes) else None
        else:
            host = arguments[0] if isinstance(arguments[0], str | bytes) else None
            if _is_numeric(host):  # nothing is asked of anybody to read a number
                return
        if not is_this_machine(host):
            self.attempts.append(f"{event} {host!s}")
            raise ReachedOutside(f"tests stay on this machine; refused {event} to {host!s}")

    def take(self) -> list[str]:
        """Returns the attempts so far; the list is empty afterwards."""
        taken, self.attempts = self.attempts, []
        return taken


GUARD = Guard()


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    """Passes on what is watched. A plain function, because each look at an object's id is an event
    too and Python takes four times as long to call a method for it.
    """
    if event in _WATCHED:
        GUARD.look(event, arguments)


def install() -> None:
    """Set the guard up for the rest of this process; an audit hook cannot be taken away again."""
    sys.addaudithook(_hear)
