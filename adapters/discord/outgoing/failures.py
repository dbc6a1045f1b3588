"""Discord's refusals and the network's accidents as the three outcomes of a delivery, each with a
sentence for a person.

Nothing is tried again here: a deterministic nonce makes a later attempt safe, and the outbox
decides when. The library itself repeats 500, 502, 504 and 429 answers a few times with the same
nonce before it gives up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from math import isfinite
from traceback import walk_tb

import aiohttp
import discord

from adapters.text.documents import NoDocument
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.stored import stored

_LONGEST_WAIT = 3600.0
_UNREADABLE = stored("Discord's answer can't be read; the message may have arrived")
OLD_MESSAGE = stored(
    "Discord lets me edit this message again in an hour: it is old and was edited often"
)

MISSING_ACCESS, MISSING_PERMISSIONS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 50001, 50013, 10003, 10008
ARCHIVED, THREAD_EXISTS, TOO_MANY_THREADS, REACTIONS_FULL, UNKNOWN_EMOJI = (
    50083,
    160004,
    160006,
    30010,
    10014,
)
LOCKED = 160005
UNKNOWN_WEBHOOK, NOT_OURS = 10015, 50005
_NO_DIRECT_MESSAGES = 50007
UNKNOWN_INTERACTION, ACKNOWLEDGED = 10062, 40060
TOKEN_OVER = frozenset({UNKNOWN_MESSAGE, 10015, UNKNOWN_INTERACTION, 50027})
"""Codes for an interaction that can no longer be answered: its fifteen minutes are over or its
message is gone.
"""

TOLD = {
    MISSING_ACCESS: stored("Discord does not let me see {where}: give my role View Channel there"),
    MISSING_PERMISSIONS: stored(
        "I may not do that in {where}: give my role the missing permission (`debate docs discord` "
        "lists them)"
    ),
    UNKNOWN_CHANNEL: stored("{where} is gone"),
    UNKNOWN_MESSAGE: stored("the message in {where} is gone"),
    ARCHIVED: stored(
        "the thread {where} is archived and I may not open it again: unarchive or unlock it"
    ),
    LOCKED: stored("the thread {where} is locked: unlock it, or give my role Manage Threads"),
    TOO_MANY_THREADS: stored(
        "{where} is on a server that has as many active threads as Discord allows: archive some"
    ),
    REACTIONS_FULL: stored(
        "that message in {where} has all the different reactions that Discord allows (20)"
    ),
    UNKNOWN_EMOJI: stored("Discord does not know one of the vote's emoji"),
    _NO_DIRECT_MESSAGES: stored("this person takes no direct messages from me"),
    40067: stored("the channel {where} wants a tag on each post, which I do not set"),
    50024: stored("{where} is no channel that I can open a thread in"),
    50035: stored("Discord found something wrong with a message for {where}"),
    40005: stored("a file for {where} is larger than Discord takes"),
    40002: stored("Discord wants the owner to verify the account before I may write in {where}"),
    340013: stored("Discord blocked a message for {where}: its rules on links or files"),
}


def delivery_error(error: Exception, where: str) -> DeliveryError:
    """Returns the outcome that ``error`` means for a delivery to ``where``."""
    kind, after = DeliveryFailure.DEAD, 1.0
    match error:
        case discord.RateLimited():
            kind, after = DeliveryFailure.RETRY, error.retry_after
            text = stored("Discord asks to wait {seconds} s", seconds=f"{after:.0f}")
        case discord.HTTPException() if error.status == 429:
            kind, after = DeliveryFailure.RETRY, _retry_after(error)
            text = stored("Discord asks to wait")
        case discord.HTTPException() if error.status >= 500:
            kind = DeliveryFailure.UNCERTAIN
            text = stored(
                "Discord answered {status}; the message may have arrived", status=error.status
            )
        case discord.HTTPException() if error.status == 401 and error.code not in TOKEN_OVER:
            text = stored("Discord refused the bot's token: set DISCORD_TOKEN to a valid one")
        case discord.HTTPException():
            wording = TOLD.get(error.code, stored("Discord refused it ({status}, code {code})"))
            text = wording.format(where=where, status=error.status, code=error.code)
        case aiohttp.ClientConnectorError():
            kind, after = DeliveryFailure.RETRY, 5.0
            text = stored("Discord cannot be reached")
        case JSONDecodeError() | NoDocument():
            kind = DeliveryFailure.UNCERTAIN
            text = _UNREADABLE
        case aiohttp.ClientError() | OSError():
            kind, name = DeliveryFailure.UNCERTAIN, type(error).__name__
            text = stored(
                "the connection to Discord broke ({name}); the message may have arrived", name=name
            )
        case _:
            text = stored(
                "could not write to {where}: {name}", where=where, name=type(error).__name__
            )
    return DeliveryError(kind, text, after)


def _retry_after(error: discord.HTTPException) -> float:
    """Returns the seconds from the header; five if the answer has none (a block at
    Discord's edge).
    """
    try:
        wait = float(error.response.headers.get("Retry-After", "5"))
    except ValueError:
        return 5.0
    return min(max(wait, 0.1), _LONGEST_WAIT) if isfinite(wait) else 5.0


@contextmanager
def delivering(where: str) -> Iterator[None]:
    """Turns the library's errors into ``DeliveryError``, also if an answer of a wrong shape caused
    them; programming errors pass.
    """
    try:
        yield
    except (
        discord.DiscordException,
        aiohttp.ClientError,
        OSError,
        JSONDecodeError,
        NoDocument,
    ) as error:
        raise delivery_error(error, where) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if not _is_library_s(error):
            raise
        if error.args == ("retry_after",):  # for a limit that names no time
            raise DeliveryError(DeliveryFailure.RETRY, "Discord asks to wait", after=5.0) from error
        raise DeliveryError(DeliveryFailure.UNCERTAIN, _UNREADABLE, after=1.0) from error


def _is_library_s(error: Exception) -> bool:
    """True if the library's own code raised an error."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith("discord.")
