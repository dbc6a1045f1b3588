"""Writes plurals, lists, options, times and prices, shortens texts, suggests the nearest word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from core.debate.stored import lasting
from core.languages import day, money, msgid, passed, say, say_if, say_many, spoken
from core.languages.stored import say_stored

NO_STANCE = msgid("without a stance")
_CAPITAL_NOUNS = frozenset({"de"})
"""The languages in which a word keeps its capital within a sentence."""
_DASHES = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_YOUNG = 7
"""The number of days up to which a time is given as its distance."""


def shortened(text: str, limit: int) -> str:
    """Return one line of at most ``limit`` characters, cut between words; the cells of a table are
    listed.
    """
    if "|" in text and "-" in text:
        text = "\n".join(_without_bars(text.split("\n")))
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    end = cut.rfind(" ", limit // 2)
    return (cut[:end] if end > 0 else cut).rstrip(" ,;:") + "…"


def _without_bars(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        heads = "|" in line and bool(_DASHES.fullmatch(following.strip(" \t>")))
        if inside and _DASHES.fullmatch(line.strip(" \t>")):
            continue
        inside = "|" in line and (inside or heads)
        if not inside:
            yield line
            continue
        cells = [cell.strip() for cell in line.strip(" \t>").strip("|").split("|")]
        yield f"{', '.join(filter(None, cells))};"


def bracketed(text: str) -> str:
    """Returns " (text)" for the end of a phrase, "" for no text."""
    return f" ({text})" if text else ""


def quoted(text: str) -> str:
    """Returns the text in the quotation marks of the current language."""
    return say("“{text}”", text=text)


def and_more(rest: int) -> str:
    """Returns " and 3 more" for the end of a list that is cut, "" if nothing is left out."""
    return say_if(rest > 0, msgid(" and {count} more"), count=rest)


def capital(text: str) -> str:
    """Returns the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Returns the text with its first letter small, as within a sentence."""
    if spoken() in _CAPITAL_NOUNS:
        return text
    return text[:1].lower() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Joins items into a list for a sentence: "author, security critic and code"."""
    if len(items) < 2:
        return "".join(items)
    return say("{items} and {last}", items=", ".join(items[:-1]), last=items[-1])


def plural(number: int, one: str, many: str = "") -> str:
    """Writes a number with its noun: ``1 call``, ``2,000 calls``; ``many`` is the plural if it is
    not ``one`` with an s.
    """
    return say_many(number, f"{{n}} {one}", f"{{n}} {many or one + 's'}")


def length_of_time(seconds: float) -> str:
    """Writes a length of time as ``core.debate.stored.lasting`` does."""
    return say_stored(lasting(seconds))


def option_words(option: str) -> str:
    """Writes an option of a ballot as people read it."""
    return say(option.replace("_", " ").lower())


def stance_name(option: str) -> str:
    """Writes the option that a voter holds; "none" is no option."""
    if option == "none":
        return say(NO_STANCE)
    return option_words(option)


def counted(votes: Mapping[str, int]) -> str:
    """Writes the number of votes of each option that has some: "3 approve, 1 without a stance"."""
    return ", ".join(f"{n} {stance_name(option)}" for option, n in votes.items() if n)


def ago(at: datetime, now: datetime) -> str:
    """Writes a moment as "just now", "5 minutes ago", "3 days ago", then as its day: "4 Nov", "4
    Nov 2025".
    """
    seconds = int((now - at).total_seconds())
    if seconds >= _YOUNG * _DAY:
        return day(at, year=at.year != now.year)
    for length, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= length:
            return passed(seconds // length, unit)
    return say("just now")


def dollars(usd: float | None) -> str:
    """Writes a price: ``unknown`` is not ``free``."""
    if usd is None:
        return say("unknown")
    if usd == 0:
        return say("free")
    return amount(usd)


def amount(usd: float) -> str:
    """Writes a price within a sentence, a limit or what is left: none is $0.00, and less than
    nothing is nothing.
    """
    return money(max(0.0, usd))


def at_most(usd: float | None) -> str:
    """Writes the highest price of something, if it is known and not free."""
    return say("at most {price}", price=dollars(usd)) if usd else dollars(usd)


def nearest(word: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """Returns the known word that looks most like ``word``, empty if none is near.

    ``cutoff`` is a share of equal letters, in [0, 1].
    """
    from difflib import get_close_matches

    plain = {name.lower().replace("-", "_"): name for name in known}
    matches = get_close_matches(word.lower()[:60].replace("-", "_"), plain, 1, cutoff)
    if matches:
        return plain[matches[0]]
    return ""


def did_you_mean(word: str, known: Collection[str], cutoff: float = 0.6, before: str = "") -> str:
    """ " Did you mean X?" for the end of an error, "" if nothing is near; ``before`` precedes the
    name.
    """
    near = nearest(word, known, cutoff)
    if near:
        return f" {say('Did you mean {word}?', word=before + near)}"
    return ""
