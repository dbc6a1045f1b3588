"""The rules of one debate: the request's, else the template's, else this installation's; and the
tools that seats may use.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import ceil

from bot.debates.opening.effect import converges
from bot.settings import Settings
from core.application.commands.durations import seconds
from core.application.place import PROGRAM, SHELL, platform_of
from core.debate.budget.pricing import Estimate
from core.debate.events import DebateRequest, Terms
from core.debate.formats.complexity import THIRD_ROUND_FROM
from core.debate.material import Material, MaterialKind
from core.debate.script import Script
from core.debate.template import Template
from core.languages import ENGLISH, msgid
from core.languages.detection import detect
from storage.database.lock import RunnerLock

_CHAT_WINDOW = 600.0
"""Seconds for which people's votes still count after the last round of a debate in a chat."""


_PROSE = (MaterialKind.QUESTION, MaterialKind.DOCUMENT, MaterialKind.INCIDENT)
FindLanguage = Callable[[str], Awaitable[str]]
"""Returns the language that was set for a place or a person, "" for none."""


NOT_ALLOWED = msgid(
    "--prove runs tests, and the operator has not said where: set DEBATE_PROVE=sandbox or "
    "DEBATE_PROVE=ci, or leave --prove out."
)
SEARCHES, LOOKS_UP, PROVES = "search", "lookups", "proofs"


@dataclass(frozen=True, slots=True)
class Tools:
    """``searching`` allows web search, ``looking`` the repository of the change, ``proving`` tests
    that are run. If another process holds the ``lock``, that process plays, and its permissions
    count instead.
    """

    searching: bool = True
    looking: bool = False
    lock: RunnerLock | None = None
    proving: bool = False

    @property
    def names(self) -> list[str]:
        """Returns the names of the tools that this process allows."""
        allowed = {SEARCHES: self.searching, LOOKS_UP: self.looking, PROVES: self.proving}
        return [name for name, allows in allowed.items() if allows]

    def allow(self, name: str) -> bool:
        """True if the process that will play the debate allows a tool."""
        there = self.lock.allowed() if self.lock is not None else None
        return name in (self.names if there is None else there)


@dataclass(frozen=True, slots=True)
class TermDefaults:
    """The installation's terms, for what neither the request nor the template says.

    ``budget`` is in USD and holds whatever a request says; ``extended_above`` is the complexity
    above which a panel is large; the other fields are as in ``core.debate.events.Terms``.
    """

    budget: float | None = None
    timeout: float | None = None
    temperature: float | None = None
    convergence: float | None = None
    thread: str = "statements"
    extended_above: float = THIRD_ROUND_FROM

    @classmethod
    def of(cls, settings: Settings) -> TermDefaults:
        return cls(
            settings.budget,
            settings.timeout,
            settings.temperature,
            settings.convergence,
            settings.thread.value,
            THIRD_ROUND_FROM if settings.extended_above is None else settings.extended_above,
        )


def terms_of(
    request: DebateRequest,
    template: Template,
    script: Script,
    cost: Estimate,
    reserve: float,
    defaults: TermDefaults,
) -> Terms:
    """Returns a debate's terms. ``reserve`` is the most that the closing turns cost, in USD."""
    budgets = [each for each in (request.budget, defaults.budget) if each is not None]
    budget = min(budgets, default=None)  # what a request says never raises the operator's
    window = request.vote_window
    if window is None:
        window = _CHAT_WINDOW
        if platform_of(request.place) in (SHELL, PROGRAM):
            window = 0.0
    limit = seconds(request.extras.get("timeout", ""))
    # One price, what the person was shown; a panel's size is chosen after that.
    quoted = request.quoted if template.format != "panel" else None
    converging: tuple[float | None, ...] = ()
    if converges(request, template):
        wanted = _number(request, "convergence")
        converging = wanted, template.convergence_threshold, defaults.convergence
    return Terms(
        consensus=template.consensus.value,
        threshold=template.consensus_threshold,
        quorum=max(1, ceil(template.quorum * len(script.voters))),
        budget=budget,
        reserve=reserve,
        vote_window=window,
        quiet=request.quiet,
        estimate=cost.likely if quoted is None else quoted,
        anyway=request.extras.get("debate-anyway", "") == "yes",
        prove=request.extras.get("prove", "") == "yes",
        timeout=_first(limit, template.timeout, defaults.timeout),
        temperature=_first(template.temperature, defaults.temperature),
        convergence=_first(*converging),
        thread=defaults.thread,
    )


async def language_of(request: DebateRequest, material: Material, find: FindLanguage | None) -> str:
    """Returns the code of the language in which the seats write and which the thread has, "" if
    nobody chose one and the question is English or in no shipped language.
    """
    if chosen := request.extras.get("language", ""):
        return chosen
    if find is not None and (set_here := await find(request.place)):
        return set_here
    prose = material.text if material.kind in _PROSE else ""
    language = detect(f"{material.title}\n{material.body}\n{prose}")
    return "" if language == ENGLISH else language


def _first(*given: float | None) -> float | None:
    return next((each for each in given if each is not None), None)


def _number(request: DebateRequest, name: str) -> float | None:
    """Returns an option of the request as a number; the grammar has checked it."""
    text = request.extras.get(name, "")
    return float(text) if text else None
