"""One row a command: its request with its words and options, its help, its permission and bounds.

The row is at the request's class (``core.application.commands.requests``). The grammar, the help,
Discord's subcommands, the permissions, the bounds and the page of routes follow from it; the
handler is a function marked with ``bot.desk.handlers.handles``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Self, TypeVar

from core.application.commands.actions import SHORT, Action, RouteWork
from core.application.commands.arguments import Arguments
from core.application.commands.kinds import WordKind
from core.application.commands.options import (
    CommandOption,
    Entered,
    OptionSurface,
    enter,
    options_of,
)
from core.debate.errors import Refused
from core.languages import msgid, say
from core.words.views.language.grammar import listed

_T = TypeVar("_T", bound="type[Request]")
REQUIRED: Any = ...
"""The default of a word that may not be left out."""
_SHELL_NOTE = msgid("shell")
_TYPED_NOTE = msgid("typed in a line")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command that is no option. ``wants`` names it in an error, ``hint`` describes it
    in a form, in which its field has the ``name``; ``values`` are all its possible values. A form
    takes ``most`` characters of it.
    """

    hint: str
    read: Callable[[str], str] = str
    wants: str = ""
    values: tuple[str, ...] = ()
    name: str = ""
    field: str = ""
    type: Any = str
    default: Any = REQUIRED
    required: bool = True
    most: int = SHORT


def word(hint: str, *, default: Any = REQUIRED, most: int = SHORT, **more: Any) -> Any:
    """Makes a request's field that is a word; ``more`` are further members of ``Word``."""
    given = {"required": default is REQUIRED} | more
    row = Word(hint, default=default, most=most, **given)
    if default is REQUIRED:
        return field(metadata={"word": row, "most": most})
    return field(default=default, metadata={"word": row, "most": most})


def bounded(most: int) -> Any:
    """Makes a request's field that comes by another way than a typed line, of at most ``most``
    characters.
    """
    return field(default="", metadata={"most": most})


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks for; every kind has a row. ``action`` is its permission, ``work`` the part
    of the process that works on it, ``stored`` what is kept of it. One that ``steers`` gives a
    debate a command, which a shell applies if no process plays the debate.
    """

    action: ClassVar[Action]
    work: ClassVar[RouteWork] = RouteWork.LOOP
    stored: ClassVar[str] = ""
    steers: ClassVar[bool] = False
    wants: ClassVar[str] = ""
    """Describes the words of a typed line in an error, if the words' own texts do not."""

    @classmethod
    def read(cls, given: Arguments) -> Request:
        """Returns the request of a typed line: words in the order of their fields, and options.
        Raises ``BadInput``.
        """
        words = words_of(cls)
        wants = say(cls.wants) or listed([say(x.wants) for x in words]) or msgid("no further words")
        texts = given.exactly(sum(each.required for each in words), len(words), wants)
        read = {each.field: each.read(text) for each, text in zip(words, texts, strict=False)}
        return given.fill(cls.of(given.command, **read)).checked()

    @classmethod
    def chosen(cls, command: str, entered: Mapping[str, Entered]) -> Request:
        """Returns the request of a form's fields, by the names of words and the fields of options.
        Raises ``BadInput``.
        """
        taken = {
            each.field: each.read(value) if isinstance(value, str) else value
            for each in words_of(cls)
            if (value := entered.get(each.name)) not in (None, "")
        }
        return enter(cls.of(command, **taken), entered).checked()

    @classmethod
    def of(cls, command: str, **words: Any) -> Self:
        """Returns the request that ``command`` makes of these words."""
        return cls(**words)

    def checked(self) -> Request:
        """Returns the request if its fields fit together. Raises ``BadInput``."""
        return self

    def asks_for(self) -> Action:
        """Returns the permission that the request needs. Raises ``Refused`` for a request of
        another version.
        """
        return self.action


@dataclass(frozen=True, slots=True)
class CommandRow:
    """One command and its help: ``does`` is one phrase, ``forms`` are what can be typed,
    ``examples`` complete lines; errors show the first, or the one for the verb that was typed.

    The help has a line for each of the ``explained`` options. ``requests`` are empty for a command
    that only a shell has. ``options`` are the options of a typed line; a ``raw`` command reads its
    words and options itself. Discord has a subcommand for it unless its twenty-five are taken
    (``subcommand``). In a debate's thread a line to the bot that begins so is the command, and not
    an objection, if ``in_thread``.
    """

    name: str
    group: Group
    does: str
    forms: tuple[str, ...]
    examples: tuple[str, ...]
    more: tuple[str, ...] = ()
    explained: tuple[CommandOption, ...] = ()
    requests: tuple[type[Request], ...] = ()
    inner: tuple[type, ...] = ()
    options: tuple[CommandOption, ...] = ()
    raw: bool = False
    subcommand: bool = True
    in_thread: bool = False

    @property
    def local(self) -> bool:
        return not self.requests

    @property
    def typed(self) -> bool:
        """True if a line begins with the command's name, on every surface."""
        return bool(self.requests) and self.name != "start"

    def form_with(self, verb: str) -> str:
        """Returns the example, else the form, that begins with this verb of the command; "" for
        none.
        """
        for form in (*self.examples, *self.forms):
            verbs, _, rest = form.removeprefix(f"{self.name} ").partition(" ")
            if verb in verbs.split("|"):
                return f"{self.name} {verb} {rest}".rstrip()
        return ""


ROWS: dict[str, CommandRow] = {}
"""All commands by their names; ``core.application.commands.requests`` fills it."""


def commands() -> Mapping[str, CommandRow]:
    """Returns the commands that a line can begin with, by that word."""
    return {name: row for name, row in ROWS.items() if row.typed}


class Group(StrEnum):
    """The groups of the help, in their order."""

    START = "Start"
    TAKE_PART = "Take part"
    LOOK = "Look"
    OPERATE = "Operate"

    def command(
        self,
        name: str,
        does: str,
        *forms: str,
        examples: tuple[str, ...],
        also: tuple[type[Request], ...] = (),
        inner: tuple[type, ...] = (),
        explained: bool = False,
        **more: Any,
    ) -> Callable[[_T], _T]:
        """Gives a request its row. ``{options}`` in a form stands for the request's options;
        ``also`` are further requests of the command, ``inner`` the parts whose options it takes
        too. With ``explained`` the help has a line for each option.
        """

        def register(request: _T) -> _T:
            own = options_of(request)
            parts: tuple[type, ...] = (*inner, request)
            chat = (each for each in own if OptionSurface.CHAT in each.surfaces)
            usage = " ".join(f"[{each.typed}]" for each in chat)
            ROWS[name] = CommandRow(
                *(name, self, does),
                tuple(form.replace("{options}", usage) for form in forms),
                examples,
                explained=own if explained else (),
                requests=(request, *also),
                inner=inner,
                options=tuple(
                    {each.name: each for part in parts for each in options_of(part)}.values()
                ),
                **more,
            )
            return request

        return register

    def local(
        self,
        name: str,
        does: str,
        *forms: str,
        examples: tuple[str, ...],
        more: tuple[str, ...] = (),
        explained: tuple[CommandOption, ...] = (),
    ) -> None:
        """Adds the row of a command that only a shell has (``bot.shell.maintain``)."""
        ROWS[name] = CommandRow(name, self, does, forms, examples, more, explained)


def words_of(request: type) -> tuple[Word, ...]:
    """Returns the words of a kind of request, in the order in which they are typed."""
    return tuple(_named(each) for each in fields(request) if "word" in each.metadata)


def _named(each: Field[Any]) -> Word:
    row: Word = each.metadata["word"]
    kind = bool if each.type == "bool" else str
    return replace(row, field=each.name, name=row.name or each.name, type=kind)


def most_of(request: type) -> Mapping[str, int]:
    """Returns the most characters of each field of a request that has a separate bound; of a
    list, of all of it together.
    """
    return {each.name: most for each in fields(request) if (most := _most(each)) != SHORT}


def _most(each: Field[Any]) -> int:
    option: CommandOption | None = each.metadata.get("option")
    return option.most if option is not None else each.metadata.get("most", SHORT)


def described(options: Sequence[CommandOption]) -> tuple[str, ...]:
    """Returns a line for each option: its form, its purpose, its values."""
    width = max((len(option.typed) for option in options), default=0) + 2
    return tuple(f"{option.typed:<{width}}{_purpose(option)}" for option in options)


def _purpose(option: CommandOption) -> str:
    text = say(option.help)
    if isinstance(option.kind, WordKind):
        text += f": {', '.join(option.kind.values)}"
    if OptionSurface.ROOM in option.surfaces:
        text += f" ({say(_TYPED_NOTE)})"
    elif OptionSurface.CHAT not in option.surfaces:
        text += f" ({say(_SHELL_NOTE)})"
    return text


def action_named(known: Mapping[str, Action], word: str) -> Action:
    """Returns the action of a word. Raises ``Refused`` for a word that this version never made."""
    if word not in known:
        raise Refused("This belongs to another version of me; use the command instead.")
    return known[word]
