"""What the tools need from the rest of the program; ``bot`` implements it for whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.debate import Debate
from core.events import Event


@dataclass(frozen=True, slots=True)
class Wanted:
    """A debate that is asked for: a link, a file, a range of git or a text; "" for the template
    that fits. ``budget`` is in USD.
    """

    target: str
    template: str = ""
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What it would cost: ``price`` in words, ``asks`` whether somebody has to agree first, and
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
    """A debate that was started, now or (``before``) within the hour. ``estimate`` is USD, None
    where nobody knows it.
    """

    debate: str
    status: str
    estimate: float | None
    before: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One debate of a list."""

    debate: str
    status: str
    template: str
    decision: str
    title: str
    source: str
    cost: float
    created_at: str


class Debates(Protocol):
    """Debates as one asker may see and steer them. Every call raises ``DebateError`` with what to
    do next.
    """

    async def offer(self, wanted: Wanted, *, again: bool) -> Offer:
        """Reads what is to be debated as it is now; ``again`` where somebody answers to the price
        that they were told, which is another one for every draw of seats.
        """
        ...

    async def start(self, wanted: Wanted, *, agreed: bool) -> Begun:
        """Starts it, unless the same was started within the hour; ``agreed`` to the price."""
        ...

    async def find(self, id: str) -> Debate:
        """The debate as it stands."""
        ...

    async def count(self, id: str) -> int:
        """How many events it has, as whoever waits asks again and again."""
        ...

    async def events(self, id: str) -> Sequence[Event]:
        """All that happened in a debate that was found before."""
        ...

    async def document(self, id: str, form: str) -> str:
        """As md, json or sarif."""
        ...

    async def challenge(self, id: str, text: str) -> str: ...

    async def stop(self, id: str) -> str: ...

    async def listed(self, target: str, most: int) -> Sequence[Line]:
        """The newest first; of one ``target`` where it is named."""
        ...

    def page(self, id: str) -> str:
        """The address of its page, "" where there is none."""
        ...


class Holder(Protocol):
    """Whoever has a good token; ``id`` is the token's."""

    @property
    def id(self) -> str: ...

    def debates(self, scope: str) -> Debates:
        """Raises ``Refused`` where the token may not do that (read, start, act)."""
        ...


class Access(Protocol):
    async def holder(self, secret: str) -> Holder | None:
        """The holder of a token of this server, None where it is no good one here. Raises
        ``CouldNotFinish`` while it can't be known whether they still belong to the workspace.
        """
        ...
