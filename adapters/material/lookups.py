"""Look-ups in the repository of a change, for seats whose models can use tools.

A forge's archive is kept packed, for as long as there is room for it in this process, and is
fetched again at the same commit if it is missing: after a restart, in another replica. It is
unpacked for each look-up in a process that can be ended. A repository of this machine is read by
git.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from adapters.forges.api import ARCHIVE
from adapters.material.from_forge import archive_of
from adapters.material.settings import LibrarySettings
from adapters.repository.local import tree_at
from adapters.repository.lookups import LookupRequest, look_up_in_archive
from adapters.repository.lookups import look_up as look_up_in_tree
from adapters.repository.tree import Tree
from adapters.text.documents import NoDocument, read_json
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.lookups import READ
from core.debate.material import Material
from core.debate.material.addresses import line_url
from core.debate.ports import Source

COPIES = 2
"""Copies of an archive in memory while a process receives it."""
ARCHIVE_HELD = COPIES * ARCHIVE.max_bytes
"""Bytes that are set aside for an archive of which nobody knows how large it is."""
TOO_MANY = "too many repositories are being read at once."
_ROOM = 60_000_000
"""Bytes of packed archives that are kept."""
_RANGE = re.compile(r"\s*(\d{1,7})(?:\s*[-:,]\s*(\d{1,7}))?\s*")
_LONGEST = 160
_Key = tuple[str, str]


class _Read(msgspec.Struct):
    path: str = ""
    lines: str | int = ""


class _Search(msgspec.Struct):
    text: str = ""


@dataclass(slots=True)
class Archives:
    """Packed archives by source and commit; the one unused for longest is dropped first."""

    fetching: asyncio.Lock = field(default_factory=asyncio.Lock)
    _held: dict[_Key, bytes] = field(default_factory=dict)

    def keep(self, material: Material, archive: bytes) -> None:
        key = (material.source, material.revision)
        self._held.pop(key, None)
        self._held[key] = archive
        while sum(map(len, self._held.values())) > _ROOM:
            del self._held[next(iter(self._held))]

    def find(self, material: Material) -> bytes | None:
        key = (material.source, material.revision)
        if key in self._held:
            self._held[key] = self._held.pop(key)
        return self._held.get(key)


async def look_up(
    archives: Archives,
    settings: LibrarySettings,
    material: Material,
    place: str,
    tool: str,
    arguments: str,
) -> Source | str:
    """Returns the text that a look-up gives, or the reason why it gives none; an error of a model
    or a forge never raises.
    """
    try:
        wanted = _wanted_of(tool, arguments)
        source = await _find(archives, settings, material, place, wanted)
    except (BadInput, CouldNotFinish) as error:
        return f"Not looked up: {error}"
    if isinstance(source, str) or not source.first:
        return source
    return replace(source, url=line_url(material, source.title.rpartition(":")[0], source.first))


def _wanted_of(tool: str, arguments: str) -> LookupRequest:
    """Returns the look-up that a model asks for. Raises ``BadInput`` with the right form."""
    try:
        if tool == READ:
            request = read_json(arguments or "{}", _Read)
            lines = _RANGE.fullmatch(str(request.lines or 1))
            if not request.path or lines is None:
                raise BadInput('read wants {"path": "src/file.py", "lines": "10-60"}.')
            first, last = lines.groups()
            return LookupRequest(request.path[:300], int(first), int(last or 0))
        text = read_json(arguments or "{}", _Search).text.strip()
    except NoDocument as error:
        raise BadInput("the arguments are not the tool's.") from error
    if not 3 <= len(text) <= _LONGEST or "\n" in text:
        raise BadInput(f"search wants one line of 3 to {_LONGEST} characters.")
    return LookupRequest(text=text)


async def _find(
    archives: Archives,
    settings: LibrarySettings,
    material: Material,
    place: str,
    wanted: LookupRequest,
) -> Source | str:
    if material.source.startswith("git:"):
        tree = await tree_here(material, settings.cwd)
        return await settings.work(look_up_in_tree, tree, wanted)
    async with settings.memory.hold(ARCHIVE_HELD) as held:
        if held is None:
            raise CouldNotFinish(TOO_MANY)
        async with archives.fetching:
            archive = archives.find(material)
            if archive is None:
                archive = await archive_of(material, settings, place)
                archives.keep(material, archive)
        held.shrink(COPIES * len(archive))
        return await settings.work(look_up_in_archive, archive, wanted)


async def tree_here(material: Material, cwd: Path) -> Tree:
    """Returns the sources of a change of the repository at ``cwd``: of its commit or, without one,
    of the work tree.
    """
    if material.revision.startswith("sha256:"):
        return await tree_at(cwd, "HEAD", {hunk.path for hunk in material.hunks})
    return await tree_at(cwd, material.revision)
