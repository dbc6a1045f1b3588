"""What a chat shows to the person who asks: in their language, also if their request failed."""

from __future__ import annotations

import asyncio
import logging
import secrets

from adapters.text.foreign import literal
from core.application.desk import Caller, Desk, DeskAnswer
from core.application.presence import DeliveryError
from core.debate.errors import DebateError
from core.languages import say, say_error
from core.languages.stored import say_stored

PATIENCE = 0.8
"""Seconds that a form waits for the language of its reader, from a platform and from the store."""

log = logging.getLogger(__name__)


def explain(error: BaseException, log: logging.Logger, action: str) -> DeskAnswer:
    """Turns an error into an answer for people: our errors keep their words, any other becomes a
    number under which the log holds the details.
    """
    if isinstance(error, DeliveryError):
        return DeskAnswer(literal(say_stored(str(error))), ok=False)
    if isinstance(error, DebateError):
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


async def language_of(desk: Desk, caller: Caller) -> str:
    """Returns the language of forms for a person and of private answers to them; their platform's
    if the store is late or fails.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            return await desk.language(caller)
    except Exception as error:  # noqa: BLE001 - a form in another language is better than none
        log.warning(
            "a person's language was not read",
            extra={"action": "reader.language", "error": type(error).__name__},
        )
        return caller.language
