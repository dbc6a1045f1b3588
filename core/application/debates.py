"""What surfaces read of debates, for one caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.listing import Filter, Hit
from core.application.schedules import ListedSchedule
from core.debate.events import Event
from core.debate.script import Turn
from core.debate.state import Debate


@dataclass(frozen=True, slots=True)
class RelatedDebate:
    """A debate and ``what`` it is to another one: its parent, or a fork of it."""

    id: str
    what: str
    document: Mapping[str, Any]


class Debates(Protocol):
    """Reads debates for one caller. Raises ``BadInput`` for a debate that does not exist or that
    the caller may not know of, and ``Refused`` for a debate that they may not see.

    Methods without a ``caller`` are for debates whose right to be seen has been checked before.
    """

    async def find(self, id: str, caller: Caller) -> Debate:
        """Returns the debate in its present state, and notes that the caller has read it."""
        ...

    async def linked(self, id: str) -> Debate:
        """Returns a debate that a link has opened already."""
        ...

    async def state(self, id: str) -> Debate: ...

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        """Returns the events from that position on."""
        ...

    async def follow(self, id: str, after: int, seconds: float) -> Sequence[Event]:
        """Returns the events after that number as soon as there are any; none if the debate has
        ended for good or the ``seconds`` are over.
        """
        ...

    async def document(self, debate: Debate, form: str, caller: Caller) -> str:
        """Returns the whole debate as a document: md, json, html, play or sarif."""
        ...

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        """Returns the outcome document of the debate that this one was forked from."""
        ...

    async def related(self, debate: Debate, caller: Caller) -> Sequence[RelatedDebate]:
        """Returns the parent first, then the forks, as far as the caller may see them."""
        ...

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[Hit]:
        """Returns debates that match the filter, the newest first."""
        ...

    async def schedules(
        self, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
    ) -> Sequence[ListedSchedule]:
        """Returns schedules in the order of their next runs, paused ones last, after the given time
        and id.
        """
        ...

    async def turns(self, caller: Caller) -> Sequence[tuple[Debate, Turn]]:
        """Returns the turns for which the caller's token is waited for."""
        ...

    async def models(self) -> str:
        """Returns the models that speak if nobody named any, and the reason in a sentence."""
        ...

    async def require(self, caller: Caller, action: Action, debate: Debate) -> None:
        """Raises ``Refused`` if the caller may not do that to the debate."""
        ...
