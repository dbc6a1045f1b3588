"""Fixed words in the reader's language: what the outermost caller set by ``speaking``.

English text is the key; a word that a catalogue lacks stays English. Names and quotations are
fields of a text, so they are never translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from math import floor, log10

ENGLISH = "en"
_DUST = 1e-9
"""USD that a sum of binary fractions may be off by."""
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "cs": "Čeština", "de": "Deutsch"}
"""The shipped languages by code, each by its own name. Another one is a row here and a catalogue
(``debate docs languages``).
"""
_SPOKEN: ContextVar[str] = ContextVar("language", default=ENGLISH)


def spoken() -> str:
    """Returns the code of the language in which texts are written now."""
    return _SPOKEN.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Writes the fixed words inside the block in this language; in English if it is not shipped."""
    token = _SPOKEN.set(_shipped(language))
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def speak(language: str) -> None:
    """Writes the fixed words in this language up to the end of the block around it."""
    _SPOKEN.set(_shipped(language))


def _shipped(language: str) -> str:
    return language if language in LANGUAGES else ENGLISH


def accepted(header: str, otherwise: str = ENGLISH) -> str:
    """Returns the shipped language that a reader likes best, from a list like
    ``Accept-Language``.
    """
    for choice in header.split(","):
        code = choice.partition(";")[0].strip().partition("-")[0].lower()
        if code in LANGUAGES:
            return code
    return otherwise


def language_of(environment: Mapping[str, str]) -> str:
    """Returns the shipped language of a machine's locale, English for any other."""
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, names), "")
    code = re.split("[_.@]", locale, maxsplit=1)[0].lower()
    return _shipped(code)


def msgid(text: str) -> str:
    """Marks a text for the catalogues that ``say`` writes later."""
    return text


def say(text: str, /, **fields: object) -> str:
    """Writes a text in the current language, with its fields filled in."""
    language = _SPOKEN.get()
    if language != ENGLISH and text:
        text = catalogue(language).text(text)
    return text.format(**fields) if fields else text


def say_if(holds: object, text: str, /, **fields: object) -> str:
    """Writes a text, marked by ``msgid``, if ``holds``; "" otherwise."""
    return say(text, **fields) if holds else ""


def say_error(error: BaseException) -> str:
    """Writes an error in the current language, and the errors among its fields too; an error
    without fields may be a stored text. An error that is no ``core.debate.errors.DebateError`` is
    written as it is.
    """
    text, fields = getattr(error, "text", ""), getattr(error, "fields", {})
    if not text:
        return str(error)
    if not fields:
        from core.languages.stored import say_stored

        return say_stored(say(text))
    inner = {name: say_error(x) if isinstance(x, Exception) else x for name, x in fields.items()}
    return say(text, **inner)


def say_many(n: int, one: str, many: str, /, **fields: object) -> str:
    """Writes a text in the form that its number needs; ``{n}`` in it is the number."""
    language = _SPOKEN.get()
    text = one if n == 1 else many
    if language != ENGLISH:
        text = catalogue(language).plural(one, many, n)
    return text.format(n=number(n), **fields)


def number(value: float) -> str:
    """Writes a whole number with the separators of the language: "2,000"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{value:,.0f}"
    from babel.numbers import format_decimal

    return format_decimal(round(value), locale=_SPOKEN.get())


def cents(usd: float) -> str:
    """Writes an amount of dollars without its sign: "1,234.50"; a small one with the digits that
    tell it from nothing.
    """
    if _SPOKEN.get() == ENGLISH:
        return f"{usd:,.{_digits(usd)}f}"
    from babel.numbers import format_decimal

    return format_decimal(usd, f"#,##0.{'0' * _digits(usd)}", locale=_SPOKEN.get())


def money(usd: float, *, whole: bool = False) -> str:
    """Writes an amount of dollars: "$1,234.50"; without its cents if it is ``whole``."""
    if _SPOKEN.get() == ENGLISH:
        return f"${usd:,.0f}" if whole else f"${cents(usd)}"
    from babel import Locale
    from babel.numbers import format_currency

    pattern = Locale.parse(_SPOKEN.get()).currency_formats["standard"].pattern
    digits = "" if whole else f".{'0' * _digits(usd)}"
    exact = pattern.replace(".00", digits)
    return format_currency(usd, "USD", exact, locale=_SPOKEN.get(), currency_digits=False)


def _digits(usd: float) -> int:
    if _DUST < usd < 0.01:
        return max(4, -floor(log10(usd)))
    return 2


def decimal(value: float, digits: int = 2) -> str:
    """Writes a number with its decimal places: "0.85"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{value:.{digits}f}"
    from babel.numbers import format_decimal

    return format_decimal(round(value, digits), f"0.{'0' * digits}", locale=_SPOKEN.get())


def percent(share: float) -> str:
    """Writes a share as a whole percentage: "93%"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{share:.0%}"
    from babel.numbers import format_percent

    return format_percent(share, locale=_SPOKEN.get())


def day(at: date, *, year: bool = True) -> str:
    """Writes a day: "4 Nov 2026", without the year "4 Nov"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{at.day} {at:%b}{f' {at.year}' if year else ''}"
    from babel.dates import format_date, format_skeleton

    if year:
        return format_date(at, locale=_SPOKEN.get())
    return format_skeleton("MMMd", datetime(at.year, at.month, at.day), locale=_SPOKEN.get())  # noqa: DTZ001


def weekday(at: date) -> str:
    """Writes the short name of a day of the week: "Mon"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{at:%a}"
    from babel.dates import format_date

    return format_date(at, "ccc", locale=_SPOKEN.get())


def passed(n: int, unit: str) -> str:
    """Writes a time that has passed: "4 minutes ago"."""
    if _SPOKEN.get() == ENGLISH:
        return f"{n} {unit}{'' if n == 1 else 's'} ago"
    from babel.dates import format_timedelta

    time = timedelta(**{f"{unit}s": -n})
    return format_timedelta(time, threshold=1, add_direction=True, locale=_SPOKEN.get())


def english_name(language: str) -> str:
    """Returns the English name of a language: "Czech"."""
    from babel import Locale

    return Locale.parse(language).english_name or language


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The translations of a language by their English text; ``form`` gives the number of the plural
    form for a count.
    """

    texts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, ...]]
    form: Callable[[int], int]

    def text(self, english: str) -> str:
        return self.texts.get(english) or english

    def plural(self, one: str, many: str, n: int) -> str:
        forms = self.plurals.get(one)
        return (forms and forms[self.form(n)]) or (one if n == 1 else many)


@cache
def catalogue(language: str) -> Catalogue:
    """Reads a shipped catalogue once."""
    from gettext import c2py
    from importlib.resources import files

    from babel.messages.pofile import read_po

    with files("core.languages.catalogues").joinpath(f"{language}.po").open("rb") as file:
        read = read_po(file, locale=language)
    texts: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for message in read:
        if isinstance(message.id, str):
            texts[message.id] = str(message.string)
        else:
            plurals[message.id[0]] = tuple(str(form) for form in message.string or ())
    return Catalogue(texts, plurals, c2py(read.plural_expr))
