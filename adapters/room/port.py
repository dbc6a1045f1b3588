"""What only browsers have: sessions, and links under which people without an account read. ``bot``
implements it; everything else the room asks of ``core.application``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from adapters.room.setup.providers import Account
from adapters.room.visitors import Visitor


@dataclass(frozen=True, slots=True)
class SignedIn:
    """One browser that someone is signed in with."""

    id: str
    browser: str
    created_at: datetime
    seen_at: datetime


class BrowserSessions(Protocol):
    """Sessions of people in browsers."""

    async def signed_in(self, key: str) -> Visitor | None:
        """Returns the person whom a cookie's secret identifies; None for a secret without a
        session.
        """
        ...

    async def begin(self, key: str, account: Account, browser: str) -> None:
        """Signs a browser in. Raises ``Refused`` for an account in no workspace of the bot's,
        ``CouldNotFinish`` while that can't be known.
        """
        ...

    async def invited(self, secret: str) -> str | None:
        """Returns the page that a link of this machine's shell leads to: a debate's id, "" for the
        first page, None for a link that is not valid.
        """
        ...

    async def enter(self, key: str, secret: str, browser: str) -> Visitor | None:
        """Signs a browser in by such a link, which is used up; None if the link is not valid."""
        ...

    async def decline(self, secret: str) -> None:
        """Uses up a link that a browser followed which is signed in already."""
        ...

    async def sessions(self, visitor: Visitor) -> Sequence[SignedIn]:
        """Returns every browser that the person is signed in with."""
        ...

    async def end(self, visitor: Visitor, session: str = "", *, all: bool = False) -> int:
        """Signs out this browser, another browser of the person, or all; returns the number."""
        ...

    async def look_at(self, visitor: Visitor, workspace: str) -> None:
        """Switches the session to another of the person's workspaces."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link that still opens a debate; ``key`` is the secret in its address."""

    id: str
    key: str
    made_by: str
    expires_at: datetime


class Links(Protocol):
    """Links under which people without an account read one debate."""

    async def make(self, debate: str, visitor: Visitor, days: int) -> OutsideLink: ...

    async def of(self, debate: str) -> Sequence[OutsideLink]:
        """Returns the valid links of a debate, the newest first."""
        ...

    async def revoke(self, debate: str, id: str, visitor: Visitor) -> bool: ...

    async def opens(self, key: str) -> str:
        """Returns the debate that a key opens; "" for an invalid key, or if the debate's audience
        has become smaller since the link was made.
        """
        ...
