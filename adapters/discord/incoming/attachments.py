"""Text that people bring from Discord itself: an attached file, of a message or of a command."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

import aiohttp
import discord

from adapters.discord import places
from adapters.discord.settings import DiscordSettings
from adapters.network.session import session
from adapters.text.files import SUFFIXES, decode, is_material, joined
from core.debate.errors import BadInput, CouldNotFinish
from core.languages import number, say


async def file_text(
    files: Sequence[discord.Attachment], settings: DiscordSettings
) -> tuple[str, str]:
    """Returns the name and text of the usable files, together. Raises ``BadInput`` for files of
    another kind, too large or not text, and ``CouldNotFinish`` if Discord does not hand one out.
    """
    chosen = [each for each in files if is_material(each.filename, each.content_type or "")]
    if not chosen:
        names = ", ".join(file.filename for file in files) or say("nothing")
        kinds = ", ".join(SUFFIXES)
        raise BadInput(
            say("I can read {kinds} files; attached was {names}", kinds=kinds, names=names)
        )
    limit = settings.material_bytes
    for file in chosen:
        if file.size > limit:
            raise _too_large(file.filename, number(file.size), limit)
    read_all = [(file.filename, await read(file, settings, limit)) for file in chosen]
    return joined(read_all, limit)


async def read(file: discord.Attachment, settings: DiscordSettings, limit: int) -> str:
    """Returns the whole of a file of at most ``limit`` bytes, whatever size Discord states.

    Raises ``BadInput`` for a file that is too large or not text, ``CouldNotFinish`` if it is not on
    Discord's own host.
    """
    data = bytearray()
    waits = aiohttp.ClientTimeout(total=settings.request_timeout)
    try:
        async with (
            session(settings.reach, timeout=waits) as web,
            web.get(file.url, allow_redirects=False) as answer,
        ):
            if answer.status != HTTPStatus.OK:
                raise _not_handed_out(file.filename)
            async for piece in answer.content.iter_chunked(1 << 16):
                data += piece
                if len(data) > limit:
                    break
    except (aiohttp.ClientError, OSError) as error:  # TimeoutError is one
        raise _not_handed_out(file.filename) from error
    if len(data) > limit:
        raise _too_large(file.filename, say("more than {limit}", limit=number(limit)), limit)
    return decode(file.filename, bytes(data))


def _not_handed_out(name: str) -> CouldNotFinish:
    return CouldNotFinish(say("Discord did not hand out {name}. Try again.", name=name))


def _too_large(name: str, size: str, limit: int) -> BadInput:
    return BadInput(
        say(
            "{name} has {size} bytes; at most {limit} can be debated. Attach the part that matters",
            name=name, size=size, limit=number(limit),
        )
    )  # fmt: skip


async def chosen_message(client: discord.Client, message: str) -> discord.Message:
    """Returns the message with a file on which a debate was asked for. Raises ``BadInput`` when it
    is gone.
    """
    channel, number, _ = places.parts(message)
    try:
        return await client.get_partial_messageable(channel).fetch_message(number)
    except (discord.NotFound, discord.Forbidden) as error:
        raise BadInput(
            say(
                "The message with the file is gone, or I cannot see it. Attach the file to "
                "/debate start."
            )
        ) from error
