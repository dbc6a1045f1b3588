"""The form that starts a debate: for long texts, and for "Debate this" on a message.

What a form cannot show (it has five fields) travels in its id, so that a form filled in after a
restart still means the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from adapters.commands import Start, options
from adapters.discord.outgoing.components import FORM_TEXT, TITLE_LIMIT, Press
from adapters.ports.desk import TemplateChoice
from core.errors import BadInput

START = "start"
MOST_CHOICES = 25
_KEYS = {
    "c": "consensus", "t": "threshold", "f": "format", "w": "vote_window", "q": "quiet",
    "s": "search", "y": "yes",
    "p": "form", "i": "importance", "a": "debate-anyway",
}  # fmt: skip
_EXTRAS = ("form", "importance", "debate-anyway")


def start_form(templates: Sequence[TemplateChoice], start: Start, message: str = "") -> ui.Modal:
    """``start`` fills the fields in advance; ``message`` is the message (``CHANNEL/MESSAGE``) whose
    attachments are the material.
    """
    press = Press(START, f"{message};{_kept(start)}", form=True)
    modal = ui.Modal(
        title="Start a debate"[:TITLE_LIMIT], timeout=None, custom_id=press.custom_id()
    )
    first = sorted(
        templates, key=lambda each: each.id != start.template
    )  # the chosen one is among the 25 in any case
    offered = [
        discord.SelectOption(
            label=each.name[:100],
            value=each.id,
            description=each.description[:100] or None,
            default=each.id == start.template,
        )
        for each in first[:MOST_CHOICES]
    ]
    modal.add_item(
        ui.Label(
            text="Template",
            component=ui.Select(custom_id="template", options=offered, min_values=1, max_values=1),
        )
    )
    said = "A link to a pull request, or the text itself"
    style = discord.TextStyle.paragraph
    required = not message
    modal.add_item(
        ui.Label(
            text="What is debated",
            description=said,
            component=ui.TextInput(
                custom_id="target",
                style=style,
                default=start.target[:FORM_TEXT] or None,
                max_length=FORM_TEXT,
                required=required,
            ),
        )
    )
    for name, label, value in (
        ("rounds", "Rounds", str(start.rounds or "")),
        ("models", "Models, with commas between", ",".join(start.models)),
        ("budget", "Budget in dollars", "" if start.budget is None else f"{start.budget:g}"),
    ):
        field: ui.TextInput[ui.Modal] = ui.TextInput(
            custom_id=name, default=value[:300] or None, required=False, max_length=300
        )
        modal.add_item(ui.Label(text=label, component=field))
    modal.stop()
    return modal


def start_of(press: Press, fields: Mapping[str, str]) -> tuple[Start, str]:
    """What a filled-in form asks for, and the message whose attachments belong to it.

    Raises ``BadInput`` for what cannot be.
    """
    message, _, kept = press.value.partition(";")
    more = dict(_read(kept))
    start = Start(
        template=fields.get("template", ""),
        target=fields.get("target", "").strip(),
        rounds=_number(fields.get("rounds", ""), "rounds", int),
        models=models(fields.get("models", "")),
        budget=_number(fields.get("budget", "").removeprefix("$"), "budget", float),
        consensus=more.get("consensus", ""),
        threshold=float(more["threshold"]) if "threshold" in more else None,
        format=more.get("format", ""),
        vote_window=float(more["vote_window"]) if "vote_window" in more else None,
        quiet="quiet" in more,
        search="search" in more,
        yes="yes" in more,
        extras=tuple((name, more[name] or "yes") for name in _EXTRAS if name in more),
    )
    return start, message


def fields_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The values of a submitted form by their ids, whatever they are wrapped in."""
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


def models(text: str) -> tuple[str, ...]:
    return tuple(name for each in text.split(",") if (name := each.strip()))


def seconds(text: str) -> float | None:
    """A length of time as the grammar knows it; empty is None.

    Raises ``BadInput`` for anything else.
    """
    if not text.strip():
        return None
    value = options.seconds(text)
    if value is None:
        raise BadInput(f"{text!r} is no length of time: write it like 90s, 10m or 2h")
    return value


def _number(text: str, name: str, kind: type[int] | type[float]) -> Any:
    text = text.strip()
    if not text:
        return None
    try:
        value = kind(text)
    except ValueError:
        raise BadInput(f"{name} is a number, not {text!r}") from None
    if not 0 < value <= 1e6:
        raise BadInput(f"{name} is a number above zero, not {text!r}")
    return value


def _kept(start: Start) -> str:
    """The options without a field in their shortest form: Discord keeps 100 characters."""
    extras = dict(start.extras)
    given = {
        "c": start.consensus,
        "t": "" if start.threshold is None else f"{start.threshold:g}",
        "f": start.format,
        "w": "" if start.vote_window is None else f"{start.vote_window:g}",
        "p": extras.get("form", ""),
        "i": extras.get("importance", ""),
    }
    flags = {"q": start.quiet, "s": start.search, "y": start.yes, "a": "debate-anyway" in extras}
    return ",".join(
        [
            *(f"{key}{value}" for key, value in given.items() if value),
            *(key for key, set_ in flags.items() if set_),
        ]
    )


def _read(kept: str) -> Iterator[tuple[str, str]]:
    for each in kept.split(","):
        if each[:1] in _KEYS:
            yield _KEYS[each[0]], each[1:]
