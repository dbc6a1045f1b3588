"""Compares two short texts by their words alone: cheap, pure, the same on every machine."""

from __future__ import annotations

import re
from functools import lru_cache

_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        a an and any are as at be because been but by can could do does for from has have if in
        into is it its may might no not of on or our should so than that the their them then there
        these this to too under was were when where which while will with without would
        """,
    )
)
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "es", "ed", "s", "y", "e")


@lru_cache(maxsize=512)  # a debate compares the same few texts over and over
def words(text: str) -> frozenset[str]:
    """Returns the words that carry meaning, with identifiers taken apart and endings cut off."""
    parts = (w.casefold() for part in _CAMEL.split(text) for w in _WORD.findall(part))
    return frozenset(_stem(w) for w in parts if w not in _STOP)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Returns the shared words as a share of the shorter text, in [0, 1]; 0 when one text is
    empty.
    """
    shorter = min(len(one), len(other))
    if shorter:
        return len(one & other) / shorter
    return 0.0


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Returns the shared words as a share of all words, in [0, 1]; 0 when both texts are empty."""
    if one or other:
        return len(one & other) / len(one | other)
    return 0.0
