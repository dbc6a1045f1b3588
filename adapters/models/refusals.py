"""Learns from a model's refusals which parts of a request one model at one address does not take.

No table knows every model. So a request is made as complete as the provider's row allows; if the
model refuses it (a 400 costs nothing), the refused part is left out and the call repeated, and the
omission is remembered for that model and address as long as the process lives.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection

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
"""Statuses that are about the request even if their words don't name the part."""
_GENERATED = re.compile(r"json_validate_failed|failed_generation")
"""A refusal of the model's own text and not of the request, from which nothing is learned."""


async def ask(known: set[str], body: Body, send: Send) -> ModelAnswer:
    """Sends the request without the parts that are ``known`` by name to be refused, and adds those
    whose omission helped. Raises the error of ``send`` if no omission helps.
    """
    for part in PARTS:
        if part.name in known and part.there(body):
            body = part.without(body)
    learned, tried = set[str](), set[str]()
    while True:
        try:
            answer = await send(body)
        except Rejected as error:
            refused = _refused_part(error, body, tried)
            if refused is None:
                raise
            body = refused.without(body)
            tried.add(refused.name)
            if not _GENERATED.search(error.body):
                learned.add(refused.name)
        else:
            known |= learned
            return answer


def _refused_part(error: Rejected, body: Body, tried: Collection[str]) -> RequestPart | None:
    """Returns the part of ``body`` that this refusal is about, None if leaving something out would
    not help; nothing is ``tried`` twice for one answer.
    """
    if error.status not in _REFUSING or error.kind not in (
        ModelFailure.BAD_REPLY,
        ModelFailure.PROVIDER_DOWN,
    ):
        return None
    words = error.body.lower()
    there = [part for part in PARTS if part.name not in tried and part.there(body)]
    named = next((part for part in there if part.named.search(words)), None)
    if named is not None or error.status not in _UNNAMED:
        return named
    return next((part for part in there if part.suspect), None)
