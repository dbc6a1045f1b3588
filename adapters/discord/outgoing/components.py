"""Posts as Discord's components, and the ids of buttons and forms, which carry all that is needed
to act on them after a restart.

An id is ``d1|FLAGS|ACTION|VALUE``; flags are ``f`` (asks for a text in a form), ``c`` (asks for
confirmation) and ``y`` (confirmed). No view is registered with the library: it would forget them
when the process ends. Presses and forms are read from the raw interaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import discord
from discord import ui

from adapters.discord.outgoing.files import file_name
from adapters.discord.outgoing.layout import DiscordMessage
from adapters.discord.outgoing.markup import label, units
from core.application.desk import Button
from core.application.presence import DeliveryError, DeliveryFailure
from core.languages import say
from core.words.views.course.invitations import MORE, prompt

_PREFIX = "d1"
MENU = f"{_PREFIX}||more|"
"""The id of the menu behind the buttons; its choices have the ids that buttons would have."""
ID_LIMIT, _LABEL_LIMIT, TITLE_LIMIT, FORM_TEXT = 100, 80, 45, 4000
MOST_CHOICES = 25  # of one select, one option, one list of suggestions
_LONG_FORMS = frozenset({"challenge", "say"})


@dataclass(frozen=True, slots=True)
class Press:
    """The meaning of a button or form: its action and value."""

    action: str
    value: str = ""
    form: bool = False
    confirms: bool = False
    confirmed: bool = False

    def custom_id(self) -> str:
        """Returns the id that holds the press. Raises ``DeliveryError`` (dead) if it is too long
        for Discord.
        """
        flags = "f" * self.form + "c" * self.confirms + "y" * self.confirmed
        text = f"{_PREFIX}|{flags}|{self.action}|{self.value}"
        if units(text) > ID_LIMIT:
            raise DeliveryError(
                DeliveryFailure.DEAD,
                f"button {self.action!r}: {units(text)} characters",
            )
        return text


def read_press(custom_id: str) -> Press | None:
    """Returns the press encoded in an id; None for ids of other versions and other bots."""
    fields = custom_id.split("|", 3)
    if len(fields) != 4 or fields[0] != _PREFIX or not fields[2]:
        return None
    return Press(fields[2], fields[3], "f" in fields[1], "c" in fields[1], "y" in fields[1])


def pressed_id(data: Mapping[str, Any]) -> str:
    """Returns the id of the button that was pressed, or chosen from the menu."""
    custom_id, chosen = str(data["custom_id"]), data.get("values") or ()
    return str(chosen[0]) if custom_id == MENU and chosen else custom_id


def view(part: DiscordMessage) -> ui.LayoutView:
    """Returns the part as one container.

    The view is stopped at once, so that the library keeps nothing of it.
    """
    container: ui.Container[ui.LayoutView] = ui.Container(
        accent_colour=part.accent, id=part.component
    )
    for text in part.texts:
        container.add_item(ui.TextDisplay(text))
    for row in rows(part.buttons):
        container.add_item(row)
    layout = ui.LayoutView(timeout=None)
    layout.add_item(container)
    for file in part.files:
        layout.add_item(ui.File(f"attachment://{file_name(file.name)}"))
    layout.stop()
    return layout


def rows(buttons: Sequence[Button]) -> list[ui.ActionRow[ui.LayoutView]]:
    """Returns the rows of five buttons, then a menu of the rest.

    Buttons that would send the same id twice are shown once: Discord refuses the whole message
    otherwise.
    """
    made: list[ui.Button[ui.LayoutView]] = []
    behind: list[discord.SelectOption] = []
    seen: set[str] = set()
    for button in buttons:
        custom = Press(button.action, button.value, button.form, bool(button.confirm)).custom_id()
        if custom in seen:
            continue
        seen.add(custom)
        if button.more:
            text = label(button.label, _LABEL_LIMIT)
            behind.append(discord.SelectOption(label=text, value=custom))
            continue
        style = discord.ButtonStyle.danger if button.danger else discord.ButtonStyle.secondary
        made.append(
            ui.Button(style=style, label=label(button.label, _LABEL_LIMIT), custom_id=custom)
        )
    action_rows = [ui.ActionRow(*made[at : at + 5]) for at in range(0, len(made), 5)]
    if behind:
        menu: ui.Select[ui.LayoutView] = ui.Select(
            custom_id=MENU, placeholder=say(MORE), options=behind[:MOST_CHOICES]
        )
        action_rows.append(ui.ActionRow(menu))
    return action_rows


def simple_view(buttons: Sequence[Button]) -> ui.View | None:
    """Returns the buttons of a plain answer, outside Components V2."""
    if not buttons:
        return None
    view_sent = ui.View(timeout=None)
    for row in rows(buttons)[:5]:
        for button in row.children:
            view_sent.add_item(button)
    view_sent.stop()
    return view_sent


def confirmation(press: Press, text: str) -> ui.View:
    """Returns one button that does what was asked for."""
    buttons = ui.View(timeout=None)
    sure = Press(press.action, press.value, confirmed=True)
    buttons.add_item(
        ui.Button(
            style=discord.ButtonStyle.danger,
            label=label(say("Yes: {action}", action=text), _LABEL_LIMIT),
            custom_id=sure.custom_id(),
        )
    )
    buttons.stop()
    return buttons


def form(press: Press, text: str) -> ui.Modal:
    """Returns a form with one text and the title ``text``, for a button that asks for it."""
    modal = ui.Modal(
        title=label(text, TITLE_LIMIT),
        timeout=None,
        custom_id=Press(press.action, press.value, form=True).custom_id(),
    )
    style = discord.TextStyle.paragraph if press.action in _LONG_FORMS else discord.TextStyle.short
    field: ui.TextInput[ui.Modal] = ui.TextInput(
        style=style, custom_id="text", required=True, max_length=FORM_TEXT
    )
    modal.add_item(ui.Label(text=prompt(press.action), component=field))
    modal.stop()
    return modal


def poll(part: DiscordMessage, hours: int = 24) -> discord.Poll:
    made = discord.Poll(question=part.question, duration=timedelta(hours=min(max(hours, 1), 768)))
    for text, character in part.answers:
        made.add_answer(text=text, emoji=character or None)
    return made
