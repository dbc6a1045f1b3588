"""One language's catalogue, read from the ``.po`` file that ships with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache


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
        if forms := self.plurals.get(one):
            return forms[self.form(n)]
        return one if n == 1 else many


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
        key, forms = message.id, message.string
        if message.fuzzy or not key or not forms:
            continue
        if isinstance(key, str):
            texts[key] = str(forms)
        elif not isinstance(forms, str) and all(forms):
            plurals[key[0]] = tuple(str(form) for form in forms)
    return Catalogue(texts, plurals, c2py(read.plural_expr))
