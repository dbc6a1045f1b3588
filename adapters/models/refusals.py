"""Learns from a model's refusals which parts of a request one model at one address does not take.

No table knows every model. So a request is made as complete as the provider's row allows; if the
model refuses it (a 400 costs nothing), the refused part is left out and the call repeated, and the
omission is remembered for that model and address as long as the process lives.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.models.exchange import ModelAnswer
from adapters.models.faults import Rejected
from adapters.models.parts import PARTS, Body, RequestPart
from core.debate.errors import ModelFailure

Send = Callable[[Body], Awaitable[ModelAnswer]]

_REFUSING = (400, 404, 422, 500, 501)
"""Statuses under which a request's form is refused: 404 by gateways that find no server able to do
it, 500 by servers that could not compile a schema.
"""
_UNNAMED = (400, 422)
"""Statuses that are about the request even where their words don't name the part."""


_GENERATED = re.compile(r"json_validate_failed|failed_generation")
"""A refusal of the model's own text and not of the request, from which nothing is learned."""


@dataclass(slots=True)
class Refusals:
    """The known refusals of every model at every address, shared by all debates of a process."""

    known: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def accepted(self, where: tuple[str, str], body: Body) -> Body:
        """Returns the body without the parts that this model is known to refuse."""
        for part in PARTS:
            if part.name in self.known.get(where, ()) and part.there(body):
                body = part.without(body)
        return body

    async def ask(self, where: tuple[str, str], body: Body, send: Send) -> ModelAnswer:
        """Sends the request without its refused parts and remembers which omission helped.

        Raises the error of ``send`` if no omission helps.
        """
        body = self.accepted(where, body)
        learned, tried = set[str](), set[str]()
        while True:
            try:
                answer = await send(body)
            except Rejected as error:
                part = _refused_part(error, body, tried)
                if part is None:
                    raise
                body = part.without(body)
                tried.add(part.name)
                if not _GENERATED.search(error.body):
                    learned.add(part.name)
            else:
                if learned:
                    self.known.setdefault(where, set()).update(learned)
                return answer


def _refused_part(
    error: Rejected, body: Mapping[str, Any], tried: Collection[str]
) -> RequestPart | None:
    """Returns the part of ``body`` that this refusal is about, None if leaving something out would
    not help; nothing is ``tried`` twice for one answer.
    """
    if error.status not in _REFUSING or error.kind not in (
        ModelFailure.BAD_REPLY,
        ModelFailure.PROVIDER_DOWN,
    ):
        return None
    words = error.body.lower()
    there = [part for part in PARTS if part.name not in tried and part.there(dict(body))]
    named = next((part for part in there if part.named.search(words)), None)
    if named is not None or error.status not in _UNNAMED:
        return named
    return next((part for part in there if part.suspect), None)
