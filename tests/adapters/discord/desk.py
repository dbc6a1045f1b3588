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
)


@dataclass
class RecordingDesk:
    """Idempotent under ``Caller.source``, as the contract says; ``stalled`` holds back every answer
    until it is set.
    """

    answer: Callable[[object, Caller], DeskAnswer] = lambda request, caller: DeskAnswer("Taken.")
    taken: list[tuple[Request, Caller]] = field(default_factory=list)
    presses: list[tuple[str, str, Caller, str]] = field(default_factory=list)
    reactions: list[tuple[str, str, str, str, bool]] = field(
        default_factory=list
    )  # place, message, person, emoji, added
    sayings: list[tuple[Caller, str, bool, str]] = field(default_factory=list)
    recounts: int = 0
    gone: list[str] = field(default_factory=list)
    answers_said: dict[str, DeskAnswer | Exception] = field(
        default_factory=dict
    )  # text of a message -> answer
    shown: Home = field(default_factory=lambda: Home((), (), ()))
    offered: Sequence[TemplateChoice] = TEMPLATES
    released: asyncio.Event = field(default_factory=asyncio.Event)
    sources: set[str] = field(default_factory=set)
    languages: dict[str, str] = field(default_factory=dict)  # by person

    def __post_init__(self) -> None:
        self.released.set()

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        await self.released.wait()
        if self._fresh(caller):
            self.taken.append((request, caller))
        return self.answer(request, caller)

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        await self.released.wait()
        if self._fresh(caller):
            self.presses.append((action, value, caller, text))
        return self.answer((action, value, text), caller)

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        if self._fresh(caller):
            self.reactions.append((place, message, caller.person, emoji, added))

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        if self._fresh(caller):
            self.sayings.append((caller, text, mentioned, message))
        answer = self.answers_said.get(text)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def recount(self, platform: str) -> None:
        assert platform == "discord"
        self.recounts += 1

    async def price(self, request: Request, caller: Caller) -> str:
        return "about $0.10"

    async def language(self, caller: Caller) -> str:
        return self.languages.get(caller.person) or caller.language

    async def home(self, caller: Caller) -> Home:
        await self.released.wait()
        return self.shown

    async def card(self, id: str, caller: Caller) -> Glance | None:
        return None

    async def forget_workspace(self, workspace: str) -> None:
        self.gone.append(workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        return self.offered

    def template_names(self) -> Sequence[str]:
        return [one.id for one in self.templates()]

    def _fresh(self, caller: Caller) -> bool:
        if caller.source in self.sources:
            return False
        self.sources.add(caller.source)
        return True


def glance(identity: str, title: str, status: str = "running") -> Glance:
    return Glance(identity, title, status, "", "discord:1/2")
