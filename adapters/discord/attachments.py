"""Files that people attach as material: text only, of a size that can be debated."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from core.errors import BadInput

SUFFIXES = (".diff", ".patch", ".md", ".markdown", ".txt")


def usable(files: Sequence[discord.Attachment]) -> list[discord.Attachment]:
    return [file for file in files if file.filename.lower().endswith(SUFFIXES)]


async def read(files: Sequence[discord.Attachment], limit: int) -> tuple[str, str]:
    """Name and text of the first usable file. Raises ``BadInput`` for files of another kind, too large or not text."""
    chosen = next(iter(usable(files)), None)
    if chosen is None:
        names = ", ".join(file.filename for file in files) or "nothing"
        raise BadInput(f"I can read {', '.join(SUFFIXES)} files; attached was {names}")
    if chosen.size > limit:
        raise BadInput(f"{chosen.filename} has {chosen.size:,} bytes; at most {limit:,} can be debated. Attach the part that matters")
    try:
        return chosen.filename, (await chosen.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{chosen.filename} is not UTF-8 text; save it as UTF-8 and attach it again") from None
