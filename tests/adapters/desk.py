"""A desk that keeps its requests in memory and gives the answers that a test has laid out: real,
but without debates behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.application.commands import Request
from core.application.desk import Caller, DeskAnswer, Glance, Home, TemplateChoice

TEMPLATES = (
    TemplateChoice("code_review", "Code review", "Defects in a pull request"),
    TemplateChoice("design_doc", "Design document", "A proposal on paper"),
    TemplateChoice("panel", "Panel", "A question, several opinions, one answer"),
)


@dataclass
class RecordingDesk:
    """Idempotent under ``Caller.source``, as the contract says. ``stall`` makes every call take
    that many seconds; ``released`` holds back every answer until it is set; ``live`` are the
    threads of running debates.
    """

    answer: DeskAnswer | Callable[[object, Caller], DeskAnswer] = field(
        default_factory=lambda: DeskAnswer("Taken.")
    )
    taken: list[tuple[Request, Caller]] = field(default_factory=list)
    presses: list[tuple[str, str, Caller, str]] = field(default_factory=list)
    reactions: list[tuple[str, str, str, str, bool]] = field(default_factory=list)
    """Place, message, person, emoji, added."""
    sayings: list[tuple[Caller, str, bool, str]] = field(default_factory=list)
    answers_said: dict[str, DeskAnswer | Exception] = field(default_factory=dict)
    """The answers to messages, by their text."""
    answers_people: bool = False
    """Whether other messages to the bot are answered too, and challenges in live threads."""
    live: set[str] = field(default_factory=set)
    recounted: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    priced: list[Request] = field(default_factory=list)
    home_content: Home = field(default_factory=lambda: Home((), (), ()))
    cards: dict[tuple[str, str], Glance] = field(default_factory=dict)
    offered: Sequence[TemplateChoice] = TEMPLATES
    languages: dict[str, str] = field(default_factory=dict)
    """By person or place."""
    sources: set[str] = field(default_factory=set)
    stall: float = 0.0
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.released.set()

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        if await self._fresh(caller):
            self.taken.append((request, caller))
        return self._answer(request, caller)

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        if await self._fresh(caller):
            self.presses.append((action, value, caller, text))
        return self._answer((action, value, text), caller)

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        if await self._fresh(caller):
            self.reactions.append((place, message, caller.person, emoji, added))

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        if await self._fresh(caller):
            self.sayings.append((caller, text, mentioned, message))
        answer = self.answers_said.get(text)
        if isinstance(answer, Exception):
            raise answer
        challenges = caller.thread in self.live and text.startswith("challenge:")
        if answer is None and self.answers_people and (mentioned or caller.private or challenges):
            answer = self._answer(text, caller)
        return answer

    async def recount(self, platform: str) -> None:
        self.recounted.append(platform)

    async def price(self, request: Request, caller: Caller) -> str:
        await asyncio.sleep(self.stall)
        self.priced.append(request)
        return "about $0.10"

    async def language(self, caller: Caller) -> str:
        return self.languages.get(caller.person or caller.place) or caller.language

    async def home(self, caller: Caller) -> Home:
        await self.released.wait()
        return self.home_content

    async def card(self, id: str, caller: Caller) -> Glance | None:
        return self.cards.get((id, caller.place))

    async def forget_workspace(self, workspace: str) -> None:
        self.gone.append(workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        return self.offered

    def template_names(self) -> Sequence[str]:
        return [one.id for one in self.templates()]

    def _answer(self, asked: object, caller: Caller) -> DeskAnswer:
        return self.answer(asked, caller) if callable(self.answer) else self.answer

    async def _fresh(self, caller: Caller) -> bool:
        await self.released.wait()
        await asyncio.sleep(self.stall)
        fresh = caller.source not in self.sources
        self.sources.add(caller.source)
        return fresh


def glance(
    id: str, title: str, status: str = "running", detail: str = "", place: str = "slack:T1/C1"
) -> Glance:
    return Glance(id, title, status, detail, place)
