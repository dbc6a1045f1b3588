"""The rules of one debate: the request's, else the template's, else this installation's; and the
tools that seats may use.
"""

from __future__ import annotations

from math import ceil

from bot.debates.opening.effect import converges
from bot.posting.private import FindLanguage
from bot.settings import Settings
from core.application.commands.kinds import seconds
from core.application.place import PROGRAM, SHELL, platform_of
from core.debate.budget.pricing import Estimate
from core.debate.events import DebateRequest, Terms
from core.debate.material import Material, MaterialKind
from core.debate.script import Script
from core.debate.template import Template
from core.languages import ENGLISH, msgid
from core.languages.detection import detect

_CHAT_WINDOW = 600.0
"""Seconds for which people's votes still count after the last round of a debate in a chat."""
_PATIENCE = 600.0
"""Seconds that each turn of a held seat is waited for if ``--timeout`` names no time."""


_PROSE = (MaterialKind.QUESTION, MaterialKind.DOCUMENT, MaterialKind.INCIDENT)

NOT_ALLOWED = msgid(
    "--prove runs tests, and the operator has not said where: set DEBATE_PROVE=sandbox or "
    "DEBATE_PROVE=ci, or leave --prove out."
)
SEARCHES, LOOKS_UP, PROVES = "search", "lookups", "proofs"


def allowed_tools(settings: Settings) -> list[str]:
    """Returns the names of the tools that a process with these settings allows: web search, the
    repository of the change, tests that are run.
    """
    allowed = {SEARCHES: settings.search, LOOKS_UP: settings.lookups, PROVES: settings.prove}
    return [name for name, allows in allowed.items() if allows]


def terms_of(
    request: DebateRequest,
    template: Template,
    script: Script,
    cost: Estimate,
    reserve: float,
    settings: Settings,
) -> Terms:
    """Returns a debate's terms. ``reserve`` is the most that the closing turns cost, in USD."""
    budgets = [each for each in (request.budget, settings.budget) if each is not None]
    budget = min(budgets, default=None)  # what a request says never raises the operator's
    window = request.vote_window
    if window is None:
        window = _CHAT_WINDOW
        if platform_of(request.place) in (SHELL, PROGRAM):
            window = 0.0
    limit = seconds(request.extras.get("timeout", ""))
    estimate = cost.likely
    # One price, what the person was shown; a panel's size is chosen after that.
    if request.quoted is not None and template.format != "panel":
        estimate = request.quoted
    converging: tuple[float | None, ...] = ()
    if converges(request, template):
        wanted = _number(request, "convergence")
        converging = wanted, template.convergence_threshold, settings.convergence
    return Terms(
        consensus=template.consensus.value,
        threshold=template.consensus_threshold,
        quorum=max(1, ceil(template.quorum * len(script.voters))),
        budget=budget,
        reserve=reserve,
        vote_window=window,
        quiet=request.quiet,
        estimate=estimate,
        anyway=request.extras.get("debate-anyway", "") == "yes",
        prove=request.extras.get("prove", "") == "yes",
        patience=limit or _PATIENCE,
        timeout=_first(limit, template.timeout, settings.timeout),
        temperature=_first(template.temperature, settings.temperature),
        convergence=_first(*converging),
        thread=settings.thread.value,
    )


async def debate_language(
    request: DebateRequest, material: Material, find: FindLanguage | None
) -> str:
    """Returns the code of the language in which the seats write and which the thread has, "" if
    nobody chose one and the question is English or in no shipped language.
    """
    if chosen := request.extras.get("language", ""):
        return chosen
    if find is not None and (set_here := await find(request.place)):
        return set_here
    texts = [material.title, material.body]
    if material.kind in _PROSE:
        texts.append(material.text)
    language = detect("\n".join(texts))
    if language == ENGLISH:
        return ""
    return language


def _first(*given: float | None) -> float | None:
    return next((each for each in given if each is not None), None)


def _number(request: DebateRequest, name: str) -> float | None:
    """Returns an option of the request as a number; the grammar has checked it."""
    text = request.extras.get(name, "")
    return float(text) if text else None
