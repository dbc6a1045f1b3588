"""Keeps the last interaction of each person in each place: Discord can show a private line with it
for some minutes.
"""

from __future__ import annotations

import discord
from cachetools import LRUCache

from adapters.discord.incoming.payloads import Interaction
from adapters.discord.outgoing import failures
from adapters.discord.outgoing.layout import answer_parts

_TOKEN_LIFE = 840.0  # seconds an interaction can be answered, with a minute to spare
_REMEMBERED = 500


class Interactions:
    def __init__(self) -> None:
        self._latest: LRUCache[tuple[str, str], Interaction] = LRUCache(_REMEMBERED)

    def remember(self, place: str, person: str, interaction: Interaction) -> None:
        self._latest[place, person] = interaction

    async def post_private(self, place: str, person: str, text: str) -> bool:
        """Shows a line with the person's last interaction in ``place``; False if Discord no longer
        accepts one.
        """
        interaction = self._latest.get((place, person))
        if interaction is None:
            return False
        age = discord.utils.utcnow() - interaction.created_at
        if age.total_seconds() > _TOKEN_LIFE:
            return False
        try:
            for part in answer_parts(text):
                await interaction.followup.send(part, ephemeral=True, suppress_embeds=True)
        except discord.HTTPException as error:
            if error.code not in failures.TOKEN_OVER:
                raise
            return False
        return True
