"""Joins words: plurals, lists, options, and texts of limited length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.debate.verdict.votes import NONE

NO_STANCE = "without a stance"


def shortened(text: str, limit: int) -> str:
    """Returns one line of at most ``limit`` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def capital(text: str) -> str:
    """Returns the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Returns the text with its first letter small, as within a sentence."""
    return text[:1].lower() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Joins items into a list for a sentence: "author, security critic and code"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def with_article(noun: str) -> str:
    """Writes a noun with its article: "a standard panel", "an extended panel"."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def plural(number: int, one: str, many: str = "") -> str:
    """Writes a number with its noun: ``1 call``, ``2,000 calls``; ``many`` is the plural if it is
    not ``one`` with an s.
    """
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or one + 's'}"


def minutes(seconds: float) -> str:
    """Writes a length of time: "10 minutes", "90 seconds"."""
    if seconds % 60 or seconds < 60:
        return f"{seconds:g} seconds"
    return plural(round(seconds / 60), "minute")


def option_words(option: str) -> str:
    """Writes an option of a ballot as people read it."""
    return option.replace("_", " ").lower()


def counted(votes: Mapping[str, int]) -> str:
    """Writes the number of votes of each option that has some: "3 approve, 1 without a stance"."""
    return ", ".join(
        f"{n} {NO_STANCE if option == NONE else option_words(option)}"
        for option, n in votes.items()
        if n
    )
