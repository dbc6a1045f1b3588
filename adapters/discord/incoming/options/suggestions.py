"""Suggestions while people type: debates, schedules, models, time zones. A source that is late or
fails suggests nothing and raises nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import cache
from typing import Any
from zoneinfo import available_timezones

import discord
from discord.app_commands import Choice

from adapters.discord import places, scopes
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.payloads import Interaction, caller_of
from adapters.discord.outgoing.components import MOST_CHOICES
from adapters.discord.outgoing.markup import label, units
from core.application.commands.row import commands
from core.application.desk import Glance
from core.debate.errors import DebateError
from core.debate.verdict.votes import FINDING_BALLOT
from core.languages import say, speaking
from core.words.views.language.grammar import option_words

_PATIENCE = 2.0  # of the 3 seconds that Discord gives
_log = logging.getLogger(__name__)
Suggester = Callable[[Interaction, str], Coroutine[Any, Any, list[Choice[str]]]]


class Suggestions:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._templates = listener.desk.templates()

    def by_name(self, parameters: Iterable[str]) -> dict[str, Suggester]:
        """Returns the suggestions by parameter of a command."""
        known: dict[str, Suggester] = {
            "template": self.template,
            "name": self.template,
            "models": self.models,
            "debate": self.debate,
            "first": self.debate,
            "second": self.debate,
            "schedule": self.schedule,
            "option": self.option,
            "place": self.place,
            "topic": self.topic,
            "tz": self.zone,
        }
        return {name: known[name] for name in parameters if name in known}

    async def template(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        with speaking(await self._listener.language(interaction)):
            offers = [(each.id, f"{each.id}: {say(each.description)}") for each in self._templates]
        return _matching(offers, current)

    async def models(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        """Completes the last of the models that are typed with commas between."""
        lead, comma, last = current.rpartition(",")
        chosen = {each.strip() for each in lead.split(",")}
        offers = [
            f"{lead}{comma}{each}"
            for each in self._listener.settings.models
            if each not in chosen and last.strip().lower() in each.lower()
        ]
        fitting = [each for each in offers if units(each) <= 100][:MOST_CHOICES]
        return [Choice(name=label(each, 100), value=each) for each in fitting]

    async def debate(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        running, recent, _ = await self._glances(interaction)
        return _matching(
            ((each.id, f"{each.id} {each.status}: {each.title}") for each in (*running, *recent)),
            current,
        )

    async def schedule(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        *_, schedules = await self._glances(interaction)
        return _matching(
            ((each.id, f"{each.id} {each.title} {each.detail}") for each in schedules), current
        )

    async def option(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        """Returns the options of the named debate's ballot, else of the debates that run in this
        channel; for a finding, the votes that it can get.
        """
        running, recent, _ = await self._glances(interaction)
        debate = interaction.namespace.debate
        if debate:
            meant = [each for each in (*running, *recent) if each.id == debate]
        else:
            parent = caller_of(interaction, self._listener.settings).place
            meant = [each for each in running if each.place == parent]
        ballots = {each.id: each.ballot for each in self._templates}
        offers = [each for glance in meant for each in ballots.get(glance.template, ())]
        if interaction.namespace.finding:
            offers = [each.option for each in FINDING_BALLOT]
        with speaking(await self._listener.language(interaction)):
            named = [(each, option_words(each)) for each in offers]
        return _matching(named, current.replace("_", " "))

    async def place(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        """Channels of this server in which the person may write themself."""
        guild, person = interaction.guild, interaction.user
        if guild is None or not isinstance(person, discord.Member):
            return []
        open_to = (
            each
            for each in guild.text_channels
            if each.permissions_for(person).is_superset(scopes.WRITING)
        )
        return _matching(
            ((str(places.place(guild.id, each.id)), f"#{each.name}") for each in open_to),
            current.lstrip("#"),
        )

    async def topic(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return _matching(((name, name) for name in commands()), current)

    async def zone(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return _matching(((name, name) for name in _zones()), current.replace(" ", "_"))

    async def _glances(
        self, interaction: Interaction
    ) -> tuple[Sequence[Glance], Sequence[Glance], Sequence[Glance]]:
        try:
            async with asyncio.timeout(_PATIENCE):
                caller = caller_of(interaction, self._listener.settings)
                home = await self._listener.desk.home(caller)
        except (TimeoutError, DebateError) as error:
            _log.warning(
                "no suggestions: %s",
                type(error).__name__,
                extra={"action": "discord_suggest_failed"},
            )
            return (), (), ()
        return home.running, home.recent, home.schedules


@cache
def _zones() -> tuple[str, ...]:
    return tuple(sorted(available_timezones()))


def _matching(offers: Iterable[tuple[str, str]], current: str) -> list[Choice[str]]:
    """Returns the suggestions that contain the typed text, each value once."""
    wanted = current.strip().lower()
    matches = {
        value: name for value, name in offers if wanted in name.lower() and units(value) <= 100
    }
    fitting = list(matches.items())[:MOST_CHOICES]
    return [Choice(name=label(name, 100) or "…", value=value) for value, name in fitting]
