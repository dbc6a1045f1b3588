"""Shows an answer of the desk to the asker: as a response to the interaction, or as a reply."""

from __future__ import annotations

import discord
from cachetools import LRUCache

from adapters.discord.incoming.payloads import Interaction
from adapters.discord.outgoing import components, failures
from adapters.discord.outgoing.files import uploads
from adapters.discord.outgoing.layout import answer_parts
from core.application.desk import ChatFile, DeskAnswer
from core.application.offers import shown_text, without_button
from core.languages import say

_MOST_PARTS = 3  # a longer answer comes as a file
_TOKEN_LIFE = 840.0  # seconds an interaction can be answered, with a minute to spare
_REMEMBERED = 500


async def show(interaction: Interaction, answer: DeskAnswer) -> None:
    """Shows an answer as the reply to a deferred interaction, with buttons and files on its last
    message.
    """
    parts, files = _pages(answer)
    if not answer.private:
        await interaction.edit_original_response(content=say("Answered below, for everybody."))
    for part in parts[:-1]:
        await interaction.followup.send(part, ephemeral=answer.private, suppress_embeds=True)
    await interaction.followup.send(
        parts[-1],
        ephemeral=answer.private,
        suppress_embeds=True,
        files=uploads(files),
        view=components.simple_view(answer.buttons) or discord.utils.MISSING,
    )


async def reply(message: discord.Message, answer: DeskAnswer) -> None:
    """Replies to a message. A private answer goes to the person's direct messages; a person who
    takes none sees a warning sign on their message.
    """
    parts, files = _pages(without_button(answer))
    private = answer.private and message.guild is not None
    try:
        for n, part in enumerate(parts, start=1):
            attached = uploads(files if n == len(parts) else ())
            if private:
                await message.author.send(part, suppress_embeds=True, files=attached)
            else:
                await message.reply(
                    part, suppress_embeds=True, mention_author=False, silent=True, files=attached
                )
    except discord.Forbidden:
        await message.add_reaction("⚠️")


def _pages(answer: DeskAnswer) -> tuple[list[str], list[ChatFile]]:
    """Returns an answer as plain messages, with the files of the last one; a long answer becomes a
    file itself.
    """
    parts, files = answer_parts(shown_text(answer)), list(answer.files)
    if len(parts) <= _MOST_PARTS:
        return parts, files
    return [parts[0], say("(all of it is in the file)")], [
        *files,
        ChatFile("answer.md", answer.text),
    ]


class Interactions:
    """Keeps the last interaction of each person in each place: Discord can show a private line with
    it for some minutes.
    """

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
