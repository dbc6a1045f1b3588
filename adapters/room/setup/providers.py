"""Signing in with an existing account: the steps that all providers share, and requests to them.

A provider identifies a person. The bot itself checks whether they belong to one of its workspaces.
"""

from __future__ import annotations

import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from adapters.network import reach_of
from adapters.text.documents import NoDocument, read_json
from core.debate.errors import CouldNotFinish
from core.debate.material.plaintext import cut
from core.languages import say

_OWN = ("slack.com", ".slack.com", "discord.com")
PATIENCE = 10.0
"""Seconds for one answer of a provider."""
_LONGEST = 1 << 20
"""Bytes of one answer, unpacked."""
_NAME = 200
"""Characters of a person's name."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account as the provider describes it, with the workspaces (``slack:T1``) that it
    lists.
    """

    platform: str
    id: str
    name: str
    workspaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to sign in: the answer must repeat ``state``; ``nonce`` and ``verifier`` tie it
    to this browser.
    """

    state: str
    nonce: str
    verifier: str

    @property
    def challenge(self) -> str:
        """The verifier as PKCE shows it before it is asked for (RFC 7636, S256)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class SignInProvider(ABC):
    """A way to sign in. ``api_url`` redirects every call, and the page that asks people."""

    client_id: str
    client_secret: str = field(repr=False)
    api_url: str

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def address(self, attempt: Attempt, back: str) -> str:
        """Returns the address to which the browser is redirected; ``back`` is the address to which
        it returns.
        """

    @abstractmethod
    async def account(self, code: str, attempt: Attempt, back: str) -> Account:
        """Returns the account that signed in. Raises ``Refused`` for an answer to another attempt
        and ``CouldNotFinish`` if the provider does not answer.
        """

    def code_form(self, code: str, back: str) -> dict[str, str]:
        """Returns the form that exchanges the browser's code for a token (RFC 6749, 4.1.3)."""
        return {
            "grant_type": "authorization_code",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "code": code,
            "redirect_uri": back,
        }


async def ask(
    name: str,
    method: str,
    url: str,
    kind: type[T],
    *,
    form: Mapping[str, str] | None = None,
    token: str = "",
) -> T:
    """Returns one JSON answer of a provider, as a value of ``kind``. Raises ``CouldNotFinish``
    without naming what was sent.
    """
    import aiohttp

    from adapters.network.session import session

    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    try:
        async with (
            session(reach_of(url, own=_OWN), timeout=timeout, headers=headers) as web,
            web.request(method, url, data=form, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise CouldNotFinish(
                    say(
                        "{name} refused the sign-in ({status}). Try it again; if it stays so, the "
                        "operator should look at the client's id and secret.",
                        name=name,
                        status=answer.status,
                    )
                )
            body = b""
            while len(body) <= _LONGEST and (piece := await answer.content.readany()):
                body += piece
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise CouldNotFinish(
            say("{name} does not answer. Try it again in a moment.", name=name)
        ) from error
    if len(body) > _LONGEST:
        raise unreadable(name)
    return read_answer(name, body, kind)


def read_answer(name: str, body: bytes, kind: type[T]) -> T:
    """Returns a provider's JSON as a value of ``kind``. Raises ``CouldNotFinish``."""
    try:
        return read_json(body, kind)
    except NoDocument as error:
        raise unreadable(name) from error


def unreadable(name: str) -> CouldNotFinish:
    return CouldNotFinish(
        say(
            "{name}'s answer can't be read, so you are not signed in. Try it again; if it stays "
            "so, tell the operator.",
            name=name,
        )
    )


def name_in(*given: object) -> str:
    """Returns the first of some names of a person that is a text; no database keeps its NULs."""
    names = (each.replace("\0", "") for each in given if isinstance(each, str))
    return cut(next(filter(None, names), ""), _NAME)
