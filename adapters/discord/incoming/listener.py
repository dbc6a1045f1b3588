"""People's commands, presses and forms, translated for the desk and answered within Discord's three
seconds.

Each is acknowledged before anything else, so a slow database never shows "the application did not
respond"; the answer follows when it is there. Answers are private unless the desk says otherwise.
An error is one sentence with its next step, never a trace.
"""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import discord

from adapters.commands import Request, Start
from adapters.discord import places
from adapters.discord.incoming import attachments, forms, offers, payloads
from adapters.discord.incoming.messages import unwrapped
from adapters.discord.outgoing import components, failures
from adapters.discord.outgoing.components import Press
from adapters.discord.outgoing.layout import plain_parts
from adapters.discord.outgoing.markup import escaped
from adapters.discord.settings import DiscordSettings
from adapters.ports.chat import DeliveryError, File
from adapters.ports.desk import Answer, Caller, Desk
from adapters.text.markdown import literal
from core.errors import BadInput, DebateError

_log = logging.getLogger(__name__)
Interaction = discord.Interaction[discord.Client]

MOST_PARTS = 3  # a longer answer comes as a file
TOKEN_LIFE = 840.0  # seconds an interaction can be answered, with a minute to spare
REMEMBERED = 500
STALE = (
    "This button belongs to an earlier version of the bot and does nothing any more. "
    "`/debate status` shows what is running."
)


class Listener:
    """Takes interactions to the desk and brings its answers back."""

    def __init__(self, desk: Desk, settings: DiscordSettings) -> None:
        self.desk = desk
        self._settings = settings
        self._latest: OrderedDict[tuple[str, str], Interaction] = OrderedDict()

    # -- commands

    async def take(self, interaction: Interaction, make: Callable[[], Request]) -> None:
        """Anything but a start; ``make`` raises ``BadInput`` for what cannot be."""

        async def taken(caller: Caller) -> Answer:
            return await self.desk.take(make(), caller)

        if await self._deferred(interaction):
            await self._answer(interaction, taken)

    async def start(
        self,
        interaction: Interaction,
        make: Callable[[], Start],
        files: Sequence[discord.Attachment],
    ) -> None:
        """A start whose material may be attached; ``make`` raises ``BadInput`` for options that
        cannot be.
        """

        async def taken(caller: Caller) -> Answer:
            start = make()
            start = replace(start, target=unwrapped(start.target))
            if files:
                start = await attachments.joined(start, files, self._settings.material_bytes)
            return await self.desk.take(start, caller)

        if await self._deferred(interaction):
            await self._answer(interaction, taken)

    async def open_start_form(
        self,
        interaction: Interaction,
        make: Callable[[], Start],
    ) -> None:
        """A form for a long text; wrong options are told at once, before anybody writes a text for
        nothing.
        """
        try:
            form = forms.start_form(self.desk.templates(), make())
        except (DebateError, DeliveryError) as error:
            await interaction.response.send_message(
                escaped(str(error))[:2000], ephemeral=True, suppress_embeds=True
            )
            return
        await interaction.response.send_modal(form)

    async def open_message_form(
        self,
        interaction: Interaction,
        message: discord.Message,
    ) -> None:
        """ "Debate this" on a message: its text stands in the form, its attached files follow when
        the form is sent.
        """
        own = (
            places.message(message.channel.id, message.id)
            if attachments.usable(message.attachments)
            else ""
        )
        templates = self.desk.templates()
        template = templates[0].id if templates else ""
        start = Start(template, unwrapped(message.content))
        await interaction.response.send_modal(forms.start_form(templates, start, own))

    # -- presses and forms

    async def pressed(self, interaction: Interaction, custom_id: str) -> None:
        press = components.meaning(custom_id)
        if press is None:
            await interaction.response.send_message(STALE, ephemeral=True)
        elif press.form:
            await interaction.response.send_modal(
                components.form(press, _label(interaction, custom_id))
            )
        elif press.ask:
            label = _label(interaction, custom_id) or press.action.capitalize()
            view = components.confirmation(press, label)
            await interaction.response.send_message(
                f"{escaped(label)}: are you sure?", view=view, ephemeral=True, suppress_embeds=True
            )
        elif not await self._deferred(interaction):
            return
        elif press.action == offers.AGREE:
            await self._answer(interaction, lambda caller: self._agreed(interaction, press, caller))
        else:
            await self._answer(
                interaction, lambda caller: self.desk.press(press.action, press.value, caller)
            )

    async def _agreed(self, interaction: Interaction, press: Press, caller: Caller) -> Answer:
        """Starts what the answer with the pressed button waits for, as the command that asked for
        it.
        """
        message = interaction.message
        wish = await offers.wished(message.attachments if message is not None else ())
        return await self.desk.take(wish, replace(caller, source=payloads.source(int(press.value))))

    async def submitted(self, interaction: Interaction, custom_id: str) -> None:
        press, fields = components.meaning(custom_id), forms.fields_of(interaction.data or {})
        if press is None:
            await interaction.response.send_message(STALE, ephemeral=True)
        elif not await self._deferred(interaction):
            return
        elif press.action == forms.START:
            await self._answer(
                interaction,
                lambda caller: self._start_from_form(interaction, press, fields, caller),
            )
        else:
            await self._answer(
                interaction,
                lambda caller: self.desk.press(
                    press.action, press.value, caller, fields.get("text", "").strip()
                ),
            )

    async def _start_from_form(
        self, interaction: Interaction, press: Press, fields: dict[str, str], caller: Caller
    ) -> Answer:
        start, message = forms.start_of(press, fields)
        start = replace(start, target=unwrapped(start.target))
        if message:
            channel, number, _ = places.parts(message)
            try:
                found = await interaction.client.get_partial_messageable(channel).fetch_message(
                    number
                )
            except (discord.NotFound, discord.Forbidden) as error:
                raise BadInput(
                    "The message with the file is gone, or I cannot see it. Attach the file to "
                    "/debate start."
                ) from error
            name, text = await attachments.read(found.attachments, self._settings.material_bytes)
            start = replace(start, target=start.target or name, text=text)
        return await self.desk.take(start, caller)

    # -- answering

    async def whisper(self, place: str, person: str, text: str) -> bool:
        """Shows a line beside the person's last interaction in ``place``; False when there is none
        that Discord still honours.
        """
        interaction = self._latest.get((place, person))
        if (
            interaction is None
            or (discord.utils.utcnow() - interaction.created_at).total_seconds() > TOKEN_LIFE
        ):
            return False
        try:
            for part in plain_parts(text):
                await interaction.followup.send(part, ephemeral=True, suppress_embeds=True)
        except discord.HTTPException as error:
            if error.code not in failures.TOKEN_OVER:
                raise
            return False
        return True

    async def _deferred(self, interaction: Interaction) -> bool:
        """Acknowledges; False when Discord has given the interaction up already, or another replica
        of the bot has it.
        """
        try:
            await interaction.response.defer(ephemeral=True, thinking=True)
        except discord.HTTPException as error:
            if error.code not in (failures.UNKNOWN_INTERACTION, failures.ACKNOWLEDGED):
                raise
            _log.info(
                "an interaction is not ours to answer: %s",
                error.text,
                extra={"action": "discord_not_ours"},
            )
            return False
        caller = payloads.of(interaction, self._settings)
        self._latest[caller.place, caller.person] = interaction
        self._latest.move_to_end((caller.place, caller.person))
        while len(self._latest) > REMEMBERED:
            self._latest.popitem(last=False)
        return True

    async def _answer(
        self, interaction: Interaction, ask: Callable[[Caller], Awaitable[Answer]]
    ) -> None:
        """Shows what the desk says, or what went wrong."""
        try:
            answer = await ask(payloads.of(interaction, self._settings))
        except Exception as error:  # noqa: BLE001 - a person waits: whatever it was, they are told, and the log has the rest
            answer = excused(error)
        await show(interaction, offers.offered(answer, interaction.id))


def excused(error: Exception) -> Answer:
    """What a person reads of a failure: ours in its own words, any other as a number that stands in
    the log with all the rest.
    """
    if isinstance(error, DebateError | DeliveryError):
        return Answer(literal(str(error)), ok=False)
    number = uuid.uuid4().hex[:8]
    _log.error(
        "a wish failed", extra={"action": "discord_failed", "error_id": number}, exc_info=error
    )
    said = (
        "Something went wrong here, and it is not your doing. Try again; if it stays, give an "
        "administrator the number"
    )
    return Answer(f"{said} {number}.", ok=False)


def paged(answer: Answer) -> tuple[list[str], list[File]]:
    """An answer as plain messages, and the files for the last of them; a long answer is a file
    itself.
    """
    parts, files = plain_parts(answer.text), list(answer.files)
    if len(parts) > MOST_PARTS:
        parts, files = (
            [*parts[:1], "(all of it is in the file)"],
            [*files, File("answer.md", answer.text)],
        )
    return parts, files


async def show(interaction: Interaction, answer: Answer) -> None:
    """An answer as the reply to a deferred interaction: buttons and files on its last message."""
    parts, files = paged(answer)
    if not answer.private:
        await interaction.edit_original_response(content="Answered below, for everybody.")
    for part in parts[:-1]:
        await interaction.followup.send(part, ephemeral=answer.private, suppress_embeds=True)
    attached = components.uploads(files)
    view = components.simple_view(answer.buttons)
    if view is None:
        await interaction.followup.send(
            parts[-1], ephemeral=answer.private, suppress_embeds=True, files=attached
        )
    else:
        await interaction.followup.send(
            parts[-1], ephemeral=answer.private, suppress_embeds=True, files=attached, view=view
        )


def _label(interaction: Interaction, custom_id: str) -> str:
    """What the pressed button says."""
    message = interaction.message
    found = (
        each
        for each in _buttons(message.components if message else ())
        if each.custom_id == custom_id
    )
    return next((each.label or "" for each in found), "")


def _buttons(items: Sequence[object]) -> Sequence[discord.Button]:
    inside = [button for item in items for button in _buttons(getattr(item, "children", ()))]
    return [*(item for item in items if isinstance(item, discord.Button)), *inside]
