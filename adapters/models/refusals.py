"""Learns from a model's refusals which parts of a request one model at one address does not take.

No table knows every model. So a request is made as complete as the provider's row allows; where the
model refuses it (a 400 costs nothing), the refused part is left out and the call repeated, and the
omission is remembered for that model and address as long as the process lives.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.models.exchange import ModelAnswer
from adapters.models.faults import Rejected
from core.errors import ModelFailure

Body = dict[str, Any]
Send = Callable[[Body], Awaitable[ModelAnswer]]

_REFUSING = (400, 404, 422, 500, 501)
"""Statuses under which a request's form is refused: 404 by gateways that find no server able to do
it, 500 by servers that could not compile a schema.
"""
_UNNAMED = (400, 422)
"""Statuses that are about the request even where their words don't name the part."""


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request that a model may refuse.

    ``whole`` is an answer that comes in one piece, which a few models refuse to give.

    ``named`` finds it in the words of a refusal; ``there`` says whether a body has it; ``without``
    is the body without it. Parts that are ``suspect`` are also left out after a refusal that names
    nothing.
    """

    name: str
    named: re.Pattern[str]
    there: Callable[[Body], bool]
    without: Callable[[Body], Body]
    suspect: bool = False


def _left_out(*keys: str) -> Callable[[Body], Body]:
    return lambda body: {k: v for k, v in body.items() if k not in keys}


def _has(*keys: str) -> Callable[[Body], bool]:
    return lambda body: any(key in body for key in keys)


def _renamed(one: str, other: str) -> Callable[[Body], Body]:
    return lambda body: {(other if k == one else k): v for k, v in body.items()}


def _as_object(body: Body) -> Body:
    return body | {"response_format": {"type": "json_object"}}


def _shape(body: Body) -> str:
    return str(body.get("response_format", {}).get("type", ""))


_SHAPE = re.compile(
    r"response.?format|json.?(schema|object|mode)|structured|grammar|guided|output_(config|format)|schema"
)
_PARTS = (
    RequestPart(
        "max_tokens",
        re.compile(r"max_completion_tokens.{0,20}instead|instead.{0,40}max_completion_tokens"),
        lambda body: "max_tokens" in body,
        _renamed("max_tokens", "max_completion_tokens"),
    ),
    RequestPart(
        "max_completion_tokens",
        re.compile(r"max_completion_tokens"),
        lambda body: "max_completion_tokens" in body,
        _renamed("max_completion_tokens", "max_tokens"),
    ),
    RequestPart(
        "temperature", re.compile(r"temperature"), _has("temperature"), _left_out("temperature")
    ),
    RequestPart(
        "effort",
        re.compile(r"reasoning|effort|thinking"),
        _has("reasoning_effort", "reasoning"),
        _left_out("reasoning_effort", "reasoning"),
    ),
    RequestPart(
        "stream_options",
        re.compile(r"stream.?options|include_usage"),
        _has("stream_options"),
        _left_out("stream_options"),
    ),
    RequestPart(
        "whole",
        re.compile(r"only.{0,20}stream|stream.{0,40}(required|must|only|true)"),
        lambda body: "stream" not in body,
        lambda body: body | {"stream": True},
    ),
    RequestPart(
        "tools",
        re.compile(r"\btools?\b|function.?call"),
        _has("tools"),
        _left_out("tools", "tool_choice"),
    ),
    RequestPart(
        "json_schema", _SHAPE, lambda b: _shape(b) == "json_schema", _as_object, suspect=True
    ),
    RequestPart(
        "json_object",
        _SHAPE,
        lambda b: _shape(b) == "json_object",
        _left_out("response_format"),
        suspect=True,
    ),
    RequestPart("format", _SHAPE, _has("output_config"), _left_out("output_config"), suspect=True),
)
"""The parts of a request in the order in which they are left out: first those that a refusal names
precisely.
"""

_GENERATED = re.compile(r"json_validate_failed|failed_generation")
"""A refusal of the model's own text and not of the request, from which nothing is learned."""


@dataclass(slots=True)
class Refusals:
    """The known refusals of every model at every address, shared by all debates of a process."""

    known: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def accepted(self, where: tuple[str, str], body: Body) -> Body:
        """Returns the body without the parts that this model is known to refuse."""
        for part in _PARTS:
            if part.name in self.known.get(where, ()) and part.there(body):
                body = part.without(body)
        return body

    async def ask(self, where: tuple[str, str], body: Body, send: Send) -> ModelAnswer:
        """Sends the request without its refused parts and remembers which omission helped.

        Raises the error of ``send`` where no omission helps.
        """
        body = self.accepted(where, body)
        learned: set[str] = set()
        while True:
            try:
                answer = await send(body)
            except Rejected as error:
                part = _refused_part(error, body)
                if part is None:
                    raise
                body = part.without(body)
                if not _GENERATED.search(error.body):
                    learned.add(part.name)
            else:
                if learned:
                    self.known.setdefault(where, set()).update(learned)
                return answer


def _refused_part(error: Rejected, body: Mapping[str, Any]) -> RequestPart | None:
    """Returns the part of ``body`` that this refusal is about, None where leaving something out
    would not help.
    """
    if error.status not in _REFUSING or error.kind not in (
        ModelFailure.BAD_REPLY,
        ModelFailure.PROVIDER_DOWN,
    ):
        return None
    words = error.body.lower()
    there = [part for part in _PARTS if part.there(dict(body))]
    named = next((part for part in there if part.named.search(words)), None)
    if named is not None or error.status not in _UNNAMED:
        return named
    return next((part for part in there if part.suspect), None)
