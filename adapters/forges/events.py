"""The events of a forge that matter here: one small record for a webhook of GitHub or GitLab, or
for a change that a poll noticed.

A webhook is checked before it is parsed, and only the few fields named here are kept. It proves
only that the forge sent it: every reaction asks the forge for the present state, so late, repeated
and re-ordered events do no harm. Comments of bots are left out, our own among them: two bots that
answer each other would never end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from adapters.forges.api import DECIDING
from adapters.forges.links import Ours, is_repo
from adapters.redaction import redact
from adapters.review import MARK
from adapters.text.documents import NoDocument, read_object, without_nulls

_MOST = 1 << 53
LONGEST = 4000
"""Characters of a comment that are kept."""
_BOT = re.compile(r"(?:(?:project|group)_\d+_bot|service_account_)|.*\[bot\]$", re.DOTALL)
"""The names that GitLab gives to the tokens of projects and groups and to service accounts, and
GitHub to Apps.
"""
_DEPENDENCY_BOTS = frozenset(
    {
        "dependabot", "dependabot-preview", "depfu", "greenkeeper", "mend-for-github-com",
        "pyup-bot", "renovate", "renovate-bot", "renovatebot", "scala-steward", "snyk-bot",
        "step-security-bot",
    }
)  # fmt: skip


class ForgeEventKind(StrEnum):
    OPENED = "opened"  # or opened again, or made ready for review
    LABELED = "labeled"
    PUSHED = "pushed"
    RETARGETED = "retargeted"  # it now goes into another branch
    CLOSED = "closed"  # merged or not
    COMMENTED = "commented"  # in the conversation
    REPLIED = "replied"  # under a comment on a line, or on GitLab in a thread
    REACTED = "reacted"  # to a comment, with an emoji
    INSTALLED = "installed"
    UNINSTALLED = "uninstalled"
    QUEUED = "queued"  # a merge queue tests it together with others
    GUIDELINES = "guidelines"  # the default branch got new ones


@dataclass(frozen=True, slots=True)
class ForgeEvent:
    """``repo`` is ``owner/name``, ``repo_id`` its id on the host, which a rename does not
    change. ``text`` is redacted; ``actor`` is who did it, ``author`` who
    opened the pull request ("" if that is not known). ``comment`` is the id of what was written,
    ``reply_to`` of what it answers (GitLab: the discussion).
    """

    happened: ForgeEventKind
    forge: str
    host: str
    repo: str
    number: int = 0
    head: str = ""
    label: str = ""
    draft: bool = False
    actor: str = ""
    text: str = ""
    comment: str = ""
    reply_to: str = ""
    at: datetime | None = None
    merged: bool = False
    merge_commit: str = ""
    installation: int = 0
    account: str = ""
    author: str = ""
    repo_id: str = ""

    def __post_init__(self) -> None:
        if not (0 <= self.number < _MOST and 0 <= self.installation < _MOST):
            raise ValueError("a number that no forge gives")


class Forged(Exception):
    """A webhook that the forge did not send, or that cannot be read."""


class WrongSecret(Forged):
    """The webhook's signature does not fit this secret."""


def body_key(forge: str, body: bytes) -> str:
    """Returns the key of one delivery. It is made only from the signed body, since headers are not
    signed: a delivery that is repeated under another id is still the same.
    """
    return f"{forge}:{hashlib.sha256(body).hexdigest()}"


def too_old(events: tuple[ForgeEvent, ...], now: datetime, days: float) -> bool:
    """True if a delivery is so old that its key may have been forgotten here."""
    times = [event.at for event in events if event.at is not None]
    return bool(times) and (now - max(times)).total_seconds() > days * 86400


def is_ours(text: object) -> bool:
    """True if our own account wrote the text: our comments come back as events, and must not be
    answered.
    """
    return MARK in str(text or "")


def is_bot(login: str) -> bool:
    """True if only programs have names like the account's."""
    return _BOT.match(login.casefold()) is not None


def is_dependency_bot(login: str) -> bool:
    """Return whether the account opens pull requests that only raise versions."""
    name = login.casefold().removeprefix("app/").removesuffix("[bot]")
    return name in _DEPENDENCY_BOTS


def clean(text: object) -> str:
    return redact(str(text or "")[:LONGEST])[0]


def is_draft(change: dict[str, Any], *names: str) -> bool:
    """True if one of these members that a change has is anything but false."""
    return any(change.get(name, False) is not False for name in names)


def host_of(address: object) -> str:
    """Returns the host of an address as links name it, with a port if it has one."""
    return urlsplit(str(address)).netloc.rpartition("@")[2].lower()


def repo_of(forge: Ours, name: object) -> str:
    """Returns the name of a repository. Raises ``ValueError`` for one that the forge gives to none:
    it becomes a part of addresses.
    """
    if not isinstance(name, str) or not is_repo(forge, name):
        raise ValueError("the name of no repository")
    return name


def time_of(text: object) -> datetime | None:
    """Returns the time in any of the forms that forges write; aware, UTC."""
    if not isinstance(text, str) or not text:
        return None
    plain = text.replace(" UTC", "+00:00").replace("Z", "+00:00")
    made = datetime.fromisoformat(plain)
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC)


@contextmanager
def reading(body: bytes) -> Iterator[dict[str, Any]]:
    """Parses the payload. Raises ``Forged`` if it cannot be parsed or lacks a field."""
    try:
        payload = without_nulls(read_object(body), DECIDING)
    except NoDocument as error:
        raise Forged("the body is no JSON object") from error
    try:
        yield payload
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Forged(f"a field is missing or odd: {error}") from error
