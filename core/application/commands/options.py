"""The options of commands, one row each: name, kind of value, purpose, and the surfaces that offer
it.

The rows are at the fields of the requests (``core.application.commands.requests``), so that a new
option is one line there and its use. Everything that shows, reads or stores options goes through
``options_of``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Flag as Flags
from enum import auto
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from core.application.commands.actions import SHORT
from core.application.commands.kinds import Flag, Kind, Whole, WordKind
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import capital, did_you_mean, nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entered = str | int | float | bool | None
_R = TypeVar("_R", bound="DataclassInstance")


class OptionSurface(Flags):
    """The surfaces that offer a field for an option. On a typed line every surface
    understands it.
    """

    SHELL = auto()
    CHAT = auto()
    FORM = auto()
    """The chats' small forms have a field for it; other options are typed with the command."""
    ROOM = auto()
    """The browser's form has a field for it, though a chat's commands have no room for one."""

    @classmethod
    def everywhere(cls) -> OptionSurface:
        return cls.SHELL | cls.CHAT | cls.FORM


@dataclass(frozen=True, slots=True)
class CommandOption:
    """``name`` follows ``--`` (by default the field's), ``field`` is the request's. ``help`` is one
    phrase, ``sign`` the placeholder of the value. ``letter`` names it if every character counts.

    ``formats`` are the formats that know it, empty for all. ``of_debate`` is False for options of
    the request only. ``once`` refuses a second value instead of taking the last. ``scheduled`` is
    False if a chat's subcommand for schedules, which takes 25 options, has no place for it. A text
    has ``most`` characters, a list all together.
    """

    kind: Kind
    help: str
    sign: str = ""
    label: str = ""
    letter: str = ""
    surfaces: OptionSurface = OptionSurface.SHELL | OptionSurface.CHAT
    formats: tuple[str, ...] = ()
    of_debate: bool = True
    once: bool = False
    scheduled: bool = True
    most: int = SHORT
    name: str = ""
    field: str = ""

    @property
    def typed(self) -> str:
        """The option as people type it on a line: ``--rounds N``."""
        return f"--{self.name} {self.sign}".rstrip()

    @property
    def title(self) -> str:
        """Returns the label of the option's field."""
        return say(self.label or self.name.replace("-", " ").capitalize())

    @property
    def hint(self) -> str:
        """Returns ``help`` with a capital letter."""
        return capital(say(self.help))

    @property
    def takes_value(self) -> bool:
        return not isinstance(self.kind, Flag)

    def read(self, texts: Sequence[str], text: str = "") -> Any:
        """Returns the value that was typed; ``text`` is the option's name in an error, if it is
        shown under another one. Raises ``WrongOption``.
        """
        if self.once and len(set(texts)) > 1:
            twice = say("{option} was given twice: which one?", option=text or self.name)
            raise WrongOption(self, twice)
        value = self.kind.read(texts)
        if value is None or not self.kind.fits(value):
            wrong = self._wrong(texts[-1], text or self.name)
            raise WrongOption(self, wrong, texts[-1])
        return value

    def take(self, entered: Entered) -> Any:
        """Returns the value of a field: text as ``read`` takes it, or typed. Raises
        ``WrongOption``.
        """
        if isinstance(entered, str):
            return self.read([entered])
        if not self.kind.fits(entered):
            raise WrongOption(self, self._wrong(f"{entered}", self.name))
        return entered

    def needs(self, text: str) -> str:
        """Returns the error for an option without a value; ``text`` is its name there."""
        return say("{option} needs {wants}.", option=text, wants=say(self.kind.wants))

    def write(self, value: Any) -> str:
        """Returns a value as one text that ``read`` takes again; "" for none."""
        return self.kind.write(value)

    def form(self, typed: str) -> str:
        """Returns the option with a value that it takes, the nearest to what was ``typed``; of
        names and texts, its sign.
        """
        value = re.split(", | or ", self.kind.like)[0] or self.sign
        if isinstance(self.kind, Whole):
            number = self.kind.read([typed]) or self.kind.least
            value = f"{min(max(number, self.kind.least), self.kind.most)}"
        if isinstance(self.kind, WordKind):
            value = nearest(typed, self.kind.values) or self.kind.values[0]
        return f"--{self.name} {value}".rstrip()

    def _wrong(self, typed: str, text: str) -> str:
        if not typed.strip():
            return self.needs(text)
        wants, odd = say(self.kind.wants), repr(typed.strip()[:60])
        if like := say(self.kind.like):
            return say(
                "{option} takes {wants}, like {like}, not {typed}.",
                option=text, wants=wants, like=like, typed=odd,
            )  # fmt: skip
        meant = ""
        if isinstance(self.kind, WordKind):
            meant = did_you_mean(typed, self.kind.values)
        wrong = say("{option} takes {wants}, not {typed}.", option=text, wants=wants, typed=odd)
        return f"{wrong}{meant}"


class WrongOption(BadInput):
    """A value that an option does not take; forms show it at the field, and a typed line shows the
    option's right ``form``.
    """

    def __init__(self, option: CommandOption, message: str, typed: str = "") -> None:
        super().__init__(message)
        self.option = option
        self.form = option.form(typed)


def option(kind: Kind, help: str, **more: Any) -> Any:
    """Makes a request's field that is an option; ``more`` are further members of
    ``CommandOption``.
    """
    return field(default=kind.empty, metadata={"option": CommandOption(kind, help, **more)})


def options_of(request: type) -> tuple[CommandOption, ...]:
    """Returns the options of a kind of request, in the order in which they are shown."""
    return _options_of(request)


@cache
def _options_of(request: type) -> tuple[CommandOption, ...]:
    return tuple(
        replace(row, field=each.name, name=row.name or each.name.replace("_", "-"))
        for each in fields(request)
        if (row := each.metadata.get("option")) is not None
    )


def written(request: DataclassInstance) -> dict[str, str]:
    """Returns the options of a request as texts by their fields' names, which ``enter`` reads
    again.
    """
    kind: type = type(request)
    texts = {each.field: each.write(getattr(request, each.field)) for each in options_of(kind)}
    return {name: text for name, text in texts.items() if text}


def enter(request: _R, entered: Mapping[str, Entered]) -> _R:
    """Returns ``request`` with what was entered for its options, by their fields' names; None and
    "" leave one as it is. Raises ``WrongOption``.
    """
    kind: type = type(request)
    given = {
        option.field: option.take(entered[option.field])
        for option in options_of(kind)
        if entered.get(option.field) not in (None, "")
    }
    return replace(request, **given)
