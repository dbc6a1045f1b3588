"""Builds the form that starts a debate in Discord, and reads a filled-in one.

A form has five fields; everything else travels in its id, so that a form filled in after a restart
still means the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import discord
from discord import ui

from adapters.discord.outgoing.components import FORM_TEXT, MOST_CHOICES, TITLE_LIMIT, Press
from adapters.discord.outgoing.markup import label
from core.application.commands import Start
from core.application.commands.kinds import WordKind
from core.application.commands.options import CommandOption, OptionSurface, enter, options_of
from core.application.desk import TemplateChoice
from core.languages import say

START = "start"
_FIELDS = [each for each in options_of(Start) if OptionSurface.FORM in each.surfaces]
_LETTERS = {each.letter: each for each in options_of(Start) if each.letter}


def start_form(templates: Sequence[TemplateChoice], start: Start, message: str = "") -> ui.Modal:
    """Builds the form; ``start`` fills its fields in advance, and ``message`` (``CHANNEL/MESSAGE``)
    is the message whose attachments are the material.
    """
    press = Press(START, f"{message};{_kept(start)}", form=True)
    modal = ui.Modal(
        title=label(say("Start a debate"), TITLE_LIMIT), timeout=None, custom_id=press.custom_id()
    )
    modal.add_item(ui.Label(text=say("Template"), component=_template_select(templates, start)))
    target: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id="target",
        style=discord.TextStyle.paragraph,
        default=start.target[:FORM_TEXT] or None,
        max_length=FORM_TEXT,
        required=not message,
    )
    about = say("A link to a pull request, or the text itself")
    modal.add_item(ui.Label(text=say("What is debated"), description=about, component=target))
    for option in _FIELDS:
        field: ui.TextInput[ui.Modal] = ui.TextInput(
            custom_id=option.field,
            default=option.write(getattr(start, option.field))[:300] or None,
            required=False,
            max_length=300,
        )
        modal.add_item(
            ui.Label(text=label(option.title, 45), description=option.hint, component=field)
        )
    modal.stop()
    return modal


def _template_select(templates: Sequence[TemplateChoice], start: Start) -> ui.Select[ui.Modal]:
    """Builds the choice of a template; the chosen one is among the 25 that Discord allows in any
    case.
    """
    first = sorted(templates, key=lambda each: each.id != start.template)
    offered = [
        discord.SelectOption(
            label=label(say(each.name), 100) or each.id,
            value=each.id,
            description=label(say(each.description), 100) or None,
            default=each.id == start.template,
        )
        for each in first[:MOST_CHOICES]
    ]
    return ui.Select(custom_id="template", options=offered, min_values=1, max_values=1)


def read_start(press: Press, fields: Mapping[str, str]) -> tuple[Start, str]:
    """Returns the start that a filled-in form asks for, and the message whose attachments belong to
    it.

    Raises ``BadInput`` for entries that cannot be.
    """
    message, _, kept = press.value.partition(";")
    start = Start(fields.get("template", ""), fields.get("target", "").strip())
    entered = {each.field: fields.get(each.field, "").strip() for each in _FIELDS}
    return replace(enter(start, entered), **_read(kept)), message


def read_fields(data: Mapping[str, Any]) -> dict[str, str]:
    """Returns the values of a submitted form by their ids, whatever they are wrapped in."""
    return dict(_fields(data.get("components", ())))


def _fields(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for component in components:
        if "component" in component:
            yield from _fields([component["component"]])
        elif "components" in component:
            yield from _fields(component["components"])
        elif "values" in component:
            yield component["custom_id"], ",".join(component["values"])
        elif "value" in component:
            yield component["custom_id"], component["value"] or ""


def _kept(start: Start) -> str:
    """Returns the options without a field in their shortest form, because Discord keeps 100
    characters.
    """
    kept = []
    for letter, option in _LETTERS.items():
        text = option.write(getattr(start, option.field))
        if isinstance(option.kind, WordKind) and text:
            text = str(option.kind.values.index(text))
        if text:
            kept.append(f"{letter}{text}" if option.takes_value else letter)
    return ",".join(kept)


def _read(kept: str) -> dict[str, Any]:
    """Returns the options that ``_kept`` wrote, as values by their fields' names."""
    given = ((each[:1], each[1:]) for each in kept.split(","))
    known = ((_LETTERS[letter], text) for letter, text in given if letter in _LETTERS)
    return {option.field: option.read([_word(option, text)]) for option, text in known}


def _word(option: CommandOption, text: str) -> str:
    """Returns the word for a number in the id; older forms hold the word itself."""
    if (
        isinstance(option.kind, WordKind)
        and text.isdecimal()
        and int(text) < len(option.kind.values)
    ):
        return option.kind.values[int(text)]
    return text
