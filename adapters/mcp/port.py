"""The interface through which the tools start debates; ``bot`` implements it for each caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.application.commands import Challenge, Control, Start
from core.application.desk import DeskAnswer
from core.debate.state import Debate


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


class Host(Protocol):
    """Starts and plays debates for one caller: a bot within a token's purse, or the process of a
    shell. Only tools repeat a call that was cut off, so only they need it. Every call raises
    ``DebateError`` with the next step.
    """

    async def offer(self, wanted: Start, *, again: bool) -> Offer:
        """Reads the material as it is now and prices it. With ``again`` the person answers to an
        earlier price, which differs with every draw of seats.
        """
        ...

    async def start(self, wanted: Start, *, agreed: bool) -> Begun:
        """Starts it, unless the same was started within the hour; ``agreed`` to the price."""
        ...

    async def take(self, request: Challenge | Control) -> DeskAnswer:
        """Passes a request to the desk; returns once it is applied if this process plays the
        debate.
        """
        ...

    async def play_on(self, debate: Debate) -> None:
        """Plays a debate that these tools started and whose process has ended."""
        ...

    def require_playing(self, id: str) -> None:
        """Raises ``CouldNotFinish`` if this process played the debate and ended with an error."""
        ...
