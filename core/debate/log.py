"""The log of a debate: the content of one commit, and the port that the store implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from core.debate.events import Event
from core.debate.state import Debate
from core.debate.usage import Usage


class CallState(StrEnum):
    """The states of a paid request."""

    INTENT = "intent"  # it may be sent
    DONE = "done"
    FAILED = "failed"
    LOST = "lost"  # it ended without an answer, and may be billed


class PostOp(StrEnum):
    """The operations of the outbox; their words are stored."""

    POST = "post"
    EDIT = "edit"  # a newer one replaces one that has not left yet
    EDIT_FIRST = "edit_first"  # an edit that shows a decision: it goes before all others
    REACT = "seed"  # emojis, which no post waits for
    REACT_LATER = "seed_later"  # emojis, sent when no others wait
    AGAIN = "again"  # the post with this key, given up before, is tried once more
    PRIVATE = "private"  # a line for one person, outside every thread
    WEBHOOK = "hook"  # bytes to an address


class ForgePostKind(StrEnum):
    """The kinds of posts to a forge; their words are stored."""

    REVIEW = "review"
    ANSWER = "answer"
    CHECK = "check"
    ISSUE = "issue"
    AMENDMENT = "amendment"  # a line in a posted review
    TEST = "test"
    RECORD = "record"  # a decision record as its own pull request


@dataclass(frozen=True, slots=True)
class Call:
    """One paid request. The row is written before the request (intent) and settled in the same
    commit as the event that the request led to. The row of a request whose process ended before the
    answer is ``lost``: it may have been paid for, and counts as its estimate. The ``error`` of a
    finished request is the reason why its answer is not whole.
    """

    turn: str
    attempt: int
    model: str
    state: CallState = CallState.INTENT
    request_hash: str = ""
    response: str = ""
    usage: Usage = Usage()
    error: str = ""
    estimate: float | None = None  # USD that it costs at most, None if the price is unknown

    @property
    def answered(self) -> bool:
        """True if it is known what came of the request."""
        return self.state in (CallState.DONE, CallState.FAILED)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A post on its way to one place. ``key`` is unique per place, for ever; a key that is there
    already is not sent twice.

    ``target`` is the key of the post that an edit replaces or that gets emojis; a post that has one
    waits only for it (a root that names itself for nothing) and passes all that wait for their
    pace. ``body`` is the post as JSON-able data, opaque to the store.
    """

    key: str
    place: str
    op: PostOp = PostOp.POST
    body: Mapping[str, Any] = field(default_factory=dict)
    target: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """The content of one commit for one debate: events at ``position``, call rows (inserted or
    settled), applied command ids, posts.

    ``states`` are the debate before the events and after each, so that no later step folds them
    again; they are not stored. A ``status`` that is not empty replaces the row's, together with
    ``wake_at`` (when the debate must be looked at again, None: only when a command comes).
    ``answers`` says, per applied id, why it was refused; "" if it was not.
    """

    debate: str
    position: int
    events: tuple[Event, ...] = ()
    calls: tuple[Call, ...] = ()
    applied: tuple[int, ...] = ()
    states: tuple[Debate, ...] = ()
    status: str = ""
    wake_at: datetime | None = None
    posts: tuple[Outgoing, ...] = ()
    answers: Mapping[int, str] = field(default_factory=dict)


class Log(Protocol):
    """The append-only log of one debate, opened for writing."""

    async def append(self, append: Append) -> None:
        """Writes a commit. Raises ``Fenced`` when another writer took over."""
        ...
