"""Computes when a schedule fires, from plain words or crontab fields in a time zone.

cronsim works out the firings, with the clock changes of the zone as Debian's cron has them:

- a rule for certain hours fires once on each day it names: when the clock jumps over its time
  (spring) as soon as the jump is over, when its time comes twice (autumn) the first time;
- a rule for every hour or minute (``*`` or ``*/n``) follows the time line: it fires in no hour that
  does not exist, and in both if an hour comes twice.

As in crontab, 0 and 7 are Sunday, and a day of the month together with a day of the week means
either. A range of weekdays may run over Sunday.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cronsim import CronSim, CronSimError
from cronsim.explain import explain

from bot.schedules.spoken_times import DAYS, crontab_of, weekday_of
from core.debate.errors import BadInput
from core.languages import ENGLISH, say, spoken
from core.words.views.language.grammar import uncapital

_MACROS = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
_FIELDS = (
    "minute (0 to 59)",
    "hour (0 to 23)",
    "day of the month (1 to 31)",
    "month (1 to 12 or jan to dec)",
)
_EXAMPLES = '"0 9 * * mon-fri", "every weekday 09:00", "every monday 14:30", "every 2 hours"'
_LOOKED_AT = 50
"""The number of next firings among which the shortest pause is measured."""
_LOOKED_AHEAD = timedelta(days=12 * 365)
"""How far ahead firings are searched, since a rule that fires seldom is searched day by day."""
_FIELD = re.compile(r"[\d*,/\-a-z]+")
_ZONE = re.compile(
    r"[A-Za-z_]+(?:/[\w+-]+)+|[A-Z]{2,5}|(?i:utc|gmt|[a-z][sd]t|[cew]es?t)"
    r"|(?i:utc|gmt)?[+-]\d{1,2}(?::?\d\d)?"
)
"""A word that is meant as a time zone."""
_ABBREVIATED = 5
"""The most letters of a zone's abbreviation."""
_DAYS, _WEEK = frozenset(range(1, 32)), frozenset(range(7))
_BETTER = (
    (re.compile(r"\b([023456789]?1)th\b"), r"\1st"),
    (re.compile(r"\b([023456789]?2)th\b"), r"\1nd"),
    (re.compile(r"\b([023456789]?3)th\b"), r"\1rd"),
    (re.compile(r"\b(day of) (?=month|week)"), r"\1 the "),
    (re.compile(" and on "), " or on "),
    (re.compile("if it's on"), "if it is"),
)
"""What cronsim's words get wrong. It writes "and" for days of the month or of the week."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of five valid crontab fields and a zone; ``rule`` makes one."""

    cron: str
    tz: str

    def after(self, moment: datetime) -> datetime | None:
        """Returns the first firing later than ``moment`` (aware), in UTC, or None if it never fires
        again.
        """
        return next(self.coming(moment), None)

    def coming(self, moment: datetime) -> Iterator[datetime]:
        """Yields every firing later than ``moment`` (aware), in order, in UTC."""
        last = moment
        for wall in _firings(self.cron, moment.astimezone(ZoneInfo(self.tz))):
            firing = wall.astimezone(UTC)
            if firing > last:  # if the clock jumped, two times of a rule are one
                yield firing
                last = firing

    @property
    def words(self) -> str:
        """Describes the rule: "at 09:00 on Monday through Friday, Europe/Berlin"; the fields
        themselves if cronsim has no words for them, as in any other language than English.
        """
        words = ""
        if spoken() == ENGLISH:
            words = _explained(self.cron)
        return f"{words or self.cron}, {self.tz}"

    def shortest_pause(self, now: datetime) -> float:
        """Returns the fewest seconds between two of the next firings."""
        least, last = float("inf"), None
        for firing in islice(self.coming(now), _LOOKED_AT):
            if last is not None:
                least = min(least, (firing - last).total_seconds())
            if firing - now > _LOOKED_AHEAD:
                break
            last = firing
        return least


def rule(when: str, tz: str = "") -> Rule:
    """Parses a person's text into a rule. The zone is ``tz`` or a word of ``when``; the default is
    UTC. Raises ``BadInput``.
    """
    words, zone = _without_zone(" ".join(when.split()))
    if zone and tz:
        raise BadInput(
            "The time names two zones, {zone} and {tz}: leave one out.", zone=zone[:60], tz=tz[:60]
        )
    parsed = Rule(_fields_of(words), _zone_named(tz or zone or "UTC"))
    if parsed.after(datetime.now(UTC)) is None:
        raise BadInput("“{words}” never comes: there is no such date.", words=words)
    return parsed


def _without_zone(words: str) -> tuple[str, str]:
    """Returns the words of a time, and the zone among them if one of them is not part of the
    time.
    """
    parts = words.split()
    if not _is_time(words):
        for n in reversed(range(len(parts))):
            zone, rest = parts[n].strip("(),."), " ".join((*parts[:n], *parts[n + 1 :]))
            if _ZONE.fullmatch(zone) and _is_time(rest):
                return rest, zone
    return words, ""


def _is_time(words: str) -> bool:
    """Return whether the text is meant as a time, valid or not."""
    plain = words.lower().strip(" .,")
    return plain in _MACROS or _is_crontab(plain) or crontab_of(plain) is not None


def _zone_named(name: str) -> str:
    """Returns the zone as its database writes it; capitals don't matter. Raises ``BadInput`` that
    names the nearest one.
    """
    from core.words.views.language.grammar import nearest

    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = {zone.lower(): zone for zone in available_timezones()}
        plain = name.strip().replace(" ", "_").lower()
        if plain in known:
            return known[plain]
        hint = f" {say('Write it like Europe/Berlin, or UTC.')}"
        short = len(plain) <= _ABBREVIATED  # PST, UTC+2: what looks like it is another zone
        ending = next((z for z in known if z.endswith(f"/{plain}")), "")
        if near := ending or ("" if short else nearest(plain, known)):
            hint = f" {say('Did you mean {word}?', word=known[near])}"
        raise BadInput(
            "There is no time zone {name}.{hint}", name=repr(name[:60]), hint=hint
        ) from None


def _fields_of(words: str) -> str:
    """Returns five crontab fields in lower case, from crontab or words. Raises ``BadInput``."""
    plain = words.lower().strip(" .,")
    plain = _MACROS.get(plain, plain)
    if _is_crontab(plain):
        _check(plain.split())
        return plain
    fields = crontab_of(plain) if plain else None
    if fields is None:
        raise BadInput(
            "I can't read “{words}” as a time. Examples: {examples}.",
            words=words[:80],
            examples=_EXAMPLES,
        )
    return fields


def _is_crontab(words: str) -> bool:
    """True if the text is meant as five fields, valid or not."""
    fields = words.split()
    if len(fields) != 5 or not all(map(_FIELD.fullmatch, fields)):
        return False
    return any(field[0].isdigit() or field[0] == "*" for field in fields[:2])


def _check(fields: list[str]) -> None:
    """Raises ``BadInput`` for a field that can never match."""
    cron = " ".join(fields)
    for number, name in enumerate(_FIELDS):
        alone = ["*"] * 5
        alone[number] = fields[number]
        try:
            _matcher(" ".join(alone), datetime(2000, 1, 1))  # noqa: DTZ001  a wall clock
        except CronSimError:
            raise BadInput(
                "“{cron}” is no crontab time: {field} is no {name}. The fields are minute, hour, "
                "day, month, weekday. Examples: {examples}.",
                cron=cron,
                field=fields[number],
                name=name,
                examples=_EXAMPLES,
            ) from None
    try:
        _weekdays(fields[4])
    except ValueError as error:
        raise BadInput(
            "“{cron}” is no crontab time: {error}. The fields are minute, hour, day, month, "
            "weekday. Examples: {examples}.",
            cron=cron,
            error=error,
            examples=_EXAMPLES,
        ) from None


def _firings(cron: str, start: datetime) -> Iterator[datetime]:
    """Yields every firing of the rule after ``start``, in its zone and in order; none for a date
    that never comes.
    """
    with suppress(CronSimError):
        yield from _matcher(cron, start)


def _matcher(cron: str, start: datetime) -> CronSim:
    """Returns cronsim's matcher; "last" is L in cronsim. Raises ``CronSimError``."""
    minute, hour, day, month, weekday = cron.split()
    day = day.replace("last", "L")
    return CronSim(f"{minute} {hour} {day} {month} {_weekdays(weekday)}", start)


def _explained(cron: str) -> str:
    """Returns cronsim's words for the fields, with right ordinals, and with "or" if a day of either
    kind counts; empty if it has none.
    """
    minute, hour, day, month, weekday = cron.replace("last", "L").split()
    matcher = _matcher(cron, datetime(2000, 1, 1))  # noqa: DTZ001  a wall clock
    if not matcher.day_and and (matcher.days >= _DAYS or matcher.weekdays >= _WEEK):
        day = weekday = "*"
    for named in (weekday, _weekdays(weekday)):
        with suppress(ValueError, IndexError):  # it knows no name but of three letters
            words = explain(f"{minute} {hour} {day} {month} {named}")
            for wrong, right in _BETTER:
                words = wrong.sub(right, words)
            return uncapital(words)
    return ""


def _weekdays(field: str) -> str:
    """Returns the field with numbers for names, and with a range over Sunday spelled out. Raises
    ``ValueError``.
    """
    return ",".join(_weekday_part(part) for part in field.split(","))


def _weekday_part(part: str) -> str:
    span, _, step = part.partition("/")
    if step and not (step.isdigit() and int(step)):
        raise ValueError(f"{part!r} has no step")
    if span == "*":
        return part
    first, dash, last = span.partition("-")
    low = _weekday(first)
    high = _weekday(last) if dash else low
    if step and not dash:
        high = 6
    if high < low:
        high += 7
    return ",".join(str(day % 7) for day in range(low, high + 1, int(step or 1)))


def _weekday(text: str) -> int:
    if text.isdigit() and int(text) <= 7:
        return int(text)
    if day := weekday_of(text):
        return DAYS.index(day)
    raise ValueError(f"{text!r} is no day of the week")
