"""Packs files for Discord, which limits their number, size and names."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

import discord

from core.application.desk import ChatFile

FILE_BYTES = 8_000_000  # below what Discord takes of a bot in any guild
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def batches(files: Sequence[ChatFile]) -> Iterator[tuple[ChatFile, ...]]:
    """Yields the files in batches, one a message, of at most ten files and ``FILE_BYTES``; a longer
    file goes in numbered pieces.
    """
    held: list[ChatFile] = []
    size = 0
    for piece in (piece for file in files for piece in _slices(file)):
        length = len(piece.text.encode())
        if held and (len(held) == 10 or size + length > FILE_BYTES):
            yield tuple(held)
            held, size = [], 0
        held.append(piece)
        size += length
    if held:
        yield tuple(held)


def _slices(file: ChatFile) -> Iterator[ChatFile]:
    if len(file.text.encode()) <= FILE_BYTES:
        yield file
        return
    stem, dot, suffix = file.name.rpartition(".")
    step = FILE_BYTES // 4  # characters are at most four bytes
    for n, at in enumerate(range(0, len(file.text), step), start=1):
        name = f"{stem}-{n}.{suffix}" if dot else f"{file.name}-{n}"
        yield ChatFile(name, file.text[at : at + step])


def uploads(files: Sequence[ChatFile]) -> list[discord.File]:
    """Fresh file objects: the library reads each only once."""
    return [
        discord.File(io.BytesIO(file.text.encode()), filename=file_name(file.name))
        for file in files
    ]


def file_name(name: str) -> str:
    """Returns a name that Discord neither changes nor hides: letters, digits, dot, dash and
    underscore.
    """
    return _UNSAFE_NAME.sub("-", name).strip(".-")[-100:] or "file.txt"
