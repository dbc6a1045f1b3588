"""Finds the language of a text among the shipped ones, by words that each uses all the time."""

from __future__ import annotations

import re
from collections.abc import Mapping

_COMMON: Mapping[str, str] = {
    "en": "the and is are was to of in for with that this we our should not from it be on as by or "
    "if when can will has have do does how what why which an at you",
    "cs": "je jsou se si na ve ze že ke do pro by byl bylo být jsme máme mají má jako "
    "nebo ale když aby jak co kdy proč který která které není po při už jen také tak bude budeme "
    "naše náš naši od bez měli",
    "de": "der die das den dem des ein eine einen einem einer und ist sind war wir unser unsere "
    "nicht auf für mit von zu zum zur im in am bei dass ob oder wenn wie was warum soll sollen "
    "sollten werden wird haben hat kann können auch nur noch als aus über",
}
"""Without words of one letter, which are names in code, and "a" in English."""
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LETTERS: Mapping[str, str] = {"cs": "ěščřžýůťďň", "de": "ßäöü"}
"""Letters that make any word count as a common one."""
_CODE = re.compile(r"```.*?```|`[^`]*`|\S*(?:://|[/_.()=\\]\S)\S*", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_READ = 4_000
"""The characters that are looked at."""
_LEAST = 2
"""The fewest different words that decide."""


def detect(text: str) -> str:
    """Returns the code of the text's language, "" if it is none of the shipped ones or unclear."""
    words = {*_WORD.findall(_CODE.sub(" ", text[:_READ]).lower())}
    hits = {language: sum(_counts(word, language) for word in words) for language in _WORDS}
    first, second = sorted(hits.values(), reverse=True)[:2]
    if first < _LEAST or first < 1.5 * second:
        return ""
    return max(hits, key=hits.__getitem__)


def _counts(word: str, language: str) -> bool:
    letters = _LETTERS.get(language, "")
    return word in _WORDS[language] or any(letter in letters for letter in word)
