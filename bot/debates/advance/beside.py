"""What a debate has beside its events while it is played: its models, its threads, who listens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.debate import Debate
from core.engine import EventListener
from core.events import Event
from core.ports import Models, OnWords
from core.script import Turn

Speech = Callable[[str, Turn], OnWords | None]
"""Where the words of a debate's turn go; None where nobody watches."""


def ignore_event(_event: Event, _debate: Debate) -> None:
    """Listens to nothing."""


def ignore_speech(_debate: str, _turn: Turn) -> None:
    """Shows nothing of what is being said."""


class DebateModels(Protocol):
    """All models of the process, for one debate after the other."""

    def scoped(self) -> Models:
        """One debate's, with an allowance of searches of its own."""
        ...

    async def meet(self, names: Sequence[str]) -> None:
        """Learns whatever has to be known of these models before a debate asks them. Never
        raises.
        """
        ...


class Threads(Protocol):
    """The messages of a debate, wherever it is told."""

    async def wait_for_first(self, id: str) -> None:
        """Returns once a debate's first message stands, or is given up: before that nothing is
        spent on what nobody may ever read.
        """
        ...

    async def recount(self, id: str) -> None:
        """Reads what people show on the messages once more, before the vote is closed over it."""
        ...


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who hears of every event that this process plays, and of what is being said."""

    events: Sequence[EventListener] = ()
    speech: Speech = ignore_speech
