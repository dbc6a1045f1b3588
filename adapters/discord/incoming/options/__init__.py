"""A subcommand's parameters: the words of the function that makes its request, and the options of
the one table, each with Discord's own type, limits and choices.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, assert_never

from discord import app_commands
from discord.app_commands import Choice, Range

from adapters.commands import kinds
from adapters.commands.options import CommandOption, OptionSurface
from adapters.discord.incoming.options.suggestions import Suggestions
from adapters.discord.incoming.payloads import Interaction
from adapters.discord.outgoing.markup import label
from adapters.ports.desk import TemplateChoice

Run = Callable[[Interaction, dict[str, Any]], Awaitable[None]]

MOST_CHOICES = 25
_WORDS = {
    "template": "What kind of debate",
    "target": "A link or a question, then any --seats or other option",
    "material": "A .diff, .patch, .md or .txt file to debate",
    "debate": "Which debate",
    "when": "Cron or words: 0 9 * * mon, or every monday at 9",
    "name": "One template in detail",
    "topic": "A command's name",
    "words": "What was said",
    "text": "What the seats must answer",
    "option": "Your choice",
    "finding": "Vote on this finding instead of the verdict",
    "form": "The file's form",
    "place": "#channel, discord:CHANNEL or slack:CHANNEL",
    "first": "A debate, or a question to debate both ways",
    "second": "The other debate",
    "held": "Did the verdict hold?",
    "useful": "Was it of use to you?",
    "why": "What became of it",
    "repository": "OWNER/REPO; leave it out to see what is bound",
    "off": "Take it back",
    "forge": "Where it is",
    "schedule": "Which schedule",
    "action": "What to do",
    "webhook": "An address to add, else its id",
}
_OPTIONAL = {
    "debate": "; leave it out for the one in this thread",
    "target": "; leave it out to write a long text",
}
"""Text added to the description of a parameter that may be left out."""
TEMPLATE_ROOM = 1690
"""Characters of all templates' choices in one command: Discord keeps 8000 of everything under
``/debate``.
"""


def command(
    name: str,
    description: str,
    run: Run,
    suggest: Suggestions,
    *,
    words: Callable[..., Any],
    options: Sequence[CommandOption] = (),
) -> app_commands.Command[Any, ..., None]:
    """Returns a subcommand. ``run`` receives the interaction and the entered values: those of the
    parameters of ``words``, and those of ``options`` by their fields' names, if ``words`` takes
    any.
    """
    own = list(signature(words, eval_str=True).parameters.values())
    if own and own[-1].kind is Parameter.VAR_KEYWORD:
        own.pop()
    else:
        options = ()
    offered = [each for each in options if OptionSurface.CHAT in each.surfaces]
    parameters = [*own, *(_parameter(each) for each in offered)]

    async def callback(interaction: Interaction, **entered: Any) -> None:
        await run(interaction, entered)

    # discord.py reads the options of a command from its callback's signature
    first = Parameter("interaction", Parameter.POSITIONAL_OR_KEYWORD)
    callback.__signature__ = Signature([first, *parameters])  # type: ignore[attr-defined]
    app_commands.describe(
        **{each.name: _describe(each) for each in own},
        **{each.field: each.hint for each in offered},
    )(callback)
    choices = {each.field: few for each in offered if (few := _choices(each))}
    suggested = suggest.by_name(each.name for each in parameters)
    if name == "start" and (templates := _template_choices(suggest.templates)):
        choices["template"] = templates
        del suggested["template"]
    app_commands.choices(**choices)(callback)
    app_commands.autocomplete(**suggested)(callback)
    return app_commands.Command(name=name, description=description, callback=callback)


def _template_choices(templates: Sequence[TemplateChoice]) -> list[Choice[str]]:
    """Returns the templates as fixed choices, which appear once in a command of limited length;
    none if they are too many or too long for Discord.
    """
    offered = [
        Choice(name=label(f"{each.id}: {each.description}", 100).rstrip(": "), value=each.id)
        for each in templates
    ]
    length = sum(len(each.name) + len(each.value) for each in offered)
    if len(offered) > MOST_CHOICES or length > TEMPLATE_ROOM:
        return []
    return offered


def _describe(word: Parameter) -> str:
    if word.default is Parameter.empty:
        return _WORDS[word.name]
    return f"{_WORDS[word.name]}{_OPTIONAL.get(word.name, '')}"


def _choices(option: CommandOption) -> list[Choice[str]]:
    if not isinstance(option.kind, kinds.WordKind):
        return []
    return [Choice(name=each, value=each) for each in option.kind.values]


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
        case kinds.Duration() | kinds.WordKind() | kinds.Names() | kinds.TextKind():
            return str
        case kinds.Each() | kinds.Tag() | kinds.Day():
            return str
        case _:
            assert_never(kind)
