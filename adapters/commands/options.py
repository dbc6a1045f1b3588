"""Options of a command, read into values with their range.

Whatever does not fit says what would.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from adapters.commands.tokens import Line, Token
from adapters.text.nearest import nearest
from core.errors import BadInput

_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([a-z]*)")
_SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
}


def seconds(text: str) -> float | None:
    """``10m``, ``90s``, ``1.5h``, ``7d``, ``2 hours`` or a plain number of seconds; ``off`` is 0;
    None when it is none of these.
    """
    lowered = text.strip().lower()
    if lowered in ("off", "none", "no", "0"):
        return 0.0
    found = _DURATION.fullmatch(lowered)
    if not found:
        return None
    unit = found[2] or "s"
    each = _SECONDS.get(unit) or _SECONDS.get(unit.removesuffix("s"))
    return None if each is None else float(found[1]) * each


def duration(value: float) -> str:
    """The shortest way to type so many seconds."""
    for unit, each in (("d", 86400), ("h", 3600), ("m", 60)):
        if value and value % each == 0:
            return f"{int(value // each)}{unit}"
    return f"{value:.3f}".rstrip("0").rstrip(".") + "s"


@dataclass(frozen=True, slots=True)
class Given:
    """The words and options of one command.

    ``words`` are its positional tokens in order; ``options`` are name -> typed values.
    """

    line: Line
    words: tuple[Token, ...]
    options: Mapping[str, Sequence[str]]

    def text(self, skip: int = 0) -> str:
        """The positional words from ``skip`` on, as typed."""
        return self.line.text(self.words[skip:])

    def flag(self, name: str) -> bool:
        return name in self.options

    def plain(self, name: str) -> str:
        """The last value typed, empty when the option was not given.

        Raises ``BadInput`` for an empty one.
        """
        if name not in self.options:
            return ""
        value = self.options[name][-1].strip()
        if not value:
            raise BadInput(f"--{name} needs a value.")
        return value

    def number(self, name: str, low: int, high: int) -> int | None:
        if name not in self.options:
            return None
        typed = self.plain(name)
        if not re.fullmatch(r"[+-]?\d{1,9}", typed, re.ASCII) or not low <= int(typed) <= high:
            raise BadInput(
                f"--{name} takes a whole number from {low} to {high}, not {typed[:40]!r}."
            )
        return int(typed)

    def share(self, name: str) -> float | None:
        """A share above 0 and at most 1; ``70%`` is 0.7."""
        if name not in self.options:
            return None
        typed = self.plain(name)
        value = _decimal(typed.removesuffix("%"))
        value = value / 100 if value is not None and typed.endswith("%") else value
        if value is None or not 0 < value <= 1:
            raise BadInput(
                f"--{name} takes a share above 0 and at most 1, like 0.7 or 70%, not "
                f"{typed[:40]!r}."
            )
        return value

    def money(self, name: str) -> float | None:
        """US dollars above 0; a dollar sign or ``USD`` may stand beside them."""
        if name not in self.options:
            return None
        typed = self.plain(name)
        value = _decimal(re.sub(r"(?i)^\$|\$$|\s*usd$", "", typed).strip())
        if value is None or not 0 < value <= 10_000:
            raise BadInput(f"--{name} takes US dollars above 0, like 2.50, not {typed[:40]!r}.")
        return value

    def seconds(self, name: str, longest: float) -> float | None:
        if name not in self.options:
            return None
        typed = self.plain(name)
        value = seconds(typed)
        if value is None or not 0 <= value <= longest:
            raise BadInput(
                f"--{name} takes a time up to {duration(longest)}, like 90s, 10m, 2h or off, not "
                f"{typed[:40]!r}."
            )
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A comma list, in which each name counts as often as it stands there (two seats may share
        a model).
        """
        listed = tuple(
            part.strip()
            for value in self.options.get(name, ())
            for part in value.split(",")
            if part.strip()
        )
        if name in self.options and not listed:
            raise BadInput(f"--{name} needs at least one name.")
        if odd := next((part for part in listed if re.search(r"\s", part)), ""):
            raise BadInput(
                f"--{name} takes names with commas between them and no spaces inside, not "
                f"{odd[:60]!r}."
            )
        return listed

    def choice(self, name: str, known: Collection[str]) -> str:
        if name not in self.options:
            return ""
        typed = self.plain(name).lower()
        if typed not in known:
            near = nearest(typed, known)
            raise BadInput(
                f"--{name} {typed[:40]!r} is none of {', '.join(known)}."
                + (f" Did you mean {near}?" if near else "")
            )
        return typed


def sift(
    line: Line, tokens: Sequence[Token], allowed: Mapping[str, str], elsewhere: Collection[str] = ()
) -> Given:
    """Parts options from words, wherever they stand. ``allowed`` is option name -> what its value
    is ("" takes none).

    ``--`` ends the options. A dash in a sentence ("slow —really slow") stays text; a word with two
    hyphens must be an option that is known, else ``BadInput`` names the nearest.
    """
    words: list[Token] = []
    options: dict[str, list[str]] = {}
    at = 0
    while at < len(tokens):
        token, name = tokens[at], tokens[at].option
        at += 1
        if token.text == "--" and not token.quoted:
            words += tokens[at:]
            break
        if name not in allowed:
            if name and token.surely:
                raise BadInput(_unknown(token.text, name, allowed, elsewhere))
            words.append(token)
        elif not allowed[name]:
            options.setdefault(name, []).append("")
        elif token.value is not None:
            options.setdefault(name, []).append(token.value)
        elif at < len(tokens) and (tokens[at].quoted or tokens[at].option not in allowed):
            options.setdefault(name, []).append(tokens[at].text)
            at += 1
            while (
                options[name][-1].endswith(",")
                and at < len(tokens)
                and tokens[at].option not in allowed
            ):  # "a, b, c"
                options[name][-1] += tokens[at].text
                at += 1
        else:
            raise BadInput(f"--{name} needs {allowed[name]}.")
    return Given(line, tuple(words), options)


def _unknown(typed: str, name: str, allowed: Mapping[str, str], elsewhere: Collection[str]) -> str:
    if name in elsewhere:
        return f"--{name} does not belong here."
    near = nearest(name, allowed, 0.5)
    return f"There is no option {typed.partition('=')[0][:40]}." + (
        f" Did you mean --{near}?" if near else ""
    )


def _decimal(text: str) -> float | None:
    """A plain decimal number; neither nan, inf nor an exponent."""
    return (
        float(text.replace(",", "."))
        if re.fullmatch(r"\d{1,9}(?:[.,]\d{1,9})?", text, re.ASCII)
        else None
    )
