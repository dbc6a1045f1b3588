"""Words an error for the person whose request failed, the same on every surface."""

from __future__ import annotations

import secrets
from logging import Logger

from adapters.text.foreign import literal
from core.application.desk import DeskAnswer
from core.application.presence import DeliveryError
from core.debate.errors import DebateError
from core.languages import say, say_error


def explain(error: BaseException, log: Logger, action: str) -> DeskAnswer:
    """Turns an error into an answer for people: our errors keep their words, any other becomes a
    number under which the log holds the details.
    """
    if isinstance(error, DebateError | DeliveryError):
        return DeskAnswer(literal(say_error(error)), ok=False)
    number = secrets.token_hex(4)
    log.error("a request failed", extra={"action": action, "error_id": number}, exc_info=error)
    return DeskAnswer(
        say(
            "Something went wrong here, and it is not your doing. Try again; if it stays, give an "
            "administrator the number {number}.",
            number=number,
        ),
        ok=False,
    )
