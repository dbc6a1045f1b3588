"""The fields of the room's forms and addresses, each with the most characters that it may have."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.room.incoming import repositories, schedules, webhooks
from adapters.routes import RouteField
from adapters.templates.loading import LARGEST as TEMPLATE
from core.application.commands.actions import TYPED
from core.application.commands.options import CommandOption
from core.application.commands.requests.starting import DEBATE_OPTIONS

LARGEST = 2_000_000
"""Bytes of a file that is debated."""
_RECEIPT = 1_000_000
_OBJECTION = 4_000
_ADDRESS = 8_000
"""Characters of an address to continue to; a request's first line has no more."""

_TOKEN = (RouteField("token", 64), RouteField("once", 64))
"""The fields of every form: one proves that our page sent it, the other distinguishes repeated
submissions.
"""


def _fields(*names: str) -> tuple[RouteField, ...]:
    return tuple(map(RouteField, names))


def _of(options: Iterable[CommandOption]) -> tuple[RouteField, ...]:
    return tuple(RouteField(each.field) for each in options)


# behind the question mark
LIST = _fields(
    *("q", "status", "template", "mine", "person", "repository", "decision"),
    *("since", "until", "before", "department", "priority", "due_by", "blocked"),
)
NEW = (RouteField("target", 4_000), *_fields("template", "example"))
COSTS = _fields("days")
SCHEDULES = _fields("after")
LOG = _fields("after")
WEBHOOKS = _fields("id")
LIVE = _fields("after")
GO_ON = (RouteField("to", _ADDRESS),)
CAME_BACK = (RouteField("code", 4_000), RouteField("state", 1_000), RouteField("error"))

# forms
START = (
    *_TOKEN,
    RouteField("target", TYPED),
    RouteField("template"),
    RouteField("do"),
    RouteField("file", LARGEST, file=True),
    RouteField("attached", LARGEST, pasted=True),
    RouteField("attached_name"),
    *_of(DEBATE_OPTIONS),
)
PRESS = (
    *_TOKEN,
    *_fields("action", "value", "back"),
    RouteField("text", _OBJECTION),
)
FORK = (
    *_TOKEN,
    *_fields("debate", "without", "do"),
    RouteField("assume", 2_000),
    RouteField("branch", 2_000),
)
LINK = (*_TOKEN, RouteField("days"))
LINK_END = (*_TOKEN, RouteField("link"))
SCHEDULE = (
    *_TOKEN,
    *_fields("when", "template", "do"),
    RouteField("target", 2_000),
    *_of(schedules.OPTIONS),
)
SCHEDULE_DO = (*_TOKEN, *_fields("schedule", "verb"))
REPOSITORY = (
    *_TOKEN,
    *_fields("number", "forge", "repository", "do"),
    *_of(repositories.OPTIONS),
)
CHECK = (
    *_TOKEN,
    RouteField("text", TEMPLATE, pasted=True),
    RouteField("file", TEMPLATE, file=True),
)
RECEIPT = (
    *_TOKEN,
    RouteField("text", _RECEIPT, pasted=True),
    RouteField("file", _RECEIPT, file=True),
    RouteField("key", 2_000),
)
TOKEN = (*_TOKEN, *_fields("name", "budget", "days", "service", "read", "start", "act"))
TOKEN_END = (*_TOKEN, RouteField("id"))
WEBHOOK = (
    *_TOKEN,
    *_fields("channel", "full", *webhooks.KINDS),
    RouteField("address", 1_000),
)
WEBHOOK_DO = (*_TOKEN, *_fields("id", "verb"))
WORKSPACE = (*_TOKEN, RouteField("workspace"))
SIGN_OUT = (*_TOKEN, RouteField("session"))
