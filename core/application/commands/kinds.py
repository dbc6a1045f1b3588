"""The kinds of values that options take: their limits, and how each is read from text and written.

``read`` takes the texts that were typed for one option and gives None if they are not such a value.
If a surface has typed fields, a value may come typed; ``fits`` applies one rule to both. ``wants``
completes the sentence "--rounds takes …", and ``like`` is an example; ``say`` writes both. People
type a length of time as ``10m``, ``90s``, ``1.5h``, ``7d``, ``2 hours`` or a number of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.languages import msgid, number, say

_TAG = 30
"""Characters of a short name."""
_DURATION = re.compile(r"(\d{1,8}(?:\.\d{1,3})?)\s*([a-z]*)")
_OFF = frozenset({"off", "none", "no", "0"})
_SECONDS = {
    **dict.fromkeys(("", "s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), 60),
    **dict.fromkeys(("h", "hour"), 3600),
    **dict.fromkeys(("d", "day"), 86_400),
    "w": 604_800,
}


class Kind:
    """A text that is not empty, unless a kind says otherwise; ``empty`` stands for no value."""

    empty: Any = ""

    @property
    def wants(self) -> str:
        return ""

    @property
    def like(self) -> str:
        return ""

    def read(self, texts: Sequence[str]) -> Any:
        return texts[-1].strip() or None

    def fits(self, value: Any) -> bool:
        return True

    def write(self, value: Any) -> str:
        return str(value)


class Flag(Kind):
    """An option without a value: present or absent."""

    empty = False

    def read(self, texts: Sequence[str]) -> bool | None:
        return texts[-1] in ("", "yes") or None

    def write(self, value: bool) -> str:
        return "yes" if value else ""


class _Number(Kind):
    """A number, None for no value."""

    empty = None

    def write(self, value: float | None) -> str:
        if value is None:
            return ""
        return f"{value:.9f}".rstrip("0").rstrip(".") or "0"


@dataclass(frozen=True, slots=True)
class Whole(_Number):
    """A whole number within limits, both included."""

    least: int
    most: int

    @property
    def wants(self) -> str:
        return say("a whole number from {least} to {most}", least=self.least, most=self.most)

    def read(self, texts: Sequence[str]) -> int | None:
        number = re.fullmatch(r"[+-]?\d{1,9}", texts[-1].strip(), re.ASCII)
        return number and int(number[0])

    def fits(self, value: float) -> bool:
        return isinstance(value, int) and self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class ShareKind(_Number):
    """A share above 0 and at most 1; 0 is one too if ``nothing`` is set. ``70%`` is 0.7."""

    nothing: bool = False

    like = msgid("0.7 or 70%")

    @property
    def wants(self) -> str:
        if self.nothing:
            return say("a share from 0 to 1")
        return say("a share above 0 and at most 1")

    def read(self, texts: Sequence[str]) -> float | None:
        text = texts[-1].strip()
        share = _decimal(text.removesuffix("%"))
        if share is not None and text.endswith("%"):
            return share / 100
        return share

    def fits(self, value: float) -> bool:
        return 0 < value <= 1 or (self.nothing and value == 0)


@dataclass(frozen=True, slots=True)
class Dollars(_Number):
    """US dollars above 0; a dollar sign or ``USD`` is accepted."""

    most: int

    like = "2.50"

    @property
    def wants(self) -> str:
        return say("US dollars above 0, at most {most}", most=number(self.most))

    def read(self, texts: Sequence[str]) -> float | None:
        return _decimal(re.sub(r"(?i)^\$|\$$|\s*usd$", "", texts[-1].strip()).strip())

    def fits(self, value: float) -> bool:
        return 0 < value <= self.most


@dataclass(frozen=True, slots=True)
class Duration(_Number):
    """Seconds, at most ``longest``; 0 is ``off``, if ``stops`` allows it."""

    longest: float
    stops: bool = True

    @property
    def wants(self) -> str:
        return say("a time up to {longest}", longest=duration(self.longest))

    @property
    def like(self) -> str:
        if self.stops:
            return msgid("90s, 10m, 2h or off")
        if self.longest < 12 * 3600:
            return msgid("90s or 10m")
        return msgid("12h or 7d")

    def read(self, texts: Sequence[str]) -> float | None:
        return seconds(texts[-1])

    def fits(self, value: float) -> bool:
        return (value > 0 or self.stops) and 0 <= value <= self.longest

    def write(self, value: float | None) -> str:
        if value == 0:
            return "off"
        return "" if value is None else duration(value)


@dataclass(frozen=True, slots=True)
class WordKind(Kind):
    """One of some words."""

    values: tuple[str, ...]

    @property
    def wants(self) -> str:
        return say("one of {values}", values=", ".join(self.values))

    def read(self, texts: Sequence[str]) -> str | None:
        return texts[-1].strip().lower() or None

    def fits(self, value: str) -> bool:
        return value in self.values


class Names(Kind):
    """A comma list, in which repeated names count (two seats may share a model)."""

    empty = ()
    wants = msgid("names with commas between them and no spaces inside")

    def read(self, texts: Sequence[str]) -> tuple[str, ...] | None:
        parts = (part.strip() for text in texts for part in text.split(","))
        return tuple(filter(None, parts)) or None

    def fits(self, value: tuple[str, ...]) -> bool:
        return not any(re.search(r"\s", name) for name in value)

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)


@dataclass(frozen=True, slots=True)
class TextKind(Kind):
    """Any text that is not empty; ``what`` names it."""

    what: str

    @property
    def wants(self) -> str:
        return say(self.what)


class Each(TextKind):
    """An option that may be repeated, every value of which counts; ``what`` names one value."""

    empty = ()

    def read(self, texts: Sequence[str]) -> tuple[str, ...] | None:
        return tuple(text.strip() for text in texts if text.strip()) or None

    def write(self, value: tuple[str, ...]) -> str:
        return "\n".join(value)


class Tag(TextKind):
    """A short name on one line; ``what`` names it."""

    @property
    def wants(self) -> str:
        return say(
            "{what} of at most {most} characters, without commas", what=say(self.what), most=_TAG
        )

    def read(self, texts: Sequence[str]) -> str | None:
        return " ".join(texts[-1].split()) or None

    def fits(self, value: str) -> bool:
        return len(value) <= _TAG and value.isprintable() and not set(value) & set(",;|")


class Day(Kind):
    """A day as YYYY-MM-DD."""

    wants = msgid("a day")
    like = "2027-01-31"

    def fits(self, value: str) -> bool:
        with suppress(ValueError):
            return date.fromisoformat(value).isoformat() == value
        return False


def _decimal(text: str) -> float | None:
    """Returns a plain decimal number; neither nan, inf nor an exponent."""
    if not re.fullmatch(r"(?:\d{1,9}|(?=[.,]))(?:[.,]\d{1,9})?", text, re.ASCII):
        return None
    return float(text.replace(",", "."))


def seconds(text: str) -> float | None:
    """Reads a length of time; ``off`` is 0. Returns None for any other text."""
    lowered = text.strip().lower()
    if lowered in _OFF:
        return 0.0
    match = _DURATION.fullmatch(lowered)
    if match is None:
        return None
    unit = match[2]
    if unit not in _SECONDS and len(unit) > 2:  # "mins", but "ms" is none of ours
        unit = unit.removesuffix("s")
    each = _SECONDS.get(unit)
    return float(match[1]) * each if each else None


def duration(value: float) -> str:
    """Returns the shortest text for this number of seconds."""
    for unit, each in (("d", 86400), ("h", 3600), ("m", 60)):
        if value and value % each == 0:
            return f"{int(value // each)}{unit}"
    return f"{value:.3f}".rstrip("0").rstrip(".") + "s"
