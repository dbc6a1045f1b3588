"""The interface through which the tools read and act; ``bot`` implements it for each caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from adapters.ports.following import EventReader
from core.debate.state import Debate


@dataclass(frozen=True, slots=True)
class DebateStart:
    """The debate to start: its material is a link, a file, a range of git or a text; "" means the
    template that fits. ``budget`` is in USD.
    """

    target: str
    template: str = ""
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """The price of a debate: ``price`` in words, ``asks`` whether a person must agree first, and
    ``known`` whether a budget can be kept. ``earlier`` is the debate on the same change that was
    started within the hour, "" for none.
    """

    template: str
    price: str
    asks: bool = False
    known: bool = True
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A debate that was started now, or (``before``) within the hour. ``estimate`` is USD, None if
    it is unknown.
    """

    debate: str
    status: str
    estimate: float | None
    before: bool = False


@dataclass(frozen=True, slots=True)
class DebateSummary:
    """One debate of a list."""

    debate: str
    status: str
    template: str
    decision: str
    title: str
    source: str
    cost: float
    created_at: str


class VisibleDebates(EventReader, Protocol):
    """Debates that one caller may see and steer. Every call raises ``DebateError`` with the next
    step.
    """

    async def offer(self, wanted: DebateStart, *, again: bool) -> Offer:
        """Reads the material as it is now and prices it. With ``again`` the person answers to an
        earlier price, which differs with every draw of seats.
        """
        ...

    async def start(self, wanted: DebateStart, *, agreed: bool) -> Begun:
        """Starts it, unless the same was started within the hour; ``agreed`` to the price."""
        ...

    async def find(self, id: str) -> Debate:
        """Returns the debate in its present state."""
        ...

    async def document(self, id: str, form: str) -> str:
        """Returns the debate as a document: md, json or sarif."""
        ...

    async def challenge(self, id: str, text: str, finding: str) -> str: ...

    async def stop(self, id: str) -> str: ...

    async def listed(self, target: str, most: int) -> Sequence[DebateSummary]:
        """Returns debates, the newest first; only those about ``target`` if it is given."""
        ...

    def page(self, id: str) -> str:
        """Returns the address of its page, "" if there is none."""
        ...


class Holder(Protocol):
    """The person behind a valid token or signature; ``id`` is the token's, or the person's."""

    @property
    def id(self) -> str: ...

    def debates(self, scope: str) -> VisibleDebates:
        """Returns the holder's debates. Raises ``Refused`` if the token lacks that scope (read,
        start, act).
        """
        ...


class Access(Protocol):
    async def holder(self, secret: str) -> Holder | None:
        """Returns the holder of a token of this server, None if it is no good one here. Raises
        ``CouldNotFinish`` while it can't be known whether they still belong to the workspace.
        """
        ...

    async def signer(self, body: bytes, headers: Mapping[str, str]) -> Holder | None:
        """Returns the person for whom a platform signed this request, None if none that is known
        here did. Raises ``CouldNotFinish`` as ``holder`` does.
        """
        ...
