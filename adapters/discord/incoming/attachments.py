"""Text that people bring from Discord itself: an attached file, of a message or of a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import discord

from adapters.commands import Start
from adapters.discord import places
from adapters.text.files import LINK_AND_FILE, SUFFIXES, decode, is_material
from core.errors import BadInput, CouldNotFinish


async def with_file(start: Start, files: Sequence[discord.Attachment], limit: int) -> Start:
    """``start`` with the first usable file as its material.

    Raises as ``file_text`` does, and ``BadInput`` where a link was given as well.
    """
    if start.target.startswith(("https://", "http://")):
        raise BadInput(LINK_AND_FILE)
    name, text = await file_text(files, limit)
    return replace(start, target=start.target or name, text=text)


async def file_text(files: Sequence[discord.Attachment], limit: int) -> tuple[str, str]:
    """Name and text of the first usable file. Raises ``BadInput`` for files of another kind, too
    large or not text, and ``CouldNotFinish`` where Discord does not hand it out.
    """
    chosen = next((each for each in files if is_material(each.filename)), None)
    if chosen is None:
        names = ", ".join(file.filename for file in files) or "nothing"
        raise BadInput(f"I can read {', '.join(SUFFIXES)} files; attached was {names}")
    if chosen.size > limit:
        raise BadInput(
            f"{chosen.filename} has {chosen.size:,} bytes; at most {limit:,} can be debated. "
            "Attach the part that matters"
        )
    return chosen.filename, await read(chosen)


async def read(file: discord.Attachment) -> str:
    """The whole of a file.

    Raises ``BadInput`` for one that is no text, ``CouldNotFinish`` where Discord does not hand it
    out.
    """
    try:
        return decode(file.filename, await file.read())
    except discord.HTTPException as error:
        raise CouldNotFinish(f"Discord did not hand out {file.filename}. Try again.") from error


async def chosen_message(client: discord.Client, message: str) -> discord.Message:
    """The message with a file on which a debate was asked for. Raises ``BadInput`` when it is
    gone.
    """
    channel, number, _ = places.parts(message)
    try:
        return await client.get_partial_messageable(channel).fetch_message(number)
    except (discord.NotFound, discord.Forbidden) as error:
        raise BadInput(
            "The message with the file is gone, or I cannot see it. Attach the file to "
            "/debate start."
        ) from error
