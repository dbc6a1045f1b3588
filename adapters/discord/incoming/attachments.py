"""Files that people attach as material: text only, of a size that can be debated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import discord

from adapters.commands import Start
from core.errors import BadInput, CouldNotFinish

SUFFIXES = (".diff", ".patch", ".md", ".markdown", ".txt")


def usable(files: Sequence[discord.Attachment]) -> list[discord.Attachment]:
    return [file for file in files if file.filename.lower().endswith(SUFFIXES)]


async def joined(start: Start, files: Sequence[discord.Attachment], limit: int) -> Start:
    """``start`` with the first usable file as its material.

    Raises as ``read`` does, and ``BadInput`` where a link was given as well.
    """
    if start.target.startswith(("https://", "http://")):
        raise BadInput("A link and a file: give me one of them.")
    name, text = await read(files, limit)
    return replace(start, target=start.target or name, text=text)


async def read(files: Sequence[discord.Attachment], limit: int) -> tuple[str, str]:
    """Name and text of the first usable file. Raises ``BadInput`` for files of another kind, too
    large or not text, and ``CouldNotFinish`` where Discord does not hand it out.
    """
    chosen = next(iter(usable(files)), None)
    if chosen is None:
        names = ", ".join(file.filename for file in files) or "nothing"
        raise BadInput(f"I can read {', '.join(SUFFIXES)} files; attached was {names}")
    if chosen.size > limit:
        raise BadInput(
            f"{chosen.filename} has {chosen.size:,} bytes; at most {limit:,} can be debated. "
            "Attach the part that matters"
        )
    return chosen.filename, await text_of(chosen)


async def text_of(file: discord.Attachment) -> str:
    """The whole of a file.

    Raises ``BadInput`` for one that is no text, ``CouldNotFinish`` where Discord does not hand it
    out.
    """
    try:
        return (await file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(
            f"{file.filename} is not UTF-8 text; save it as UTF-8 and attach it again"
        ) from None
    except discord.HTTPException as error:
        raise CouldNotFinish(f"Discord did not hand out {file.filename}. Try again.") from error
