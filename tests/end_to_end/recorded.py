"""Statements that were written down once, spoken again by models that ask nobody: reviews as
people would have them, for threads that are read word for word.

``recorded_argument.json`` holds for each role what it says to each task;
``recorded_phases.json``, of a review in phases, what it says at its first, second … turn. A role
without words for a turn says its last ones again; who has none at all follows the script.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from adapters.models.scripted import Scripted
from adapters.models.scripted.reading import read
from core.debate.ports import CallOptions, Message, Model
from tests.conftest import is_setting
from tests.end_to_end.played import Watched

ARGUMENT = Path(__file__).with_name("recorded_argument.json")
OBJECTIONS = Path(__file__).with_name("recorded_objections.json")
"""The answers of each role to an objection to the verdict, by what it comes to."""
PHASES = Path(__file__).with_name("recorded_phases.json")
Said = Mapping[str, Mapping[str, Any] | Sequence[Any]]


class Recorded(Scripted):
    """A scripted model whose answers are those of ``said``, by role and task or turn; ``spoken``
    counts the turns of each role over all models of a debate.
    """

    demo = False

    def __init__(self, replies: Said, spoken: Counter[str], **more: Any) -> None:
        super().__init__(**more)
        self.said, self.spoken = replies, spoken

    def _answer(self, messages: Sequence[Message], asking: CallOptions) -> str:
        _, _, persona = read(messages).persona.partition("\n")
        role = persona.partition(":")[0]
        turns = self.said.get(role, ())
        if not turns:
            return super()._answer(messages, asking)
        wanted = (asking.schema or {}).get("properties", {})
        if isinstance(turns, Mapping):
            replies = _about(turns[asking.task], messages)
        else:
            replies = turns[min(self.spoken[role], len(turns) - 1)]
            self.spoken[role] += 1
        empty = {name: _empty(shape) for name, shape in wanted.items()}
        return json.dumps({**empty, **{k: v for k, v in replies.items() if k in wanted}})


def _about(replies: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    """Returns the answers about the findings in question."""
    text = "\n".join(m.text for m in messages)
    named = (f"| {a['to']} " in text or f"[{a['to']}]" in text for a in replies.get("answers", ()))
    answers = [a for a, is_named in zip(replies.get("answers", ()), named, strict=True) if is_named]
    return {**replies, "answers": answers}


def _empty(shape: Mapping[str, Any]) -> Any:
    """Returns a value that says nothing, of the shape that is asked for."""
    kind = shape.get("type")
    if kind == "object":
        return {name: _empty(part) for name, part in shape.get("properties", {}).items()}
    return {"array": [], "number": 0.8, "integer": 1}.get(str(kind), "")


@dataclass(slots=True)
class Speakers(Watched):
    """The usual models, of which the scripted one speaks from the ``record``, and what it says
    after an ``objection`` that is "held" or has "changed" the verdict.
    """

    record: Path = ARGUMENT
    objection: str = ""
    spoken: Counter[str] = field(default_factory=Counter)

    def _make_scripted(self, name: str) -> Model:
        made = Watched._make_scripted(self, name)
        assert isinstance(made, Scripted)
        document = json.loads(self.record.read_text("utf-8"))
        for role, replies in self._after_verdict().items():
            document[role] = {**document.get(role, {}), **replies}
        model = Recorded(document, self.spoken, latency=made._latency, sleep=made._sleep)
        self.made[-1] = model
        return model

    def _after_verdict(self) -> Mapping[str, Mapping[str, Any]]:
        if not self.objection:
            return {}
        replies: Mapping[str, Mapping[str, Any]] = json.loads(OBJECTIONS.read_text("utf-8"))
        return replies[self.objection]


def draw_as_in_tests() -> None:
    """Makes this process draw ids and seats as the tests do, without the settings of its shell."""
    drawn = Random(7)
    for name, draw in (
        ("randbits", drawn.getrandbits),
        ("choice", drawn.choice),
        ("randbelow", drawn.randrange),
    ):
        setattr(secrets, name, draw)
    for name in [name for name in os.environ if is_setting(name)]:
        del os.environ[name]


@dataclass(frozen=True, slots=True)
class Kind:
    """A review that is read word for word: how it is asked for, and what its models say."""

    typed: str
    options: Mapping[str, Any]
    record: Path

    @property
    def models(self) -> Callable[..., Speakers]:
        return partial(Speakers, record=self.record)


REVIEWS: Mapping[str, Kind] = {
    "code": Kind("", {"debate_anyway": False}, ARGUMENT),
    "phased": Kind(" --format phased --debate-anyway", {"format": "phased"}, PHASES),
}
"""A review as it is held where nobody says how, and one in phases."""
