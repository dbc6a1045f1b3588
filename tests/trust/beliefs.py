"""Everything that is believed after it was checked once: for how long, and what renews it.

A right that grows, that is used after its time, or that keeps a stream open is checked again.
``docs/permissions.md`` shows the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from adapters.room.live import IDENTIFIED, LINKED, LONGEST
from adapters.routes.waiting import BELIEVED
from bot.forges.access.connect import RECHECKED
from bot.forges.access.setup import LASTS
from bot.room.invitations import GOOD_FOR
from bot.room.people import CHECKED, LIVES, TRUSTED


@dataclass(frozen=True, slots=True)
class Belief:
    what: str
    lasts: timedelta
    renewed_by: str


BELIEFS = (
    Belief(
        "a person's workspaces and their rights there", CHECKED, "the bot asks the platform again"
    ),
    Belief("the same while the platform does not answer", TRUSTED, "nothing: then they are out"),
    Belief("a browser's sign-in", LIVES, "signing in again"),
    Belief(
        "a browser's sign-in, while a page is open",
        timedelta(seconds=IDENTIFIED),
        "the session is read again; a signed-out page's stream ends",
    ),
    Belief(
        "the right to read a debate, while its page is open",
        timedelta(seconds=LONGEST),
        "the browser connects again and is checked",
    ),
    Belief(
        "a link to one debate, while its page is open",
        timedelta(seconds=LINKED),
        "the browser connects again and is checked",
    ),
    Belief(
        "a token, while its call waits",
        timedelta(seconds=BELIEVED),
        "the token is read again before the answer",
    ),
    Belief(
        "that the person who linked the GitHub App administers a repository",
        RECHECKED,
        "the bot asks GitHub again, for each repository",
    ),
    Belief("a link that makes or links the GitHub App", LASTS, "nothing: its first use ends it"),
    Belief("a link that lets a browser in", GOOD_FOR, "nothing: its first use ends it"),
)


def words(lasts: timedelta) -> str:
    """Return a time in its largest whole unit: "5 minutes"."""
    seconds = int(lasts.total_seconds())
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length and seconds % length == 0:
            n = seconds // length
            return f"{n} {unit}{'s' if n > 1 else ''}"
    return f"{seconds} seconds"
