"""A small real desk in memory: it keeps each request once per source, and gives the answers that a
test puts on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.application.commands import Request
from core.application.desk import Caller, DeskAnswer, Glance, Home, TemplateChoice

TEMPLATES = (
    TemplateChoice(
        "code_review", "Code review", "Reviewers with different jobs argue over a pull request."
    ),
    TemplateChoice("panel", "Panel", "A question, several opinions, one answer."),
)


@dataclass
class RecordingDesk:
    """``stall`` makes every call take that many seconds; ``live`` are the threads of running
    debates.
    """

    answer: DeskAnswer | Callable[[Request], DeskAnswer] = field(
        default_factory=lambda: DeskAnswer("Taken.")
    )
    stall: float = 0.0
    live: set[str] = field(default_factory=set)
    home_content: Home = field(default_factory=lambda: Home((), (), ()))
    confirms_price: str = "price: about 0.11 USD"
    taken: list[tuple[Request, Caller]] = field(default_factory=list)
    pressed: list[tuple[str, str, Caller, str]] = field(default_factory=list)
    voted: list[tuple[str, str, str, str, bool]] = field(
        default_factory=list
    )  # person, place, message, emoji, added
    heard: list[tuple[Caller, str, bool, str]] = field(default_factory=list)
    recounted: list[str] = field(default_factory=list)
    asked_prices: list[Request] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    failure: Exception | None = None
    languages: dict[str, str] = field(default_factory=dict)  # by person or place
    cards: dict[tuple[str, str], Glance] = field(default_factory=dict)

    async def _once(self, caller: Caller) -> bool:
        await asyncio.sleep(self.stall)
        if self.failure is not None:
            raise self.failure
        fresh = caller.source not in self.sources
        self.sources.add(caller.source)
        return fresh

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        if await self._once(caller):
            self.taken.append((request, caller))
        return self.answer(request) if callable(self.answer) else self.answer

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        if await self._once(caller):
            self.pressed.append((action, value, caller, text))
        assert isinstance(self.answer, DeskAnswer)
        return self.answer

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        if await self._once(caller):
            self.voted.append((caller.person, place, message, emoji, added))

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        if await self._once(caller):
            self.heard.append((caller, text, mentioned, message))
        for_us = (
            mentioned
            or caller.private
            or (caller.thread in self.live and text.startswith("challenge:"))
        )
        assert isinstance(self.answer, DeskAnswer)
        return self.answer if for_us else None

    async def recount(self, platform: str) -> None:
        self.recounted.append(platform)

    async def price(self, request: Request, caller: Caller) -> str:
        await asyncio.sleep(self.stall)
        self.asked_prices.append(request)
        return self.confirms_price

    async def language(self, caller: Caller) -> str:
        return self.languages.get(caller.person or caller.place) or caller.language

    async def home(self, caller: Caller) -> Home:
        return self.home_content

    async def card(self, id: str, caller: Caller) -> Glance | None:
        return self.cards.get((id, caller.place))

    async def forget_workspace(self, workspace: str) -> None:
        self.removed.append(workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        return TEMPLATES

    def template_names(self) -> Sequence[str]:
        return [one.id for one in self.templates()]


def glance(
    id: str, title: str, status: str = "running", detail: str = "", place: str = "slack:T1/C1"
) -> Glance:
    return Glance(id, title, status, detail, place)
