"""When a schedule fires: plain words or crontab fields, in a time zone, with the clock changes of
that zone decided here.

A rule is matched against the wall clock, where no day is odd, and only then put on the time line:

- a rule for certain hours fires once on each day it names. When the clock jumps over its time
  (spring) it fires later by as much as the clock jumped; when its time comes twice (autumn) it
  fires the first time.
- a rule for every hour (``*`` or ``*/n`` as the hour) follows the time line: nothing for an hour
  that does not exist, both for one that comes twice.

Crontab's own meanings are kept where APScheduler has others: 0 and 7 are Sunday, and a day of the
month together with a day of the week means either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from core.errors import BadInput

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMES = {name: day for day in ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday") for name in (day, day[:3])} | {
    "tues": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday",
}  # fmt: skip
MACROS = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
MORNING = (9, 0)
"""The time of a rule in words that names none."""
LONGEST_JUMP = timedelta(hours=3)
"""No zone's clock has ever been set by more at once, but for skipped days."""
EXAMPLES = '"0 9 * * mon-fri", "every weekday 09:00", "every monday 14:30", "every 2 hours"'

_TIME = re.compile(r"(?:at )?(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)?")
_FIELD = re.compile(r"[\d*,/\-a-z]+")
_EVERY = re.compile(r"(?:every )?(\d{1,2} )?(minute|min|hour)s?")


@dataclass(frozen=True, slots=True)
class Rule:
    """Five crontab fields and a zone that exist. Make it with ``rule``."""

    cron: str
    tz: str

    def after(self, moment: datetime) -> datetime | None:
        """The first firing later than ``moment`` (aware), in UTC; None: never again."""
        zone, fields = ZoneInfo(self.tz), self.cron.split()
        hourly = fields[1].startswith("*")
        start = (moment.astimezone(zone).replace(tzinfo=None) - LONGEST_JUMP).replace(tzinfo=UTC)
        best: datetime | None = None
        until: datetime | None = None
        for wall in _walls(self.cron, start):
            if until is not None and wall > until:
                break
            for instant in _instants(wall.replace(tzinfo=None), zone, hourly):
                if instant > moment and (best is None or instant < best):
                    best = instant
            if best is not None and until is None:
                until = wall + LONGEST_JUMP
        return best


def rule(when: str, tz: str = "") -> Rule:
    """What a person wrote, as a rule.

    A zone at the end of ``when`` counts where ``tz`` is empty; UTC without any. Raises
    ``BadInput``.
    """
    words = " ".join(when.split())
    head, _, last = words.rpartition(" ")
    if (
        head
        and not tz
        and ("/" in last or last.upper() in ("UTC", "GMT"))
        and not last.startswith(("*", "@"))
        and not last[0].isdigit()
    ):
        words, tz = head, last
    made = Rule(fields_of(words), zone_named(tz or "UTC"))
    if made.after(datetime.now(UTC)) is None:
        raise BadInput(f"“{words}” never comes: there is no such date.")
    return made


def zone_named(name: str) -> str:
    """The zone as its database writes it; capitals don't matter.

    Raises ``BadInput`` with the nearest.
    """
    from adapters.text.nearest import nearest

    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = {zone.lower(): zone for zone in available_timezones()}
        plain = name.strip().replace(" ", "_").lower()
        if plain in known:
            return known[plain]
        near = nearest(plain, known) or next((z for z in known if z.endswith(f"/{plain}")), "")
        hint = f" Did you mean {known[near]}?" if near else " Write it like Europe/Helsinki."
        raise BadInput(f"There is no time zone {name[:60]!r}.{hint}") from None


def fields_of(words: str) -> str:
    """Five crontab fields, lower case, from crontab or words. Raises ``BadInput``."""
    plain = words.lower().strip(" .,")
    plain = MACROS.get(plain, plain)
    parts = plain.split()
    if (
        len(parts) == 5
        and all(map(_FIELD.fullmatch, parts))
        and any(p[0].isdigit() or p[0] == "*" for p in parts[:2])
    ):
        _triggers(plain)  # raises for fields that are out of range
        return plain
    made = _from_words(plain) if plain else None
    if made is None:
        raise BadInput(f"I can't read “{words[:80]}” as a time. Examples: {EXAMPLES}.")
    return made


def _from_words(words: str) -> str | None:
    said = words.replace(",", " ").replace("&", " ").replace("everyday", "every day").split()
    words = " ".join(
        "every" if w == "each" else w for w in said if w not in ("and", "on", "the", "of")
    )
    if words in ("hourly", "every hour"):
        return "0 * * * *"
    if found := _EVERY.fullmatch(words):
        return _interval(int(found[1] or 1), found[2])
    time, rest = _time_in(words)
    if time is None:
        return None
    hour, minute = time
    days = _days(rest)
    if days is not None:
        return f"{minute} {hour} * * {days}"
    if found := re.fullmatch(
        r"(?:every month|monthly)(?: (\d{1,2})(?:st|nd|rd|th)?)?|every (\d{1,2})(?:st|nd|rd|th)",
        rest,
    ):
        day = int(found[1] or found[2] or 1)
        return f"{minute} {hour} {day} * *" if 1 <= day <= 31 else None
    return None


def _interval(number: int, unit: str) -> str | None:
    """Only numbers that divide the hour or the day: others would not keep their distance."""
    if unit == "hour":
        return (
            None
            if number == 0 or 24 % number
            else "0 0 * * *"
            if number == 24
            else f"0 */{number} * * *"
        )
    return (
        None
        if number == 0 or 60 % number
        else "0 * * * *"
        if number == 60
        else f"*/{number} * * * *"
    )


def _time_in(words: str) -> tuple[tuple[int, int] | None, str]:
    """The time of day, and the words without it. None for a time that is none."""
    for name, time in (("noon", (12, 0)), ("midday", (12, 0)), ("midnight", (0, 0))):
        if re.search(rf"\b{name}\b", words):
            return time, re.sub(rf"\s*(?:\bat )?\b{name}\b", "", words).strip()
    found = [m for m in _TIME.finditer(words) if m[2] or m[3] or m[0].startswith("at ")]
    if not found:
        tail = re.fullmatch(r"(.*[a-z]) (\d{1,2})", words)
        if tail is None or "month" in words:
            return MORNING, words
        return ((int(tail[2]), 0) if int(tail[2]) < 24 else None), tail[1]
    if len(found) > 1:
        return None, words
    one = found[0]
    hour, minute = int(one[1]), int(one[2] or 0)
    if one[3]:
        if not 1 <= hour <= 12:
            return None, words
        hour = hour % 12 + (12 if one[3] == "pm" else 0)
    rest = f"{words[: one.start()]} {words[one.end() :]}"
    return ((hour, minute) if hour < 24 and minute < 60 else None), " ".join(rest.split())


def _days(words: str) -> str | None:
    """The day-of-week field of words such as "every weekday" or "monday thursday"; None if they are
    none.
    """
    bare = words.removeprefix("every ").strip()
    if bare in ("", "day", "daily", "days", "every"):
        return "*"
    if bare in (
        "weekday",
        "weekdays",
        "workday",
        "workdays",
        "working day",
        "working days",
        "week day",
        "week days",
    ):
        return "mon-fri"
    if bare in ("weekend", "weekends"):
        return "sat,sun"
    if bare in ("week", "weekly"):
        return "mon"
    bare = re.sub(r"^(?:weekly|week) ", "", bare)
    if found := re.fullmatch(r"([a-z]+)(?: ?- ?| to | through )([a-z]+)", bare):
        first, last = _day(found[1]), _day(found[2])
        return f"{first}-{last}" if first and last else None
    named = [_day(word) for word in bare.split() if word != "every"]
    return ",".join(dict.fromkeys(named)) if named and all(named) else None


def _day(word: str) -> str:
    """The crontab name of a day of the week, in the plural too; empty if it is none."""
    return (NAMES.get(word) or NAMES.get(word.removesuffix("s")) or "")[:3]


def _instants(wall: datetime, zone: ZoneInfo, hourly: bool) -> Iterator[datetime]:
    """When the clock of ``zone`` shows ``wall``, under the rules at the head of this module."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    exists = first.astimezone(zone).replace(tzinfo=None) == wall
    if exists or not hourly:
        yield first
    if hourly and exists and second != first:
        yield second


def _walls(cron: str, start: datetime) -> Iterator[datetime]:
    """Every wall-clock time of the rule from ``start`` on, in order; UTC stands for a clock that
    never changes.
    """
    heads = {n: t.get_next_fire_time(None, start) for n, t in enumerate(_triggers(cron))}
    last: datetime | None = None
    while any(heads.values()):
        number, soonest = min(
            ((n, at) for n, at in heads.items() if at is not None), key=lambda item: item[1]
        )
        if soonest != last:
            yield soonest
        last = soonest
        heads[number] = _triggers(cron)[number].get_next_fire_time(soonest, soonest)


@lru_cache(256)
def _triggers(cron: str) -> tuple[CronTrigger, ...]:
    """The rule's parts: two where both a day of the month and a day of the week are given.

    Raises ``BadInput``.
    """
    from apscheduler.triggers.cron import CronTrigger

    minute, hour, day, month, weekday = cron.split()
    either = not day.startswith("*") and not weekday.startswith("*")
    try:
        names = _weekdays(weekday)
        both = ((day, "*"), ("*", names)) if either else ((day, names),)
        return tuple(
            CronTrigger(
                minute=minute, hour=hour, day=d, month=month, day_of_week=w, second=0, timezone=UTC
            )
            for d, w in both
        )
    except ValueError as error:
        fields = "The fields are minute, hour, day, month, weekday"
        raise BadInput(
            f"“{cron}” is no crontab time: {error}. {fields}. Examples: {EXAMPLES}."
        ) from error


def _weekdays(field: str) -> str:
    """The field as names: crontab counts from Sunday and lets a range run over it."""
    if field == "*":
        return field
    chosen: list[int] = []
    for part in field.split(","):
        span, _, step = part.partition("/")
        if step and not (step.isdigit() and int(step)):
            raise ValueError(f"{part!r} has no step")
        first, dash, last = span.partition("-")
        low, high = (
            (0, 6)
            if span == "*"
            else (_weekday(first), _weekday(last) if dash else _weekday(first))
        )
        if step and not dash and span != "*":
            high = 6
        days = range(low, high + 1) if low <= high else [*range(low, 7), *range(high % 7 + 1)]
        chosen += [day % 7 for day in days][:: int(step or 1)]
    return ",".join(DAYS[day] for day in sorted(set(chosen)))


def _weekday(text: str) -> int:
    if text.isdigit() and int(text) <= 7:
        return int(text)
    if text in NAMES:
        return DAYS.index(NAMES[text][:3])
    raise ValueError(f"{text!r} is no day of the week")
