"""The source files of one commit as texts, out of an archive, without unpacking it anywhere.

Nothing is written to a disk, no link is followed, nothing is executed: a name is a key and no path
of this machine. What is too large, too much or no source is left out and counted.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from adapters.processes.workers import unpacks
from adapters.repository.decision_records import number_of
from adapters.repository.languages import language_of
from adapters.repository.project_rules import is_read_of_base
from core.debate.errors import BadInput

LARGEST_FILE = 1_000_000  # bytes
LARGEST_TREE = 20_000_000  # bytes of all files that are kept
MOST_FILES = 20_000
LARGEST_OTHERS = 4_000_000  # bytes of files in languages that are not parsed here
LARGEST_RULES = 1_000_000  # bytes of all files with rules for reviewers
LARGEST_RECORDS = 2_000_000  # bytes of all decision records
LARGEST_UNPACKED = 600_000_000  # bytes of the whole archive, unpacked
_TEXTS = frozenset(
    {
        ".asm", ".awk", ".bash", ".bat", ".bazel", ".build", ".bzl", ".cfg", ".clj", ".cljs",
        ".cmake", ".conf", ".css", ".dart", ".el", ".erl", ".ex", ".exs", ".fish", ".fs", ".fsx",
        ".gradle", ".graphql", ".groovy", ".hcl", ".hrl", ".hs", ".html", ".ini", ".jinja",
        ".jl", ".less", ".lisp", ".lua", ".m", ".mk", ".ml", ".mli", ".mm", ".mod", ".nim",
        ".nix", ".nu", ".pas", ".pl", ".pm", ".proto", ".ps1", ".r", ".s", ".scala", ".scss",
        ".sh", ".sql", ".svelte", ".swift", ".tcl", ".tf", ".thrift", ".toml", ".v", ".vb",
        ".vhd", ".vim", ".vue", ".xml", ".yaml", ".yml", ".zig", ".zsh",
    }
)  # fmt: skip
"""Endings of texts that a seat may look up although they are not parsed here."""
_NOT_OURS = frozenset({"vendor", "third_party", "node_modules", "dist", "bower_components", ".git"})


@dataclass(frozen=True, slots=True)
class Tree:
    """``files`` are texts by path. ``left_out`` counts source files, in languages that are parsed
    here, that were not kept."""

    files: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0


def wanted(path: str, size: int) -> bool:
    """Return whether a file is a text of the project itself: source of a language that is parsed
    here, of another one, or a file without an ending (a script, a Makefile).
    """
    name = PurePosixPath(path)
    made = name.stem.endswith((".min", "_pb2")) or bool(_NOT_OURS.intersection(name.parts))
    text = language_of(path) is not None or name.suffix.lower() in {"", *_TEXTS}
    return bool(path) and not made and size > 0 and text


def tree_of(files: Iterable[tuple[str, bytes]]) -> Tree:
    """Return the files up to the limits, in the order in which they come."""
    kept: dict[str, str] = {}
    room, left = {True: LARGEST_TREE, False: LARGEST_OTHERS}, 0
    for path, data in files:
        parsed = language_of(path) is not None
        too_large = len(data) > min(room[parsed], LARGEST_FILE)
        if len(kept) >= MOST_FILES or too_large or b"\0" in data:
            left += parsed
            continue
        room[parsed] -= len(data)
        kept[path] = data.decode("utf-8", "backslashreplace")
    return Tree(kept, left)


def tree_of_archive(archive: bytes) -> Tree:
    """Returns the tree in a ``.tar.gz`` with one folder around everything, as forges make it.

    ``BadInput`` for what is no such archive, or unpacks to more than ``LARGEST_UNPACKED``.
    """
    return tree_of(_members(archive, wanted, LARGEST_FILE))


@unpacks
def rule_files(archive: bytes) -> tuple[tuple[str, str], ...]:
    """Returns (path, text) of the files with a project's rules and decision records in a forge's
    archive, the outer folders first, up to ``LARGEST_RULES`` and ``LARGEST_RECORDS`` bytes. Raises
    ``BadInput`` as ``tree_of_archive``.
    """
    files = _members(archive, lambda path, _: is_read_of_base(path), LARGEST_RULES)
    texts = [
        (path, data.decode("utf-8", "backslashreplace"))
        for path, data in files
        if b"\0" not in data
    ]
    kept, room = [], {False: LARGEST_RULES, True: LARGEST_RECORDS}
    for path, text in sorted(texts, key=lambda one: (one[0].count("/"), one[0])):
        record = bool(number_of(path))
        room[record] -= len(text)
        if room[record] >= 0:
            kept.append((path, text))
    return tuple(kept)


def _members(
    archive: bytes, wants: Callable[[str, int], bool], most: int
) -> Iterator[tuple[str, bytes]]:
    """Yields (path, content) of the wanted files; the content is a zero byte if a file is larger
    than ``most``: it is never read. Raises ``BadInput``.
    """
    try:
        with tarfile.open(fileobj=_Bounded(archive), mode="r|", errorlevel=0) as packed:
            for member in packed:
                path = inside(member.name)
                if not path or not member.isreg() or not wants(path, member.size):
                    continue
                if member.size > most:
                    yield path, b"\0"
                elif (content := packed.extractfile(member)) is not None:
                    yield path, content.read()
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        raise BadInput("The repository's archive can't be unpacked.") from error


def inside(name: str) -> str:
    """Returns a member's path below the archive's folder; empty for a path that points
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
