"""The operator's limits on what one person and one place may use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from core.application.commands.kinds import seconds
from core.debate.errors import BadInput

_RHYTHM = "schedule-every"


@dataclass(frozen=True, slots=True)
class Limits:
    """Each limit is set in ``DEBATE_LIMITS`` by its name. ``schedule_every`` is in seconds;
    challenges and reviews of one change count over a day, prices over an hour.
    """

    person_debates: int = 10
    place_debates: int = 20
    person_schedules: int = 20
    place_schedules: int = 30
    schedule_every: float = 900.0
    person_challenges: int = 30
    place_challenges: int = 100
    change_reviews: int = 12
    person_prices: int = 60
    place_prices: int = 200


def read_limits(name: str, value: str) -> Limits:
    """Reads a text like ``person-debates=3,schedule-every=1h``. Raises ``BadInput``."""
    known = {each.name.replace("_", "-"): each.name for each in fields(Limits)}
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in value.split(","))):
        word, _, number = (each.strip() for each in part.partition("="))
        if word not in known:
            raise BadInput(f"{name}: {word[:40]!r} is no limit. There are {', '.join(known)}.")
        given[known[word]] = _value(name, word, number)
    return Limits(**given)


def _value(name: str, word: str, number: str) -> float:
    if word == _RHYTHM:
        span = seconds(number)
        if not span:
            raise BadInput(f"{name}: {word} is a time like 15m or 1h.")
        return span
    if not (number.isascii() and number.isdecimal()):
        raise BadInput(f"{name}: {word} is a whole number.")
    return int(number)
