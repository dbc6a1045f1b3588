"""The fields of the room's forms and addresses, each with the most characters that it may have."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.commands.options import Option
from adapters.room.incoming import repositories, schedules, starting, webhooks
from adapters.routes import TYPED, Field
from adapters.templates.loading import LARGEST as TEMPLATE

LARGEST = 2_000_000
"""Bytes of a file that is debated."""
_RECEIPT = 1_000_000
_OBJECTION = 4_000
_ADDRESS = 8_000
"""Characters of an address to go on to; a request's first line has no more."""

_TOKEN = (Field("token", 64), Field("once", 64))
"""The fields of every form: one proves that a page of ours sent it, the other tells one sending
from the next.
"""


def _fields(*names: str) -> tuple[Field, ...]:
    return tuple(map(Field, names))


def _of(options: Iterable[Option]) -> tuple[Field, ...]:
    return tuple(Field(each.field) for each in options)


# behind the question mark
LIST = _fields(
    *("q", "status", "template", "mine", "person", "repository", "decision"),
    *("since", "until", "before", "department", "priority", "due_by", "blocked"),
)
NEW = (Field("target", 4_000), *_fields("template", "example"))
COSTS = _fields("days")
SCHEDULES = _fields("after")
LOG = _fields("after")
WEBHOOKS = _fields("id")
LIVE = _fields("after")
GO_ON = (Field("to", _ADDRESS),)
CAME_BACK = (Field("code", 4_000), Field("state", 1_000), Field("error"))

# forms
START = (
    *_TOKEN,
    Field("target", TYPED),
    Field("template"),
    Field("do"),
    Field("file", LARGEST, file=True),
    Field("attached", LARGEST, pasted=True),
    Field("attached_name"),
    *_of(starting.OPTIONS),
)
PRESS = (
    *_TOKEN,
    *_fields("action", "value", "back"),
    Field("text", _OBJECTION),
)
FORK = (
    *_TOKEN,
    *_fields("debate", "without", "do"),
    Field("assume", 2_000),
    Field("branch", 2_000),
)
LINK = (*_TOKEN, Field("days"))
LINK_END = (*_TOKEN, Field("link"))
SCHEDULE = (
    *_TOKEN,
    *_fields("when", "template", "do"),
    Field("target", 2_000),
    *_of(schedules.OPTIONS),
)
SCHEDULE_DO = (*_TOKEN, *_fields("schedule", "verb"))
REPOSITORY = (
    *_TOKEN,
    *_fields("number", "forge", "repository", "do"),
    *(each for each in _of(repositories.OPTIONS)),
)
CHECK = (*_TOKEN, Field("text", TEMPLATE, pasted=True), Field("file", TEMPLATE, file=True))
RECEIPT = (
    *_TOKEN,
    Field("text", _RECEIPT, pasted=True),
    Field("file", _RECEIPT, file=True),
    Field("key", 2_000),
)
TOKEN = (*_TOKEN, *_fields("name", "purse", "days", "service", "read", "start", "act"))
TOKEN_END = (*_TOKEN, Field("id"))
WEBHOOK = (
    *_TOKEN,
    *_fields("channel", "full", *webhooks.KINDS),
    Field("address", 1_000),
)
WEBHOOK_DO = (*_TOKEN, *_fields("id", "verb"))
WORKSPACE = (*_TOKEN, Field("workspace"))
SIGN_OUT = (*_TOKEN, Field("session"))
