"""What a release can play. Two releases run side by side on one database for hours while replicas
are exchanged: a debate that holds what the older one does not know is played by the newer alone.

``LEVEL`` goes up by one with the first release that records something of which the one before
cannot tell what it means for the turns that follow (a kind of event, a version of one, a format);
that goes into the table, with the level. What changes nothing for them needs no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.events import DebateOpened, DebateRequested, Event, UnknownEvent
from storage.codec import EVENTS

LEVEL = 1
"""That of this release."""
OF_EVENTS: Mapping[tuple[str, int], int] = {}
"""By kind and version; what is absent every release can play."""
OF_FORMATS: Mapping[str, int] = {}
"""By the name of a script's format."""


def level_of(events: Iterable[Event]) -> int:
    """What whoever plays a debate with these events has to be able to."""
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
