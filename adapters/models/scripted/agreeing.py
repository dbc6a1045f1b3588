"""Fills a reply as a seat that agrees with everybody and finds nothing."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from adapters.models.scripted.filling import Filling
from adapters.models.scripted.reading import Seen


def agreeing(seen: Seen, schema: Mapping[str, Any], option: str) -> dict[str, Any]:
    """Returns a reply of this shape. ``option`` is the stance if the ballot has it, else the
    ballot's first option is.
    """
    if not schema:
        return {}
    filled: dict[str, Any] = _Agreeing(seen, Random(0), Random(0), option, root=schema).value(
        schema
    )
    return filled


class _Agreeing(Filling):
    """Fills a reply with the first of every choice, and finds nothing."""

    def _choice(self, words: list[str], values: list[Any], name: str) -> Any:
        if self.option in words and name in ("option", "ruling", "stance"):
            return values[words.index(self.option)]
        return values[0]

    def _array(self, schema: Mapping[str, Any], name: str) -> list[Any]:
        items: list[Any] = [] if name in ("findings", "claims") else super()._array(schema, name)
        return items
