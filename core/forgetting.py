"""What becomes of a person's words and name in what happened, when they are to be forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from core.events import DebateRequested, Event

DELETED = "(deleted)"
_WHO = frozenset({"author", "voter", "by"})
_SAID = frozenset({"text", "reason", "detail", "because"})


def without_person(event: Event, is_them: Callable[[str], bool], alias: str) -> Event:
    """The event with ``alias`` for their name and without what they said in it; the same one where
    they are not in it. What seats answered them stays: it is not theirs.
    """
    if isinstance(event, DebateRequested):
        request = event.request
        if is_them(request.asker):
            request = replace(request, asker=alias)
        if is_them(request.owner):
            request = replace(request, owner=alias)
        if request is event.request:
            return event
        return replace(event, request=request)
    held = {each.name: getattr(event, each.name) for each in fields(event)}
    names = {name for name in _WHO & held.keys() if is_them(str(held[name]))}
    if not names:
        return event
    changes: dict[str, Any] = dict.fromkeys(names, alias)
    for name in _SAID & held.keys():
        if isinstance(held[name], str) and held[name]:
            changes[name] = DELETED
    if held.get("source"):
        changes["source"] = ""
    return replace(event, **changes)
