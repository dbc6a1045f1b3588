"""Identifies the visitor: the person of this machine's shell, a signed-in person, or one with a
link.

Only a cookie identifies a visitor; it is given for a link with a secret or for signing in with a
chat. The address that a request comes from says nothing: behind a proxy everybody comes from this
machine, and so does every account of it. Every browser carries one random cookie. The token in a
form is derived from it, so another site's page, which can make a browser send the cookie but never
read it, cannot make that token.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web

from adapters.routes.reading import FormEntries
from core.application.desk import Caller
from core.application.place import SHELL, Person, Place, platform_of
from core.languages import spoken

_BROWSERS = ("Firefox", "Edg", "OPR", "Chrome", "Safari", "curl")
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """One browser's person. ``key`` is the secret in its cookie, ``fresh`` means that it has to be
    set; ``session`` and ``workspaces`` are set for a person who signed in; ``link`` is the debate
    that a visitor with a link may read.
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
        """The workspace that is selected, by the store's name; "" in the shell's place."""
        return Place.parse(self.place).workspace

    @property
    def token(self) -> str:
        """The token in this browser's forms."""
        return hmac.new(self.key.encode(), b"form", hashlib.sha256).hexdigest()[:32]

    @property
    def local(self) -> bool:
        """True if this is the person of the machine's shell."""
        return platform_of(self.place) == SHELL

    @property
    def signed_in(self) -> bool:
        return bool(self.person)

    def caller(self, source: str = "") -> Caller:
        """Returns this person at the desk, in the page's language; ``source`` is new for every form
        that is sent.
        """
        return Caller(
            self.person,
            self.place,
            source or f"room:{secrets.token_hex(8)}",
            name=self.name,
            admin=self.admin,
            confirms_price=True,
            language=spoken(),
        )

    def sends(self, form: FormEntries, what: str) -> Caller:
        """Returns this person as the sender of a form, which counts once if it is sent twice."""
        parts = (self.key, form.text("once"), form.text("value"), what)
        return self.caller(f"room:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}")

    def signed(self, text: str) -> str:
        """Returns a seal of ``text`` that only a page shown to this browser can hold."""
        # a cookie's bytes that are no UTF-8 come as surrogates
        sealed = text.encode("utf-8", "surrogateescape")
        return hmac.new(self.key.encode(), sealed, hashlib.sha256).hexdigest()[:32]


def from_shell(key: str, person: str, session: str) -> Visitor:
    """Returns a visitor whom a link of this machine's shell let in, who acts as the shell's
    person.
    """
    return Visitor(key, person, person, Person.parse(person).account, session=session)


def is_key(text: str) -> bool:
    """True if a cookie's value can be one of our secrets; others are not looked up."""
    return (
        40 <= len(text) <= 64
        and text.isascii()
        and text.replace("-", "").replace("_", "").isalnum()
    )


def matches(text: str, meant: str) -> bool:
    """Compares two secrets in constant time."""
    # a header's bytes that are no UTF-8 come as surrogates
    return hmac.compare_digest(text.encode("utf-8", "surrogateescape"), meant.encode())


def same_origin(request: web.Request, public_url: str) -> bool:
    """True if one of our pages sent a form. Every browser of today names the origin of a POST."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin", "")
    own = urlsplit(public_url).netloc or request.host
    try:
        here = not origin or urlsplit(origin).netloc == own
    except ValueError:  # no address at all
        return False
    return site in ("same-origin", "none") and here


def browser_of(request: web.Request) -> str:
    """Returns the browser's name and system, by which its person recognizes it."""
    agent = request.headers.get("User-Agent", "")
    name = next((each for each in _BROWSERS if each in agent), "A browser")
    system = next((label for each, label in _SYSTEMS.items() if each in agent), "")
    name = {"Edg": "Edge", "OPR": "Opera"}.get(name, name)
    return " on ".join(filter(None, (name, system)))
