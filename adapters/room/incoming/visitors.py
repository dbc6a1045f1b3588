"""Who asks: the person at this machine, somebody signed in, or somebody with a link.

On the loopback, without a public address, the person at the machine is the user and nothing asks.
That holds only for a request that surely comes from a browser on this machine and was meant for it:
it arrives over the loopback, names the loopback as its host (a page elsewhere whose name was bent
to this machine names its own), and no proxy has passed it on.

Every browser carries one random cookie. What a form must say to be taken is derived from it, so a
page elsewhere, which can make a browser send the cookie but never read it, cannot say it.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web

from adapters.ports.desk import Caller
from adapters.ports.place import SHELL, Person, Place, platform_of

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Visitor:
    """One browser's person. ``key`` is the secret in its cookie, ``fresh`` says that it has to be
    set; ``session`` and ``workspaces`` are those of somebody who signed in;
    ``link`` is the one debate that somebody with a link may read.
    """

    key: str
    person: str
    place: str
    name: str
    fresh: bool = False
    admin: bool = False
    session: str = ""
    workspaces: tuple[str, ...] = ()
    link: str = ""

    @property
    def workspace(self) -> str:
        """The workspace that is looked at, as the store names it; "" at this machine."""
        return Place.parse(self.place).workspace

    @property
    def token(self) -> str:
        """What this browser's forms say."""
        return hmac.new(self.key.encode(), b"form", hashlib.sha256).hexdigest()[:32]

    @property
    def local(self) -> bool:
        return platform_of(self.place) == SHELL

    @property
    def signed_in(self) -> bool:
        return bool(self.person)

    def caller(self, source: str = "") -> Caller:
        """This person at the desk; ``source`` is new for every form that is sent."""
        return Caller(
            self.person,
            self.place,
            source or f"room:{secrets.token_hex(8)}",
            name=self.name,
            admin=self.admin,
            confirms_price=True,
        )

    def signed(self, text: str) -> str:
        """A seal of ``text`` that only a page shown to this browser can hold."""
        return hmac.new(self.key.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


def at_machine(user: str, key: str = "") -> Visitor:
    """The person at this machine: the one of the shell."""
    shell = str(Person(SHELL, "", user))
    return Visitor(key or new_key(), shell, shell, user, fresh=not key)


def new_key() -> str:
    return secrets.token_urlsafe(_KEY_BYTES)


def is_key(text: str) -> bool:
    """Whether a cookie can be one of ours; the rest is not looked up."""
    return (
        40 <= len(text) <= 64
        and text.isascii()
        and text.replace("-", "").replace("_", "").isalnum()
    )


def at_this_machine(request: web.Request) -> bool:
    """Whether a browser on this machine meant this machine."""
    if any(name in request.headers for name in _PASSED_ON):
        return False
    return _is_loopback(request.remote or "") and _host(request.host) in _LOOPBACK


def same_origin(request: web.Request, public_url: str) -> bool:
    """Whether a page of ours sent a form. Every browser of today names the origin of a POST."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin", "")
    own = urlsplit(public_url).netloc or request.host
    return site in ("same-origin", "none") and (not origin or urlsplit(origin).netloc == own)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _host(header: str) -> str:
    """The host's name without its port."""
    return (urlsplit(f"//{header}").hostname or "").lower()
