"""Removes a person's words and name from events when they are to be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from core.debate.events import DebateOpened, DebateRequested, Event, EventRemoved, UnknownEvent
from core.debate.material.rendering import without_quotation

DELETED = "(deleted)"
_WHO = frozenset({"author", "voter", "by"})
_SAID = frozenset({"text", "reason", "detail", "because"})


def without_debate(event: Event, debate: str) -> Event:
    """Returns the event without its material's quotations of another debate; the same event if
    it quotes nothing.
    """
    if not isinstance(event, DebateOpened):
        return event
    material = without_quotation(event.material, debate)
    return event if material is event.material else replace(event, material=material)


def without_person(event: Event, is_them: Callable[[str], bool], alias: str) -> Event:
    """Returns the event with ``alias`` in place of a person's name and without their words; the
    same event if they are not in it.

    The seats' answers to them stay: these are not theirs. An event of a newer release is removed as
    a whole, because nobody here knows which parts are theirs.
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
    if isinstance(event, UnknownEvent):
        return EventRemoved() if _is_named(event.payload, is_them) else event
    held = {each.name: getattr(event, each.name) for each in fields(event)}
    names = {name for name in _WHO & held.keys() if is_them(str(held[name]))}
    if not names:
        return event
    changes: dict[str, Any] = dict.fromkeys(names, alias)
    for name in _SAID & held.keys():
        if type(held[name]) is str and held[name]:  # an enumeration is no word of theirs
            changes[name] = DELETED
    if held.get("source"):
        changes["source"] = ""
    return replace(event, **changes)


def _is_named(value: object, is_them: Callable[[str], bool]) -> bool:
    """True if the name is anywhere in stored data."""
    if isinstance(value, str):
        return is_them(value)
    if isinstance(value, Mapping):
        return any(_is_named(one, is_them) for one in value.values())
    return isinstance(value, list) and any(_is_named(one, is_them) for one in value)
