"""The words and options of a command in a typed line: options may be anywhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from core.application.commands.options import CommandOption, WrongOption, options_of
from core.application.commands.tokens import TypedLine, TypedToken
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import did_you_mean

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_R = TypeVar("_R", bound="DataclassInstance")


class WrongUsage(BadInput):
    """A ``BadInput`` that knows which command's example to show, or the very ``form`` that was
    probably meant, and the ``option`` that belongs behind it.
    """

    def __init__(self, topic: str, message: str, form: str = "", option: str = "") -> None:
        super().__init__(message)
        self.topic = topic
        self.form = form
        self.option = option


@dataclass(frozen=True, slots=True)
class Arguments:
    """The words and options of one ``command``.

    ``words`` are its positional tokens in order; ``options`` are name -> typed values.
    """

    line: TypedLine
    words: tuple[TypedToken, ...]
    options: Mapping[str, Sequence[str]]
    command: str = ""

    def text(self, skip: int = 0) -> str:
        """Returns the positional words from ``skip`` on, as typed."""
        return self.line.text(self.words[skip:])

    def exactly(self, least: int, most: int, what: str) -> tuple[str, ...]:
        """Returns the positional words. Raises ``BadInput`` unless there are ``least`` to ``most``
        of them.
        """
        if len(self.words) < least:
            raise BadInput("It needs {what}.", what=say(what))
        if len(self.words) > most:
            raise BadInput("It takes {what}, nothing more.", what=say(what))
        return tuple(token.text for token in self.words)

    def fill(self, request: _R) -> _R:
        """Returns ``request`` with the options that were typed. Raises ``WrongOption``."""
        kind: type = type(request)
        given = {
            option.field: option.read(self.options[option.name], f"--{option.name}")
            for option in options_of(kind)
            if option.name in self.options
        }
        return replace(request, **given)


def split_options(
    line: TypedLine, tokens: Sequence[TypedToken], options: Sequence[CommandOption]
) -> Arguments:
    """Separates options from words.

    ``--`` ends the options. A dash in a sentence ("slow —really slow") stays text; a word with two
    hyphens must be a known option, else ``BadInput`` names the nearest, except in ``diff --git``.
    """
    known = {option.name: option for option in options}
    words: list[TypedToken] = []
    given: dict[str, list[str]] = {}
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.text == "--" and not token.quoted:
            words += tokens[at:]
            break
        option = known.get(token.option)
        if option is not None:
            text, at = _value(option, token, tokens, at, known)
            given.setdefault(option.name, []).append(text)
        elif token.option and token.is_surely_option and not _is_diff_head(tokens[:at]):
            raise BadInput(_unknown(token, known, line.elsewhere))
        else:
            words.append(token)
    return Arguments(line, tuple(words), given)


def _is_diff_head(tokens: Sequence[TypedToken]) -> bool:
    """Return whether the last of the tokens belongs to the head of a diff: ``diff --git``."""
    return len(tokens) > 1 and tokens[-2].text == "diff"


def _value(
    option: CommandOption,
    token: TypedToken,
    tokens: Sequence[TypedToken],
    at: int,
    known: Collection[str],
) -> tuple[str, int]:
    """Returns an option's value and the position after it; ``at`` is that of the next token."""
    if not option.takes_value:
        return "", at
    if token.value is not None:
        return token.value, at
    if at == len(tokens) or (tokens[at].option in known and not tokens[at].quoted):
        raise WrongOption(option, option.needs(f"--{option.name}"))
    text, at = tokens[at].text, at + 1
    while text.endswith(",") and at < len(tokens) and tokens[at].option not in known:  # "a, b, c"
        text, at = text + tokens[at].text, at + 1
    return text, at


def _unknown(token: TypedToken, known: Collection[str], elsewhere: Collection[str]) -> str:
    if token.option in elsewhere:
        return say("{option} does not belong here.", option=f"--{token.option}")
    meant = did_you_mean(token.option, known, 0.5, before="--")
    unknown = token.text.partition("=")[0][:40]
    return f"{say('There is no option {option}.', option=unknown)}{meant}"
