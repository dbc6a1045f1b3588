"""A subcommand's parameters: the words and options of its request, each with Discord's own type,
limits and choices.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from inspect import Parameter, Signature
from typing import Any, Literal

from discord import app_commands
from discord.app_commands import Choice, Range

from adapters.discord.incoming.options.localized import localized
from adapters.discord.incoming.options.suggestions import Suggestions
from adapters.discord.incoming.payloads import Interaction
from core.application.commands import kinds
from core.application.commands.actions import SHORT
from core.application.commands.options import CommandOption, OptionSurface
from core.application.commands.row import Word
from core.languages import say
from core.words.views.language.grammar import capital

Run = Callable[[Interaction, dict[str, Any]], Awaitable[None]]

_LONGEST_TEXT = 4000
"""The most characters that Discord takes in one option."""


def command(
    name: str,
    description: str,
    run: Run,
    suggest: Suggestions,
    *,
    words: Sequence[Word],
    options: Sequence[CommandOption] = (),
) -> app_commands.Command[Any, ..., None]:
    """Returns a subcommand. ``description`` is a text of the catalogues. ``run`` receives the
    interaction and the entered values: those of the words by their names, and those of the options
    by their fields' names.
    """
    offered = [each for each in options if OptionSurface.CHAT in each.surfaces]
    parameters = [*map(_word, words), *map(_parameter, offered)]

    async def callback(interaction: Interaction, **entered: Any) -> None:
        await run(interaction, entered)

    # discord.py reads the options of a command from its callback's signature
    first = Parameter("interaction", Parameter.POSITIONAL_OR_KEYWORD)
    callback.__signature__ = Signature([first, *parameters])  # type: ignore[attr-defined]
    app_commands.describe(
        **{each.name: localized(partial(say, each.hint)) for each in words},
        **{each.field: localized(partial(_hint, each)) for each in offered},
    )(callback)
    choices = {
        each.field: [Choice(name=value, value=value) for value in each.kind.values]
        for each in offered
        if isinstance(each.kind, kinds.WordKind)
    }
    app_commands.choices(**choices)(callback)
    app_commands.autocomplete(**suggest.by_name(each.name for each in parameters))(callback)
    described = localized(lambda: capital(say(description)))
    return app_commands.Command(name=name, description=described, callback=callback)


def _hint(option: CommandOption) -> str:
    return option.hint


def _word(word: Word) -> Parameter:
    annotation: Any = word.type
    if word.values:
        annotation = Literal[word.values]
    elif word.most != SHORT:
        annotation = Range[str, 1, min(word.most, _LONGEST_TEXT)]
    default = Parameter.empty if word.required else word.default
    return Parameter(
        word.name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation
    )


def _parameter(option: CommandOption) -> Parameter:
    return Parameter(
        option.field,
        Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=_annotation(option.kind) | None,
    )


def _annotation(kind: kinds.Kind) -> Any:
    """Returns Discord's type for a kind of value. Discord's limits are inclusive, so the kind's own
    check still follows.
    """
    ranges: Any = Range
    match kind:
        case kinds.Flag():
            return bool
        case kinds.Whole(least, most):
            return ranges[int, least, most]
        case kinds.ShareKind():
            return ranges[float, 0.0, 1.0]
        case kinds.Dollars(most):
            return ranges[float, 0.0, float(most)]
        case _:
            return str
