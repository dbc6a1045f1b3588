"""From a parsed start command to the request that is stored: the one translation, for people and
for schedules.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from adapters.commands.options import options_of
from adapters.commands.requests import Start
from core.events import DebateRequest

_FIELDS = frozenset(each.name for each in fields(DebateRequest))


def request_of(
    start: Start,
    *,
    asker: str,
    place: str,
    target: str = "",
    schedule: str = "",
    files: bool = False,
) -> DebateRequest:
    """What the core is asked for; options that it has no field for are its ``extras``.

    ``target`` replaces the command's own, where a schedule chose one of many. ``files`` is for the
    shell that reads the material itself, at once.
    """
    known: dict[str, Any] = {}
    extras: dict[str, str] = {}
    for option in options_of(Start):
        value = getattr(start, option.field)
        if option.field in _FIELDS:
            known[option.field] = value
        elif option.of_debate and (text := option.write(value)):
            extras[option.name] = text
    return DebateRequest(
        template=start.template,
        target=target or start.target,
        asker=asker,
        place=place,
        text=start.text,
        schedule=schedule,
        extras=extras,
        files=files,
        **known,
    )
