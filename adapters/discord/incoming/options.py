"""The options of ``/debate``'s commands: their words, their fixed choices, and how a function's
parameters become them.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import Choice

from adapters.commands.starting import FORMS, IMPORTANCE
from adapters.discord.incoming import forms
from adapters.discord.incoming.suggestions import Suggestions
from adapters.ports.desk import TemplateChoice
from core.template import Mode

Interaction = discord.Interaction[discord.Client]
Callback = Callable[..., Coroutine[Any, Any, None]]
Suggester = Callable[[Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]

WORDS = {
    "template": "What kind of debate",
    "target": "A link to a pull request, or a question; leave it out to write a long text",
    "material": "A .diff, .patch, .md or .txt file to debate",
    "rounds": "At most this many rounds",
    "models": "Models, with commas between",
    "consensus": "How the seats' votes become a result",
    "threshold": "Agreement that counts as reached, up to 1",
    "budget": "At most this many US dollars",
    "format": "How turns are taken",
    "vote_window": "How long people's votes count after the verdict: 10m, 1h",
    "form": "A panel's size",
    "importance": "How much hangs on it",
    "debate_anyway": "Debate even if all independent votes agree",
    "quiet": "Only the verdict",
    "search": "Let the seats search the web",
    "yes": "Spend what it costs without asking first",
    "debate": "Which debate; leave it out for the one in this thread",
    "when": "Cron or words: 0 9 * * mon, or every monday at 9",
    "tz": "Time zone, like Europe/Berlin",
    "label": "Of a repository: only pull requests with this label",
    "base": "Of a repository: only pull requests into this branch",
    "author": "Of a repository: only this person's pull requests",
    "since": "Of a repository: only those changed since, like 7d",
    "at_most": "Of a repository: at most this many each time",
}
REQUIRED = {"debate": "Which debate", "target": "A link to a pull request, or a question"}
"""What is said where the option cannot be left out."""
TEMPLATE_ROOM = 2000
"""Characters of all templates' choices in one command: Discord keeps 8000 of everything under
``/debate``.
"""


def command(
    name: str,
    description: str,
    callback: Callback,
    suggested: Mapping[str, Suggester] | None = None,
) -> app_commands.Command[Any, ..., None]:
    """A command whose options are the parameters of ``callback``, described by ``WORDS`` and
    completed by ``suggested``.
    """
    options = signature(callback).parameters
    words = {name: text for name, text in WORDS.items() if name in options}
    must = {
        name: REQUIRED[name]
        for name in options
        if name in REQUIRED and options[name].default is Parameter.empty
    }
    app_commands.describe(**words | must)(callback)
    if suggested:
        app_commands.autocomplete(**suggested)(callback)
    return app_commands.Command(name=name, description=description, callback=callback)


def offer(
    callback: Callback, templates: Sequence[TemplateChoice], suggest: Suggestions
) -> dict[str, Suggester]:
    """Templates, modes and formats as fixed choices; templates that are too many for Discord are
    suggested while typing.
    """
    fixed = {
        "consensus": [mode.value for mode in Mode],
        "format": suggest.settings.formats[: forms.MOST_CHOICES],
        "form": FORMS,
        "importance": IMPORTANCE,
    }
    app_commands.choices(
        **{
            option: [Choice(name=each, value=each) for each in values]
            for option, values in fixed.items()
        }
    )(callback)
    offered = [
        Choice(name=f"{each.id}: {each.description}"[:100].rstrip(": "), value=each.id)
        for each in templates
    ]
    if (
        len(offered) > forms.MOST_CHOICES
        or sum(len(each.name) + len(each.value) for each in offered) > TEMPLATE_ROOM
    ):
        return {"template": suggest.template}
    app_commands.choices(template=offered)(callback)
    return {}


def extras(**given: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value.strip()) for name, value in given.items() if value.strip())


def panel(form: str, importance: str, anyway: bool) -> tuple[tuple[str, str], ...]:
    """The options that only some formats know, under the grammar's names."""
    return extras(
        **{"form": form, "importance": importance, "debate-anyway": "yes" if anyway else ""}
    )
