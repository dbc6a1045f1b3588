"""The port through which the loop lets a turn be spoken (``core.debate.speaking`` does it), and
what comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from core.debate.events import TurnFailed, TurnFinished
from core.debate.log import Call
from core.debate.ports import Message, OnWords
from core.debate.script import Turn
from core.debate.state import Debate
from core.debate.stored import stored

_T = TypeVar("_T")
Redact = Callable[[str], str]
OUT_OF_MONEY = stored("the budget does not pay for another try")


def request_hash(model: str, messages: Sequence[Message]) -> str:
    """Returns the key of a stored answer: a hash of the model and every byte of the request."""
    digest = hashlib.sha256(model.encode())
    for message in messages:
        digest.update(f"\x00{message.role}\x00{message.text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class TurnResult:
    """A settled turn with the call that settled it, for one commit."""

    event: TurnFinished | TurnFailed
    calls: tuple[Call, ...] = ()


class Till(Protocol):
    """What a turn needs of the loop while it is spoken.

    ``held`` is the USD that each turn has spent, and spends at most with its call in flight.
    """

    held: dict[str, float]

    def cost(self, turn: Turn, model: str) -> float | None:
        """Returns the most USD that one try of a turn by a model costs; None if unknown."""
        ...

    async def pays(self, turn: Turn, call: Call) -> bool:
        """Return whether the budget pays for one more try."""
        ...

    async def note(self, call: Call) -> None:
        """Commits one row of a call."""
        ...

    def wait(self, text: str) -> None:
        """Records words for people about a provider that makes a seat wait."""
        ...

    def in_thread_if_large(self, work: Callable[[], _T]) -> Awaitable[_T]:
        """Runs work that searches the change, in a thread if the change is large."""
        ...


class Speaking(Protocol):
    """How turns are prompted, spoken and read."""

    def look_over(self, debate: Debate) -> None:
        """Reads once what every prompt and reply of the debate asks of the whole change."""
        ...

    def prompt(self, debate: Debate, turn: Turn) -> tuple[Message, ...]:
        """Returns the prompt of a turn."""
        ...

    async def speak(
        self,
        debate: Debate,
        turn: Turn,
        messages: tuple[Message, ...],
        till: Till,
        on_words: OnWords | None = None,
    ) -> TurnResult:
        """Settles a turn with the prompt ``messages``. Never raises for a model's failure;
        cancellation passes through.
        """
        ...

    def cut_off(self, turn: Turn, reason: str) -> TurnResult:
        """Returns the end of a turn that is stopped, or broke by a defect. Its call in flight
        counts with the most that it can cost, because the provider may still bill it.
        """
        ...
