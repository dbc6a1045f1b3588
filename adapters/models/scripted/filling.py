"""Fills any JSON Schema with plausible values, so that the scripted model answers every task
without knowing the tasks.

Names of fields carry the meaning (``quote``, ``path``, ``confidence`` ...); the schema carries the
shape. The draw is seeded: the same prompt always gets the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from adapters.models.scripted.reading import Seen
from core.debate.scene import CitableLine

Schema = Mapping[str, Any]

PROSE = {
    "because": "the change at {where} decides it: {quote}",
    "input": "a request that reaches {where} twice",
    "trigger": "a request that reaches {where} while the other side is slow",
    "fix": "guard {where} and add a test that fails without the guard",
    "title": "unguarded path at {where}",
    "would_resolve_if": "a test shows what happens at {where}",
    "supports": "",
    "moved_by": "",
    "untold": "",
    "unverified": "whether callers rely on {where}",
    "actions": "add a test for {where}",
}
"""The sentence for each text field whose schema gives no closed set; unknown names get
``PLAIN``.
"""

_OFTEN = 0.6
"""The share of findings that must be fixed."""
PLAIN = "{where} is what matters here: {quote}"


@dataclass(slots=True)
class Filling:
    """One seeded fill.

    ``option`` forces the stance if the schema allows it; ``invent`` makes every citation false.
    """

    seen: Seen
    draw: Random
    persona: Random
    root: Schema
    option: str = ""
    invent: bool = False
    to: str = ""

    def value(
        self, schema: Schema, name: str = "", cite: CitableLine | None = None, *, place: int = 0
    ) -> Any:
        """Returns a value that fits ``schema``: ``name`` is its field, ``cite`` the line its object
        speaks of, ``place`` its index in a list.
        """
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(
                [str(v) if v is not None else "" for v in schema["enum"]],
                list(schema["enum"]),
                name,
            )
        for union in ("anyOf", "oneOf"):
            if union in schema:
                options = [s for s in schema[union] if self._resolved(s).get("type") != "null"]
                return self.value((options or schema[union])[0], name, cite)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        if kind == "object":
            return self._object(schema, name, place)
        return self._typed(str(kind), schema, name, cite or self._cite())

    def _typed(self, kind: str, schema: Schema, name: str, cite: CitableLine) -> Any:
        match kind:
            case "array":
                return self._array(schema, name)
            case "integer":
                if name == "line":
                    return cite.line
                return self._number(schema, whole=True)
            case "number":
                return self._number(schema, whole=False)
            case "boolean":
                return self.draw.random() < _OFTEN
            case "null":
                return None
            case _:
                return self._text(schema, name, cite)

    def _object(self, schema: Schema, name: str, place: int) -> dict[str, Any]:
        cite = self._cite()
        self.to = (
            self.seen.answerable[place % len(self.seen.answerable)] if self.seen.answerable else ""
        )
        filled = {
            key: self.value(part, key, cite) for key, part in schema.get("properties", {}).items()
        }
        extra = schema.get("additionalProperties")
        if not filled and isinstance(extra, Mapping):
            keys = self.seen.turns if name == "grades" else ("roll-back", "load")
            filled = {key: self.value(extra, key, cite) for key in keys}
        return filled

    def _array(self, schema: Schema, name: str) -> list[Any]:
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", 3))
        number = 0
        if self.seen.lines:
            number = self.draw.randint(0, 2)
        wanted = {"answers": len(self.seen.answerable) or 1, "findings": number, "called": 2}.get(
            name, 1
        )
        items = schema.get("items", {"type": "string"})
        return [self.value(items, name, place=n) for n in range(max(least, min(most, wanted, 3)))]

    def _number(self, schema: Schema, *, whole: bool) -> float | int:
        low, high = (
            float(schema.get("minimum", 0)),
            float(schema.get("maximum", 100 if whole else 1)),
        )
        drawn = low + (high - low) * self.draw.uniform(0.55, 0.9)
        if whole:
            return round(drawn)
        return round(drawn, 2)

    def _text(self, schema: Schema, name: str, cite: CitableLine) -> str:
        where = "the material"
        if cite.path:
            where = f"{cite.path}:{cite.line}"
        match name:
            case "path":
                text = cite.path
            case "quote":
                text = cite.text
            case "side":
                text = cite.side
            case "source":
                text = ""
            case "to":
                text = self.to
                if self.invent:
                    text = "nobody.f9"
            case "references":
                text = ""
                if self.seen.turns:
                    text = self.draw.choice(self.seen.turns)
            case _:
                text = PROSE.get(name, PLAIN).format(where=where, quote=cite.text[:120])
        text = text.ljust(int(schema.get("minLength", 0)), ".")
        return text[: int(schema.get("maxLength", len(text)))]

    def _choice(self, words: list[str], values: list[Any], name: str) -> Any:
        if self.option in words and name in ("option", "ruling", "stance"):
            return values[words.index(self.option)]
        if "RIGHT" in words:
            return "RIGHT"
        if self.to in self.seen.objections and "answered" in words:
            return values[words.index("answered")]
        if name == "position":
            values = [v for v in values if v in ("agree", "dispute")] or values
        if name in ("option", "ruling"):
            return values[self.persona.randrange(len(values))]
        return values[self.draw.randrange(len(values))]

    def _cite(self) -> CitableLine:
        if self.invent:
            return CitableLine(
                "src/not_there.py",
                self.draw.randint(9000, 9999),
                "return obviously_broken(value)  # never written",
            )
        added = [c for c in self.seen.lines if c.side == "RIGHT"]
        if not added:
            return CitableLine("", 1, "")
        return self.draw.choice(added)

    def _resolved(self, schema: Schema) -> Schema:
        """Follows local references (``#/$defs/Name``) and joins ``allOf``."""
        seen: set[str] = set()
        while (ref := schema.get("$ref")) and ref not in seen:
            seen.add(ref)
            target: Any = self.root
            for part in str(ref).lstrip("#/").split("/"):
                target = target[part]
            schema = target
        if "allOf" in schema:
            joined: dict[str, Any] = {}
            for part in schema["allOf"]:
                joined |= self._resolved(part)
            schema = {**joined, **{k: v for k, v in schema.items() if k != "allOf"}}
        return schema


def agreeing(seen: Seen, schema: Schema, option: str) -> dict[str, Any]:
    """Returns a reply of this shape. ``option`` is the stance if the ballot has it, else the
    ballot's first option is.
    """
    if not schema:
        return {}
    filling = _Agreeing(seen, Random(0), Random(0), schema, option)
    filled: dict[str, Any] = filling.value(schema)
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
