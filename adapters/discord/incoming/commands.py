"""``/debate`` with Discord's real options: every subcommand makes a ``Request`` and takes it to the
desk. What describes the options is all the help that Discord shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from discord import app_commands

from adapters.discord.incoming import attachments
from adapters.discord.incoming.forms import Forms
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.options import Run, command
from adapters.discord.incoming.options.localized import localized
from adapters.discord.incoming.options.requests import (
    SCHEDULE_COMMANDS,
    START_WORDS,
    Make,
    make_start,
)
from adapters.discord.incoming.options.suggestions import Suggestions
from adapters.discord.incoming.payloads import Interaction
from adapters.discord.incoming.whole import thread_text
from adapters.discord.incoming.words import words
from core.application.commands import Start
from core.application.commands.named import is_thread_itself
from core.application.commands.options import options_of
from core.application.commands.row import commands, words_of
from core.application.desk import Caller, DeskAnswer
from core.languages import msgid, say

_Subcommand = app_commands.Command[Any, ..., None]


class Commands:
    def __init__(self, listener: Listener, forms: Forms) -> None:
        self._listener = listener
        self._forms = forms
        self._suggest = Suggestions(listener)

    def tree(self, client: discord.Client) -> app_commands.CommandTree[Any]:
        """Returns all commands on ``client``, ready to be registered."""
        tree = app_commands.CommandTree(
            client,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=False
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        about = localized(lambda: say("Several models argue, people vote, a verdict comes out"))
        debate = app_commands.Group(name="debate", description=about)
        recurring = localized(lambda: say("Debates that come round"))
        schedule = app_commands.Group(name="schedule", description=recurring, parent=debate)
        for each in self._debate_commands():
            debate.add_command(each)
        scheduled = [each for each in commands()["schedule"].options if each.scheduled]
        for name, (description, taken, make) in SCHEDULE_COMMANDS.items():
            run, options = self._runner(make), scheduled if name == "add" else ()
            schedule.add_command(
                command(name, description, run, self._suggest, words=taken, options=options)
            )
        tree.add_command(debate)
        menu = app_commands.ContextMenu(name="Debate this", callback=self._forms.on_message)
        tree.add_command(menu)
        return tree

    def _debate_commands(self) -> Iterator[_Subcommand]:
        description, options = msgid("Start a debate here"), options_of(Start)
        yield command(
            "start", description, self._start, self._suggest, words=START_WORDS, options=options
        )
        for name, row in commands().items():
            if not row.subcommand or name == "schedule":
                continue
            request = row.requests[0]
            run = self._runner(partial(request.chosen, name))
            taken, options = words_of(request), options_of(request)
            yield command(name, row.does, run, self._suggest, words=taken, options=options)

    def _runner(self, make: Make) -> Run:
        async def run(interaction: Interaction, entered: dict[str, Any]) -> None:
            async def ask(caller: Caller) -> DeskAnswer:
                return await self._listener.desk.take(make(entered), caller)

            await self._listener.answer(interaction, ask)

        return run

    async def _start(self, interaction: Interaction, entered: dict[str, Any]) -> None:
        """Starts a debate on a target or an attached file; without either, a form asks for a long
        text.
        """
        material: discord.Attachment | None = entered["material"]
        make = partial(make_start, entered)
        if not entered["target"] and material is None:
            await self._forms.new(interaction, make)
            return
        files = [material] if material is not None else []
        await self._listener.answer(
            interaction, partial(self._take_start, make, files, interaction)
        )

    async def _take_start(
        self,
        make: Callable[[], Start],
        files: Sequence[discord.Attachment],
        interaction: Interaction,
        caller: Caller,
    ) -> DeskAnswer:
        start = make()
        start = replace(start, target=words(start.target, interaction.guild))
        thread = interaction.channel
        if isinstance(thread, discord.Thread) and is_thread_itself(start.target) and not files:
            text = await thread_text(thread, interaction.client, without=0)
            start = replace(start, target="this thread", text=text)
        elif files:
            start = start.on_file(*await attachments.file_text(files, self._listener.settings))
        return await self._listener.desk.take(start, caller)
