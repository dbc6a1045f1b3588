"""The table of routes: each address with its users, its input and limits, and whether anything of
it is stored.

A surface lists its rows; the server is built from them and from nothing else (``serving``), and
requests are read in one place, which holds them to their row (``reading``). An address without a
row does not exist; a field that is not in its row is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from core.application.commands.actions import SHORT, TYPED, RouteWork

if TYPE_CHECKING:
    from aiohttp import web

Answer = Callable[["web.Request"], Awaitable["web.StreamResponse"]]

_CHARACTER, _ESCAPED = 4, 9
"""The most bytes of one character: in a multipart body, and escaped in a form."""
_LONGEST_LINE = 200_000
"""Bytes of a form in one line, whose escapes are read one by one."""
_AROUND = 512
"""The bytes around one field of a form."""


class Who(StrEnum):
    """The users who may use a route."""

    ANYONE = "anyone"
    SIGNED_IN = "signed in"
    LINKED = "signed in, or with a link to the debate"
    OPERATOR = "the operator"
    PLATFORM = "the platform, by its signature"
    PROGRAM = "a program with a token"
    TOOL = "a program with a token, or Slackbot by Slack's signature"
    STATE = "anyone with a link that the bot signed"


class Media(StrEnum):
    """The form of a body. Packed ones are refused everywhere."""

    LINE = "application/x-www-form-urlencoded"
    PARTS = "multipart/form-data"
    JSON = "application/json"


@dataclass(frozen=True, slots=True)
class RouteField:
    """One field of a form, or behind the question mark of an address: at most ``most`` characters;
    bytes of a ``file``, and of a text that may be a whole file (``pasted``).
    """

    name: str
    most: int = SHORT
    file: bool = False
    pasted: bool = False

    @property
    def large(self) -> bool:
        return self.file or self.pasted


@dataclass(frozen=True, slots=True)
class Route:
    """One address. ``form`` are the fields of its form, ``body`` the bytes of a body that is not a
    form, in one of ``takes``. ``stored`` names what is kept of it, "" for nothing. ``missing``
    answers if a name in the address cannot be one, instead of the server.
    """

    method: str
    path: str
    who: Who
    answer: Answer
    query: tuple[RouteField, ...] = ()
    form: tuple[RouteField, ...] = ()
    body: int = 0
    takes: tuple[Media, ...] = ()
    work: RouteWork = RouteWork.LOOP
    stored: str = ""
    missing: Answer | None = None
    fields: dict[str, RouteField] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", {each.name: each for each in self.form})
        if self.form and not self.takes:
            object.__setattr__(self, "takes", (Media.LINE, Media.PARTS))

    @property
    def key(self) -> tuple[str, str]:
        return self.method, self.path

    def largest(self, media: str) -> int:
        """Returns the bytes of the largest body of that kind which is read. What is large comes in
        parts, if nothing is escaped.
        """
        if not self.form:
            return self.body
        around = _AROUND * len(self.form)
        if media == Media.LINE:
            line = sum(_ESCAPED * min(each.most, TYPED) for each in self.form) + around
            return min(line, _LONGEST_LINE)
        return sum(each.most * (1 if each.large else _CHARACTER) for each in self.form) + around
