"""The parts that a debate needs while it is played: its models, its threads, its listeners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.debate.engine import EventListener
from core.debate.events import Event
from core.debate.ports import Models, OnWords
from core.debate.script import Turn
from core.debate.state import Debate

FindTokenListener = Callable[[str, Turn], OnWords | None]
"""Returns the listener for the words of a debate's turn, or None if nobody watches."""


async def keep_nothing(_debate: Debate) -> None:
    """Keeps nothing of a finished debate."""


def ignore_event(_event: Event, _debate: Debate) -> None:
    """Does nothing with an event, as the default listener."""


def ignore_tokens(_debate: str, _turn: Turn) -> None:
    """Returns no listener, as the default if no page shows words."""


class DebateModels(Protocol):
    """All models of the process, for one debate after the other."""

    def scoped(self) -> Models:
        """Returns the models for one debate, with a separate allowance of web searches."""
        ...

    async def meet(self, names: Sequence[str]) -> None:
        """Learns everything that must be known of these models before a debate calls them. Never
        raises.
        """
        ...


class DebateThreads(Protocol):
    """The messages of a debate in all its places."""

    async def wait_for_first(self, id: str) -> None:
        """Returns once a debate's first message is posted or was given up, so that nothing is spent
        on a debate that nobody can read.
        """
        ...

    async def recount(self, id: str) -> None:
        """Reads the reactions on the messages once more, before the vote is closed."""
        ...


@dataclass(frozen=True, slots=True)
class Listeners:
    """The listeners of a process: ``events`` are called with every event that it plays,
    ``find_token_listener`` returns the listener for a turn's words.
    """

    events: Sequence[EventListener] = ()
    find_token_listener: FindTokenListener = ignore_tokens
