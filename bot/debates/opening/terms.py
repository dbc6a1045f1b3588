"""The rules of one debate: what the request says, else the template, else this installation."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from adapters.commands.durations import seconds
from adapters.ports.place import SHELL, platform_of
from bot.settings import Settings
from core.budget import Estimate, dollars
from core.errors import BadInput
from core.events import DebateRequest, Terms
from core.script import Script
from core.template import Template

_CHAT_WINDOW = 600.0
"""Seconds in which people's votes still count after the last round, where they read along in a
chat.
"""


@dataclass(frozen=True, slots=True)
class TermDefaults:
    """What holds where neither the request nor the template says anything. ``budget`` is in USD
    and holds whatever a request says; the rest is as in ``core.events.Terms``.
    """

    budget: float | None = None
    timeout: float | None = None
    temperature: float | None = None
    convergence: float | None = None
    sure: float | None = None
    alone: str = ""
    share: float | None = None
    thread: str = "statements"

    @classmethod
    def of(cls, settings: Settings) -> TermDefaults:
        return cls(
            settings.budget,
            settings.timeout,
            settings.temperature,
            settings.convergence,
            settings.sure,
            settings.alone,
            settings.held_by,
            settings.thread.value,
        )


def terms_of(
    request: DebateRequest,
    template: Template,
    script: Script,
    cost: Estimate,
    reserve: float,
    defaults: TermDefaults,
) -> Terms:
    """``reserve`` is what the closing turns cost at most, in USD. Raises ``BadInput`` where the
    budget does not pay for them.
    """
    budgets = [each for each in (request.budget, defaults.budget) if each is not None]
    budget = min(budgets, default=None)  # what a request says never raises the operator's
    if budget is not None and reserve > budget:
        raise BadInput(
            f"A budget of {dollars(budget)} does not even pay for the report "
            f"({dollars(reserve)}). Raise it or choose cheaper models."
        )
    window = request.vote_window
    if window is None:
        window = _CHAT_WINDOW
        if platform_of(request.place) == SHELL:
            window = 0.0
    asked = seconds(request.extras.get("timeout", ""))
    return Terms(
        consensus=template.consensus.value,
        threshold=template.consensus_threshold,
        quorum=max(1, ceil(template.quorum * len(script.voters))),
        budget=budget,
        reserve=reserve,
        vote_window=window,
        quiet=request.quiet,
        estimate=cost.likely,
        anyway=request.extras.get("debate-anyway", "") == "yes",
        timeout=_first(asked, template.timeout, defaults.timeout),
        temperature=_first(template.temperature, defaults.temperature),
        convergence=_first(template.convergence_threshold, defaults.convergence),
        sure=defaults.sure,
        alone=defaults.alone,
        share=defaults.share,
        thread=defaults.thread,
    )


def _first(*given: float | None) -> float | None:
    return next((each for each in given if each is not None), None)
