"""Models in a program's own code: an async function, or seats with written answers. This module is
light to import, for tests of programs built on debates.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.debate.ports import CallOptions, Message, OnWords, Reply


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt of a seat's turn. ``role`` and ``task`` name the seat and its job; ``text`` is all
    of it as one text, ``messages`` the same as (role, text) for a chat API; ``schema`` is the JSON
    Schema of the reply; ``points`` are the ids of findings and claims that it may answer.
    """

    role: str
    task: str
    text: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any] = field(default_factory=dict)
    points: tuple[str, ...] = ()


AskModel = Callable[[Prompt], Awaitable[str | Mapping[str, Any]]]
"""Answers with the text of a reply, or with the fields that the schema names."""
Saying = Mapping[str, Any]
"""Fields of a reply: ``text``, ``stance``, ``findings``, ``answers`` …"""
Says = Saying | Sequence[Saying] | Callable[[Prompt], Saying]


def prompt_of(messages: Sequence[Message], asking: CallOptions) -> Prompt:
    from core.debate.scene import PointKind, Scene

    scene = Scene()
    if asking.scene:
        scene = asking.scene()
    answerable = (PointKind.FINDING, PointKind.CLAIM)
    return Prompt(
        asking.role,
        asking.task,
        "\n\n".join(message.text for message in messages),
        tuple((message.role, message.text) for message in messages),
        asking.schema or {},
        tuple(point.id for point in scene.points if point.kind in answerable),
    )


@dataclass(slots=True)
class OwnModel:
    """``core.debate.ports.Model`` over an async function."""

    name: str
    ask: AskModel
    family: str = "own"
    demo: bool = False
    window: int = 100_000

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        from core.debate.errors import BadInput
        from core.debate.ports import Reply
        from core.debate.usage import Usage

        coming = self.ask(prompt_of(messages, asking))
        if not isawaitable(coming):
            raise BadInput(f"{self.name} is no async function.")
        answer = await coming
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if on_words:
            on_words(text)
        chars = sum(len(message.text) for message in messages)
        return Reply(text, Usage(usd=0.0, prompt_chars=chars), model=self.name)


class ScriptedSeats:
    """Seats with written answers, for testing programs built on debates without a model, a key or a
    network. The debate itself is the real one.

    ``says`` maps a role to its answer: a reply's fields, a list of them for one turn after another
    (the last is repeated), or a function of the ``Prompt``. Missing fields are filled in: no
    findings, the ``stance`` given here (else the ballot's first option), agreement with others.
    ``prompts`` collects the prompts in order.
    """

    name = "scripted-seats"
    family = "scripted"
    demo = False
    window = 100_000

    def __init__(self, says: Mapping[str, Says] | None = None, *, stance: str = "") -> None:
        self.says = dict(says or {})
        self.stance = stance
        self.prompts: list[Prompt] = []

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        """Returns the seat's answer."""
        from adapters.models.scripted.filling import agreeing
        from adapters.models.scripted.reading import read
        from core.debate.ports import Reply
        from core.debate.usage import Usage

        prompt = prompt_of(messages, asking)
        fields = self._answer_of(prompt)
        self.prompts.append(prompt)
        words = str(fields.get("text") or "I have read it.")
        schema = prompt.schema
        filled = agreeing(read(messages), schema, self.stance)
        known = schema.get("properties", {})
        reply = {**filled, **{name: _whole(name, v) for name, v in fields.items() if name in known}}
        text = f"{words}\n\n```json\n{json.dumps(reply, ensure_ascii=False)}\n```"
        if "text" in known:
            text = json.dumps({**reply, "text": words}, ensure_ascii=False)
        if on_words:
            on_words(words)
        chars = sum(len(message.text) for message in messages)
        return Reply(text, Usage(usd=0.0, prompt_chars=chars), model=self.name)

    def _answer_of(self, current: Prompt) -> Saying:
        says = self.says.get(current.role, {})
        if callable(says):
            return says(current)
        if isinstance(says, Mapping):
            return says
        before = sum(prompt.role == current.role for prompt in self.prompts)
        return says[min(before, len(says) - 1)] if says else {}


_FINDING = {"severity": "high", "confidence": 0.9, "trigger": "", "fix": ""}


def _whole(name: str, value: Any) -> Any:
    """Completes a field that may be abbreviated: a stance may be only its option."""
    if name == "stance" and isinstance(value, str):
        return {"option": value, "confidence": 0.9, "because": "as written"}
    if name == "findings":
        return [{**_FINDING, **finding} for finding in value]
    return value
