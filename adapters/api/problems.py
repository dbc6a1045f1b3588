"""Refusals as problem documents (RFC 9457), whose ``detail`` names the next step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.routes.reading import RequestRefused
from core.application.desk import DeskAnswer
from core.debate.errors import BadInput, CouldNotFinish, DebateError, Refused

MEDIA = "application/problem+json"
TITLES: Mapping[int, str] = {
    400: "Not possible",
    401: "No token",
    402: "Asks for consent",
    403: "Not allowed",
    404: "Not found",
    405: "Another method",
    408: "Too slow",
    413: "Too large",
    415: "Another kind of body",
    429: "Too many",
    503: "Not now",
}


def require_done(answer: DeskAnswer) -> DeskAnswer:
    """Returns the desk's answer, if it did the work. Raises ``BadInput``, ``Refused``,
    ``CouldNotFinish``; 402 if the price needs someone's consent.
    """
    if answer.ok:
        return answer
    if answer.priced is not None:
        raise RequestRefused(f'{answer.text} Send it again with "yes": true to agree.', 402)
    if answer.refused:
        raise Refused(answer.text)
    if answer.code == CouldNotFinish.exit_code:
        raise CouldNotFinish(answer.text)
    raise BadInput(answer.text)


def status_of(error: DebateError) -> int:
    match error:
        case RequestRefused():
            return error.status
        case Refused():
            return 403
        case BadInput():
            return 400
        case _:
            return 503


def problem(error: DebateError) -> Mapping[str, Any]:
    status = status_of(error)
    return {
        "type": "about:blank",
        "title": TITLES[status],
        "status": status,
        "detail": str(error),
    }
