"""Statements that were written down once, spoken again by models that ask nobody: a review as
people would have it, for threads that are read word for word.

``recorded_review.json`` holds for each role what it says at its first, second … turn. A role
without words for a turn says its last ones again; who has none at all follows the script.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.models.reading import read
from adapters.models.scripted import Scripted
from core.ports import CallOptions, Message, Model
from tests.end_to_end.played import Watched

REVIEW = Path(__file__).with_name("recorded_review.json")


class Recorded(Scripted):
    """A scripted model whose answers are those of ``said``, by role and turn; ``spoken`` counts the
    turns of each role over all models of a debate.
    """

    demo = False

    def __init__(
        self, said: Mapping[str, Sequence[Any]], spoken: Counter[str], **more: Any
    ) -> None:
        super().__init__(**more)
        self.said, self.spoken = said, spoken

    def _answer(self, messages: Sequence[Message], asking: CallOptions) -> str:
        _, _, persona = read(messages).persona.partition("\n")
        role = persona.partition(":")[0]
        turns = self.said.get(role, ())
        if not turns:
            return super()._answer(messages, asking)
        at = min(self.spoken[role], len(turns) - 1)
        self.spoken[role] += 1
        wanted = (asking.schema or {}).get("properties", {})
        empty = {name: _empty(shape) for name, shape in wanted.items()}
        return json.dumps({**empty, **{k: v for k, v in turns[at].items() if k in wanted}})


def _empty(shape: Mapping[str, Any]) -> Any:
    """A value that says nothing, of the shape that is asked for."""
    kind = shape.get("type")
    if kind == "object":
        return {name: _empty(part) for name, part in shape.get("properties", {}).items()}
    return {"array": [], "number": 0.8, "integer": 1}.get(str(kind), "")


@dataclass(slots=True)
class Speakers(Watched):
    """The usual models, of which the scripted one speaks from the record."""

    spoken: Counter[str] = field(default_factory=Counter)

    def _make_scripted(self, name: str) -> Model:
        made = Watched._make_scripted(self, name)
        assert isinstance(made, Scripted)
        said = json.loads(REVIEW.read_text("utf-8"))
        model = Recorded(said, self.spoken, latency=made._latency, sleep=made._sleep)
        self.made[-1] = model
        return model
