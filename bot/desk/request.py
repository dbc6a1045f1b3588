"""From a parsed start command to the request that is stored: the one translation, for people and
for schedules.
"""

from __future__ import annotations

from adapters.commands.requests import Start
from core.events import DebateRequest


def request_of(
    ask: Start, *, asker: str, place: str, target: str = "", schedule: str = ""
) -> DebateRequest:
    """What the core is asked for.

    ``target`` replaces the command's own, where a schedule chose one of many.
    """
    return DebateRequest(
        template=ask.template,
        target=target or ask.target,
        asker=asker,
        place=place,
        rounds=ask.rounds,
        models=ask.models,
        consensus=ask.consensus,
        threshold=ask.threshold,
        budget=ask.budget,
        format=ask.format,
        vote_window=ask.vote_window,
        quiet=ask.quiet,
        search=ask.search,
        text=ask.text,
        schedule=schedule,
        extras=dict(ask.extras),
    )
