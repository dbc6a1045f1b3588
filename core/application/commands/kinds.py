"""The kinds of values that options take: their limits, and how each is read from text and written.

``read`` takes the texts that were typed for one option and gives None if they are not such a value.
If a surface has typed fields, a value may come typed; ``fits`` applies one rule to both. ``wants``
completes the sentence "--rounds takes …", and ``like`` is an example; ``say`` writes both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from core.application.commands.durations import duration, seconds
from core.languages import msgid, say

_TAG = 30
"""Characters of a short name."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option without a value: present or absent."""

    empty: ClassVar[bool] = False
    wants: ClassVar[str] = ""
    like: ClassVar[str] = ""

    def read(self, texts: Sequence[str]) -> bool | None:
        return texts[-1] in ("", "yes") or None

    def fits(self, value: bool) -> bool:
        return True

    def write(self, value: bool) -> str:
        return "yes" if value else ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits, both included."""

    least: int
    most: int

    empty: ClassVar[None] = None
    like: ClassVar[str] = ""

    @property
    def wants(self) -> str:
        return say("a whole number from {least} to {most}", least=self.least, most=self.most)

    def read(self, texts: Sequence[str]) -> int | None:
        text = texts[-1].strip()
        if not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
            return None
        return int(text)

    def fits(self, value: int) -> bool:
        return self.least <= value <= self.most

    def write(self, value: int | None) -> str:
        if value is None:
            return ""
        return str(value)


@dataclass(frozen=True, slots=True)
class ShareKind:
    """A share above 0 and at most 1; 0 is one too where ``nothing`` is set. ``70%`` is 0.7."""

    nothing: bool = False

    empty: ClassVar[None] = None
    like: ClassVar[str] = msgid("0.7 or 70%")

    @property
    def wants(self) -> str:
        if self.nothing:
            return say("a share from 0 to 1")
        return say("a share above 0 and at most 1")

    def read(self, texts: Sequence[str]) -> float | None:
        text = texts[-1].strip()
        if not text.endswith("%"):
            return _decimal(text)
        percent = _decimal(text.removesuffix("%"))
        if percent is None:
            return None
        return percent / 100

    def fits(self, value: float) -> bool:
        return 0 < value <= 1 or (self.nothing and value == 0)

    def write(self, value: float | None) -> str:
        return _plain(value)


@dataclass(frozen=True, slots=True)
class Dollars:
    """US dollars above 0; a dollar sign or ``USD`` is accepted."""

    most: int

    empty: ClassVar[None] = None
    wants: ClassVar[str] = msgid("US dollars above 0")
    like: ClassVar[str] = "2.50"

    def read(self, texts: Sequence[str]) -> float | None:
        return _decimal(re.sub(r"(?i)^\$|\$$|\s*usd$", "", texts[-1].strip()).strip())

    def fits(self, value: float) -> bool:
        return 0 < value <= self.most

    def write(self, value: float | None) -> str:
        return _plain(value)


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds, at most ``longest``; 0 is ``off``, if ``stops`` allows it."""

    longest: float
    stops: bool = True

    empty: ClassVar[None] = None

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
        if value is None:
            return ""
        if value:
            return duration(value)
        return "off"


@dataclass(frozen=True, slots=True)
class WordKind:
    """One of some words."""

    values: tuple[str, ...]

    empty: ClassVar[str] = ""
    like: ClassVar[str] = ""

    @property
    def wants(self) -> str:
        return say("one of {values}", values=", ".join(self.values))

    def read(self, texts: Sequence[str]) -> str | None:
        return texts[-1].strip().lower() or None

    def fits(self, value: str) -> bool:
        return value in self.values

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Names:
    """A comma list, in which repeated names count (two seats may share a model)."""

    empty: ClassVar[tuple[str, ...]] = ()
    wants: ClassVar[str] = msgid("names with commas between them and no spaces inside")
    like: ClassVar[str] = ""

    def read(self, texts: Sequence[str]) -> tuple[str, ...] | None:
        parts = (part.strip() for text in texts for part in text.split(","))
        return tuple(part for part in parts if part) or None

    def fits(self, value: tuple[str, ...]) -> bool:
        return not any(re.search(r"\s", name) for name in value)

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)


@dataclass(frozen=True, slots=True)
class TextKind:
    """Any text that is not empty; ``what`` names it."""

    what: str

    empty: ClassVar[str] = ""
    like: ClassVar[str] = ""

    @property
    def wants(self) -> str:
        return say(self.what)

    def read(self, texts: Sequence[str]) -> str | None:
        return texts[-1].strip() or None

    def fits(self, value: str) -> bool:
        return True

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Each:
    """An option that may be repeated, every value of which counts; ``what`` names one value."""

    what: str

    empty: ClassVar[tuple[str, ...]] = ()
    like: ClassVar[str] = ""

    @property
    def wants(self) -> str:
        return say(self.what)

    def read(self, texts: Sequence[str]) -> tuple[str, ...] | None:
        return tuple(text.strip() for text in texts if text.strip()) or None

    def fits(self, value: tuple[str, ...]) -> bool:
        return True

    def write(self, value: tuple[str, ...]) -> str:
        return "\n".join(value)


@dataclass(frozen=True, slots=True)
class Tag:
    """A short name on one line; ``what`` names it."""

    what: str

    empty: ClassVar[str] = ""
    like: ClassVar[str] = ""

    @property
    def wants(self) -> str:
        return say(
            "{what} of at most {most} characters, without commas", what=say(self.what), most=_TAG
        )

    def read(self, texts: Sequence[str]) -> str | None:
        return " ".join(texts[-1].split()) or None

    def fits(self, value: str) -> bool:
        return len(value) <= _TAG and value.isprintable() and not set(value) & set(",;|")

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Day:
    """A day as YYYY-MM-DD."""

    empty: ClassVar[str] = ""
    wants: ClassVar[str] = msgid("a day")
    like: ClassVar[str] = "2027-01-31"

    def read(self, texts: Sequence[str]) -> str | None:
        return texts[-1].strip() or None

    def fits(self, value: str) -> bool:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            return False
        try:
            date.fromisoformat(value)
        except ValueError:
            return False
        return True

    def write(self, value: str) -> str:
        return value


Kind = (
    Flag | Whole | ShareKind | Dollars | Duration | WordKind | Names | TextKind | Each | Tag | Day
)


def _decimal(text: str) -> float | None:
    """Returns a plain decimal number; neither nan, inf nor an exponent."""
    if not re.fullmatch(r"(?:\d{1,9}|(?=[.,]))(?:[.,]\d{1,9})?", text, re.ASCII):
        return None
    return float(text.replace(",", "."))


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.9f}".rstrip("0").rstrip(".") or "0"
