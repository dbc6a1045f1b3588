"""Recurring debates, as they are stored and as lists show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Schedule:
    """A recurring debate: ``cron`` in time zone ``tz``; a firing more than ``grace`` seconds late
    is to be skipped.

    ``options`` are the start command's. ``filters`` choose among targets and ``heads`` is the last
    seen revision of each; ``outcome`` is the result of the last run, ``misses`` counts the failed
    runs in a row.
    """

    id: str
    cron: str
    tz: str
    grace: float
    next_at: datetime | None
    template: str
    target: str
    place: str
    owner: str
    created_at: datetime
    enabled: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)
    outcome: str = ""
    heads: Mapping[str, str] = field(default_factory=dict)
    misses: int = 0


@dataclass(frozen=True, slots=True)
class ListedSchedule:
    """A schedule in a list. ``when`` is its ``cron`` in words. ``coming`` are its next times, none
    while it is paused; ``debates`` are the debates that the last run started; ``mine`` is True if
    the caller may change it.
    """

    schedule: Schedule
    when: str
    coming: tuple[datetime, ...] = ()
    debates: tuple[str, ...] = ()
    mine: bool = False


def row_of(schedule: Schedule) -> Mapping[str, Any]:
    """Returns one item of ``schedule list --json`` and of the list for programs."""
    return {
        "id": schedule.id,
        "cron": schedule.cron,
        "tz": schedule.tz,
        "template": schedule.template,
        "target": schedule.target,
        "filters": dict(schedule.filters),
        "place": schedule.place,
        "owner": schedule.owner,
        "enabled": schedule.enabled,
        "next_at": schedule.next_at and schedule.next_at.isoformat(),
        "outcome": schedule.outcome,
    }
