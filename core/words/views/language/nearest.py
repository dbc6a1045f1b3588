"""Suggests the nearest word ("Did you mean"), by one measure of likeness for all suggestions."""

from __future__ import annotations

from collections.abc import Collection

from core.languages import say


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
