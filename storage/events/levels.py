"""Defines which debates a release can play.

Two releases run side by side on one database for hours while replicas are exchanged: a debate that
holds something unknown to the older one is played only by the newer. ``LEVEL`` goes up by one with
the first release that records something whose meaning for the following turns the release before
cannot know (a kind of event, a version of one, a format); that gets a row in the table, with the
level. A change that does not affect the turns needs no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.debate.events import DebateOpened, DebateRequested, Event, UnknownEvent
from storage.codec import EVENTS

LEVEL = 2
"""The level of this release."""
OF_EVENTS: Mapping[tuple[str, int], int] = {("debate_reopened", 1): 2}
"""Levels by kind and version; every release can play an absent one."""
OF_FORMATS: Mapping[str, int] = {}
"""Levels by the name of a script's format."""


def level_of(events: Iterable[Event]) -> int:
    """Returns the level that a process needs to play a debate with these events."""
    return max((_level(event) for event in events), default=1)


def _level(event: Event) -> int:
    if isinstance(event, UnknownEvent):
        return LEVEL + 1  # at least
    level = OF_EVENTS.get(EVENTS.kind_and_version(event), 1)
    if isinstance(event, DebateOpened):
        return max(level, OF_FORMATS.get(event.script.format, 1))
    if isinstance(event, DebateRequested) and event.request.format:
        return max(level, OF_FORMATS.get(event.request.format, 1))
    return level
