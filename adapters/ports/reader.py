"""The language of a person for whom a form is opened: platforms want it within three seconds."""

from __future__ import annotations

import asyncio
import logging

from core.application.desk import Caller, Desk

PATIENCE = 0.8
"""Seconds that a form waits for the language of its reader, from a platform and from the store."""

log = logging.getLogger(__name__)


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
