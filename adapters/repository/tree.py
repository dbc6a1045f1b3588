"""The source files of one commit as texts, out of an archive, without unpacking it anywhere.

Nothing is written to a disk, no link is followed, nothing is executed: a name is a key and no path
of this machine. What is too large, too much or no source is left out and counted.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from adapters.repository.languages import language_of
from core.errors import BadInput

LARGEST_FILE = 300_000  # bytes
LARGEST_TREE = 20_000_000  # bytes of all files that are kept
MOST_FILES = 20_000
LARGEST_UNPACKED = 600_000_000  # bytes of the whole archive, unpacked
_NOT_OURS = frozenset({"vendor", "third_party", "node_modules", "dist", "bower_components", ".git"})


@dataclass(frozen=True, slots=True)
class Tree:
    """``files`` are texts by path. ``left_out`` counts source files that were not kept."""

    files: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0


def wanted(path: str, size: int) -> bool:
    """Says whether a file is source of the project itself, in a language that is parsed here."""
    name = PurePosixPath(path)
    own = not _NOT_OURS.intersection(name.parts) and not name.stem.endswith((".min", "_pb2"))
    return own and size > 0 and language_of(path) is not None


def tree_of(files: Iterable[tuple[str, bytes]]) -> Tree:
    """Returns the files up to the limits, in the order in which they come."""
    kept: dict[str, str] = {}
    room = LARGEST_TREE
    left = 0
    for path, data in files:
        if len(kept) >= MOST_FILES or len(data) > min(room, LARGEST_FILE) or b"\0" in data:
            left += 1
            continue
        room -= len(data)
        kept[path] = data.decode("utf-8", "backslashreplace")
    return Tree(kept, left)


def tree_of_archive(archive: bytes) -> Tree:
    """Returns the tree in a ``.tar.gz`` with one folder around everything, as forges make it.

    ``BadInput`` for what is no such archive, or unpacks to more than ``LARGEST_UNPACKED``.
    """
    try:
        with tarfile.open(fileobj=_Bounded(archive), mode="r|", errorlevel=0) as packed:
            return tree_of(_members(packed))
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        raise BadInput("The repository's archive can't be unpacked.") from error


def _members(packed: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in packed:
        path = inside(member.name)
        if not member.isreg() or not wanted(path, member.size):
            continue
        if member.size > LARGEST_FILE:
            yield path, b"\0"  # counted as left out, and never read
            continue
        content = packed.extractfile(member)
        if content is not None:
            yield path, content.read()


def inside(name: str) -> str:
    """Returns a member's path below the archive's own folder; empty for one that points
    elsewhere.
    """
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or {"", ".", ".."} & set(parts[:-1]):
        return ""
    return "/".join(parts[1:])


class _Bounded(io.RawIOBase):
    """The unpacked bytes of a gzip file, as far as the limit."""

    def __init__(self, archive: bytes) -> None:
        self._stream = gzip.GzipFile(fileobj=io.BytesIO(archive))
        self._left = LARGEST_UNPACKED

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        part = self._stream.read(size if size >= 0 else 1 << 16)
        self._left -= len(part)
        if self._left < 0:
            raise BadInput(
                f"The repository's archive unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB."
            )
        return part
