"""Joins words: plurals, lists, options, and texts of limited length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.languages import msgid, say, say_many, spoken

NO_STANCE = msgid("without a stance")
_CAPITAL_NOUNS = frozenset({"de"})
"""The languages in which a word keeps its capital within a sentence."""
_DASHES = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


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
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def _without_bars(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text, those of a table as lists of their cells."""
    inside = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        heads = "|" in line and bool(_DASHES.fullmatch(following.strip(" \t>")))
        if inside and _DASHES.fullmatch(line.strip(" \t>")):
            continue
        inside = "|" in line and (inside or heads)
        cells = [cell.strip() for cell in line.strip(" \t>").strip("|").split("|")]
        yield f"{', '.join(filter(None, cells))};" if inside else line


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


def with_article(noun: str) -> str:
    """Writes a noun with its article: "a standard panel", "an extended panel"."""
    if noun[:1].lower() in "aeiou":
        return say("an {noun}", noun=noun)
    return say("a {noun}", noun=noun)


def plural(number: int, one: str, many: str = "") -> str:
    """Writes a number with its noun: ``1 call``, ``2,000 calls``; ``many`` is the plural if it is
    not ``one`` with an s.
    """
    return say_many(number, f"{{n}} {one}", f"{{n}} {many or one + 's'}")


def minutes(seconds: float) -> str:
    """Writes a length of time: "10 minutes", "90 seconds"."""
    if seconds % 60 or seconds < 60:
        return say("{seconds} seconds", seconds=f"{seconds:g}")
    return plural(round(seconds / 60), "minute")


def option_words(option: str) -> str:
    """Writes an option of a ballot as people read it."""
    return say(option.replace("_", " ").lower())


def counted(votes: Mapping[str, int]) -> str:
    """Writes the number of votes of each option that has some: "3 approve, 1 without a stance"."""
    from core.debate.verdict.votes import NONE  # help does without the rules of verdicts

    return ", ".join(
        f"{n} {say(NO_STANCE) if option == NONE else option_words(option)}"
        for option, n in votes.items()
        if n
    )
