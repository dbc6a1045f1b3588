"""The library of materials: one target in, one ``Material`` out, whatever and wherever it is.

The order of steps is the safety of it: the shape of a target is judged before anything is
requested, and no text leaves here before it is redacted and escaped.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from adapters.diffs.patches import parse
from adapters.forges import refusals
from adapters.forges.links import looks_like_link, parse_change, unwrapped
from adapters.forges.port import PullFilter
from adapters.material import file
from adapters.material.changes import PIPED, Collected, Extent, from_diff, from_reading
from adapters.material.documents import from_documents, from_words
from adapters.material.evidence import placed, reported, with_remarks, with_reported
from adapters.material.from_forge import (
    collect,
    fates_of,
    open_pull_requests,
    remarks_of,
    scans_of,
    with_repository,
)
from adapters.material.lookups import ARCHIVE_HELD, COPIES, TOO_MANY, Archives, look_up, tree_here
from adapters.material.projects import project_of
from adapters.material.ranges import LocalChange, branch_change, git_diff
from adapters.material.scanners import GITHUB, scanned
from adapters.material.settings import LibrarySettings
from adapters.material.surroundings import room_around, unread_around, with_around
from adapters.material.web import WebPage, fetch, page_text
from adapters.processes.memory import MemoryShare
from adapters.processes.unread import near_file, only_a_folder
from adapters.redaction import clean
from adapters.repository.around import Pack, pack, pack_of_archive
from adapters.repository.snapshots import Project
from core.application.commands.parsing import is_question
from core.debate.errors import BadInput
from core.debate.ledger import Demand
from core.debate.material import NAMELESS, Material, MaterialKind
from core.debate.material.coverage import tokens_in
from core.debate.material.library import ReadForPrice, ReadRequest
from core.debate.material.since import Since
from core.debate.ports import Source

_NOTHING_PIPED = (
    "Nothing came in on standard input, so there is no change to debate. What your branch changes: "
    "debate ."
)
_CODE = frozenset({MaterialKind.PULL_REQUEST, MaterialKind.DIFF})
_FOLDER = re.compile(r"\s+path:(\S{1,300})\s*\Z")
_CHANGE_PATH = re.compile(r"/pull/|/merge_requests/")
_QUERY = re.compile(r"[?#][^\s<>|]*")
_FILE_NAME = re.compile(r"\S+\.(?:diff|patch|md|markdown|txt)")
_PATH = re.compile(r"(?:\S*|(?:\.{0,2}/|~/)[^\n?!]*)[^\s.?!]\.[A-Za-z]\w{0,7}")
_TEXT_NAME = re.compile(r"[^\n?!]+\.(?:md|markdown|txt)")


class MaterialLibrary:
    """Implements ``core.debate.material.library.MaterialLibrary``.

    ``settings`` are its hosts, files and limits.
    """

    def __init__(self, settings: LibrarySettings | None = None) -> None:
        self.settings = settings or LibrarySettings()
        self._archives = Archives()

    def check(self, target: str, *, kind: str) -> None:
        """Checks the shape of a target without asking or opening anything. Raises ``BadInput`` for
        a target that can never be read here.
        """
        bare, _ = narrowed(target.strip())
        if self._is_change(bare, kind):
            parse_change(bare, self.settings.kinds)
        elif not looks_like_link(bare):
            _require_readable(bare, files=self.settings.allow_files)
            if kind in _CODE and not self.settings.allow_files:
                raise BadInput(
                    "“{bare}” is no pull request link. Example: https://github.com/owner/repo/pull/1",
                    bare=refusals.quote(bare, 120),
                )

    async def read(self, request: ReadRequest) -> Material:
        """Returns the material behind a target: a link, a file, ``-``, ``git:<range>`` or plain
        words, by what it looks like.

        A change that is too large for the budget is read in parts. For code no plain words are
        taken. A ``path:src/`` at the end narrows a change to a folder. Files are read if both this
        process may (``allow_files``) and the request may.

        Raises ``BadInput`` for what can never be read, ``CouldNotFinish`` for what may be read
        another time.
        """
        target, folder = narrowed(request.target.strip())
        kind = request.kind
        extent = self._extent(request.budget, folder, request.parts)
        if not target:
            raise BadInput("There is nothing to debate: give a link, a file or a question.")
        if self._is_change(target, kind):
            return await self._whole_change(target, request, extent)
        if looks_like_link(target):
            _only_for_changes(folder)
            page = await fetch(unwrapped(target), self.settings.web, self.settings.resolver)
            return await self.settings.work(
                material_from_page, page, _expected(kind), request.budget
            )
        files = request.files and self.settings.allow_files
        _require_readable(target, files=files)
        if files:
            material = await self._local(target, kind, extent)
            if material is not None:
                return material
        if kind in _CODE:
            short, near = refusals.quote(target, 120), ""
            missing = BadInput("“{target}” is no pull request link.", target=short)
            if files:
                missing = BadInput(
                    "“{target}” is neither a pull request link nor a file here.", target=short
                )
                near = await asyncio.to_thread(near_file, self.settings.cwd / target)
            if near:
                raise BadInput("{missing} Did you mean {near}?", missing=missing, near=near)
            raise BadInput(
                "{missing} Example: https://github.com/owner/repo/pull/1", missing=missing
            )
        words = request.target.strip()
        return await self.settings.work(from_words, words, _expected(kind), request.budget)

    async def read_for_price(self, request: ReadRequest) -> ReadForPrice:
        """Reads a change on a forge without its repository, and everything else as ``read`` does.
        Raises as ``read``.
        """
        link, folder = narrowed(request.target.strip())
        if not self._is_change(link, request.kind):
            return ReadForPrice(await self.read(request))
        extent = self._extent(request.budget, folder, request.parts)
        place = request.place
        collected = await collect(link, self.settings, place, request.since, around=False)
        material = await self._change(collected, extent)
        room = room_around(material, request.budget)
        held = len(collected.reading.diff or b"")
        return ReadForPrice(material, partial(self._rest, collected, place, extent), room, held)

    async def _rest(self, collected: Collected, place: str, extent: Extent) -> Material:
        """Returns a change that was read for its price, with its repository."""
        async with self.settings.memory.hold(ARCHIVE_HELD) as held:
            if held is not None:
                collected = await with_repository(collected, self.settings, place)
            return await self._surrounded(collected, extent, held)

    def _extent(self, budget: int, folder: str, parts: int) -> Extent:
        return Extent(budget, folder, parts, self.settings.not_reviewed)

    async def fates(self, link: str, place: str, since: Since) -> Sequence[Demand]:
        """Returns the demands of earlier reviews with what became of their lines since. Raises as
        ``read`` does.
        """
        return await fates_of(link, self.settings, place, since)

    async def read_attachment(
        self,
        name: str,
        data: bytes,
        *,
        kind: str,
        budget: int,
        parts: int = 1,
    ) -> Material:
        """Reads a text that a person attached, by the name of its file or by their words about it;
        otherwise as ``read``.
        """
        source = f"attachment:{refusals.quote(name, 80)}"
        extent = self._extent(budget, "", parts)
        return await self.settings.work(_material_attached, data, name, source, kind, extent)

    def holds_repository(self, material: Material, files: bool) -> bool:
        """True if seats can look into the repository of a change: a forge gave it, or it is on this
        machine.
        """
        if material.source.startswith("git:"):
            return files and self.settings.allow_files
        return self._archives.find(material) is not None

    async def look_up(
        self, material: Material, place: str, files: bool, tool: str, arguments: str
    ) -> Source | str:
        """Returns the text that one of the tools of ``lookups`` gives to a seat, or the reason
        why there is none. ``place`` and ``files`` as for ``read``.
        """
        here = material.source.startswith("git:")
        if here and not (files and self.settings.allow_files):
            return "Not looked up: the repository is on another machine."
        return await look_up(self._archives, self.settings, material, place, tool, arguments)

    async def project(self, material: Material, place: str, files: bool) -> Project:
        """Returns the whole project of a change, before and with it. ``place`` and ``files`` as for
        ``read``. Raises ``BadInput`` and ``CouldNotFinish``.
        """
        here = files and self.settings.allow_files
        return await project_of(material, self.settings, place, files=here)

    async def with_evidence(self, material: Material, name: str, *, files: bool) -> Material:
        """Returns the material with scanners' results, at a shell: from a SARIF file, with
        ``github`` from the code scanning of the pull request, or of a plugin's scanner of that name
        if no file has it.
        """
        scan = self.settings.scanners.get(name)
        here = self.settings.allow_files and (files or scan is not None)
        if not here:
            raise BadInput("--evidence names a file of this machine: give it in the shell.")
        if not material.hunks:
            raise BadInput("--evidence is for changes of code: its results are on their lines.")
        if scan is not None and not (files and (self.settings.cwd / name).is_file()):
            scans: tuple[bytes, ...] = (await scanned(scan, name, material),)
            source = name
        elif name == GITHUB:
            scans, source = await scans_of(material, self.settings), "GitHub's code scanning"
        else:
            scans = (await asyncio.to_thread(file.read_bytes, self.settings.cwd / name),)
            source = refusals.quote(Path(name).name, 80)
        try:
            evidence = await self.settings.work(reported, scans, material.hunks)
        except BadInput as error:
            raise BadInput("{name}: {why}", name=source, why=error) from error
        return with_reported(material, evidence, source)

    async def with_remarks(self, material: Material, place: str) -> Material:
        """Returns the material with other reviewers' remarks on the pull request."""
        remarks = await remarks_of(material, self.settings, place)
        return with_remarks(material, await self.settings.work(placed, remarks, material.hunks))

    async def open_pull_requests(
        self, repo: str, wanted: PullFilter, *, place: str = "", host: str = "github.com"
    ) -> Mapping[str, str]:
        """Returns the heads of the open pull requests of ``owner/name`` that a schedule takes, by
        their links, last updated first.

        A private repository needs its binding.
        """
        return await open_pull_requests(repo, wanted, self.settings, place=place, host=host)

    async def _whole_change(self, link: str, request: ReadRequest, extent: Extent) -> Material:
        async with self.settings.memory.hold(ARCHIVE_HELD) as held:
            collected = await collect(
                link,
                self.settings,
                request.place,
                request.since,
                around=held is not None,
            )
            return await self._surrounded(collected, extent, held)

    async def _surrounded(
        self, collected: Collected, extent: Extent, held: MemoryShare | None
    ) -> Material:
        """Returns a change with the code around it, as far as its repository was read."""
        material, archive = await self._change(collected, extent), collected.archive
        if held is None:
            return unread_around(material, TOO_MANY)
        held.shrink(COPIES * len(archive or b""))
        if archive is None:
            return material
        self._archives.keep(material, archive)
        room = room_around(material, extent.budget)
        if not room:
            return material
        choosing = self.settings.work(pack_of_archive, archive, material.hunks, room)
        return await with_around(material, choosing)

    async def _change(self, collected: Collected, extent: Extent) -> Material:
        unpacked = replace(collected, archive=None)  # which the reader does not need
        return await self.settings.work(from_reading, unpacked, extent)

    def _is_change(self, target: str, kind: str) -> bool:
        """True if a target is the link of a change, or can only be one, because code is wanted."""
        if not looks_like_link(target):
            return False
        if kind in _CODE:
            return True
        link = unwrapped(target)
        for name, host in self.settings.hosts.items():
            if link.startswith(f"https://{name}/"):
                if isinstance(host.forge, str):
                    return bool(_CHANGE_PATH.search(link))
                path = re.split("[?#]", link.removeprefix(f"https://{name}"))[0]
                return host.forge.parse(path) is not None
        return False

    async def _local(self, target: str, kind: str, extent: Extent) -> Material | None:
        """Returns the material of that name on this machine; None if nothing here has the name."""
        if target == "-":
            data = await asyncio.to_thread(self._stdin)
            if not data.strip():
                raise BadInput(_NOTHING_PIPED)
            return await self.settings.work(
                _material_from_bytes, data, PIPED, "stdin", kind, extent
            )
        if target.startswith("git:"):
            return await self._here(await git_diff(target[4:], self.settings.cwd), extent)
        if target == "." and kind in _CODE:
            return await self._here(await branch_change(self.settings.cwd), extent)
        if "\n" in target or "\0" in target or len(target) > 1000:
            return None
        path = self.settings.cwd / target
        source = refusals.quote(target, 300)
        try:
            folder_here, here = path.is_dir(), path.exists()
        except OSError:  # longer than a name may be: a question
            return None
        if folder_here:
            if kind in _CODE:
                raise only_a_folder(target)
            _only_for_changes(extent.folder)
            texts, notes = await asyncio.to_thread(file.folder_texts, path)
            return await self.settings.work(
                from_documents,
                texts,
                _expected(kind),
                path.resolve().name,
                source,
                extent.budget,
                notes,
            )
        if not here and not await asyncio.to_thread(_names_file, path, target, kind):
            return None
        data = await asyncio.to_thread(file.read_bytes, path)
        return await self.settings.work(_material_from_bytes, data, target, source, kind, extent)

    async def _here(self, change: LocalChange, extent: Extent) -> Material:
        material = await self.settings.work(_material_from_range, change, extent)
        return await with_around(material, self._around_here(material, extent.budget))

    async def _around_here(self, material: Material, budget: int) -> Pack:
        tree = await tree_here(material, self.settings.cwd)
        room = room_around(material, budget)
        return await self.settings.work(pack, tree, material.hunks, room)

    def _stdin(self) -> bytes:
        if self.settings.stdin is None:
            raise BadInput("There is no standard input to read.")
        return file.read_input(self.settings.stdin)


def _names_file(path: Path, target: str, kind: str) -> bool:
    """True if words that no file here has as its name are meant as one: a single word or a path
    with an ending, or the likeness of a name that a document here has.
    """
    if kind in _CODE or _FILE_NAME.fullmatch(target):
        return _FILE_NAME.fullmatch(target) is not None
    similar = _TEXT_NAME.fullmatch(target) and near_file(path)
    return bool(_PATH.fullmatch(target) or similar)


def _require_readable(target: str, *, files: bool) -> None:
    """Raises ``BadInput`` for a target that is not read here: one that names many pull requests,
    and one on this machine unless ``files`` allows it.
    """
    if target.startswith("github:"):
        raise BadInput(
            "“{target}” names many pull requests: schedule it with /debate schedule add, or give "
            "the link of one.",
            target=refusals.quote(target, 80),
        )
    here = target == "-" or target.startswith("git:") or _FILE_NAME.fullmatch(target)
    if here and not files:
        raise BadInput(
            "Files and repositories of this machine are read from the shell only. Give a "
            "link, or attach the file."
        )


def storable_target(target: str, *, read: bool = False) -> str:
    """Returns the target as it may be kept and shown: without secrets.

    Raises ``BadInput`` for a link that can't be read without one, unless it was ``read``.
    """
    cleaned = clean(target)
    if cleaned == target or not looks_like_link(narrowed(target.strip())[0]):
        return cleaned
    bare = clean(_QUERY.sub("", target))
    if read or _CHANGE_PATH.search(bare):  # what stands behind a change's link is never used
        return bare
    raise BadInput(
        "That link carries a secret, and what I am to read later I have to keep. Paste the text, "
        "or attach it as a file."
    )


def storable(target: str, texts: tuple[str, ...], read: bool) -> tuple[str, tuple[str, ...]]:
    """Returns a request's target and other texts in a form that may be stored. Raises as
    ``storable_target``.
    """
    return storable_target(target, read=read), tuple(map(clean, texts))


def narrowed(target: str) -> tuple[str, str]:
    """Returns the target without its ``path:FOLDER/``, and the folder."""
    match = _FOLDER.search(target)
    if not match:
        return target, ""
    return target[: match.start()], match.group(1).removeprefix("./").lstrip("/")


def _only_for_changes(folder: str) -> None:
    if folder:
        raise BadInput(
            "path:{folder} narrows a change of code; this is a document. Name the file or folder "
            "itself.",
            folder=refusals.quote(folder, 80),
        )


def _expected(kind: str) -> MaterialKind:
    """Returns the kind of a text or a page, from what the template expects."""
    if kind in set(MaterialKind) - _CODE:
        return MaterialKind(kind)
    if kind in _CODE:
        return MaterialKind.DOCUMENT
    return MaterialKind.QUESTION


def _material_from_bytes(
    data: bytes, name: str, source: str, kind: str, extent: Extent
) -> Material:
    if (kind in _CODE and not data.strip()) or file.is_diff(name, data):
        return from_diff(parse(data), data, name, extent, source=source)
    _only_for_changes(extent.folder)
    text = file.text_of(data)
    if not text.strip():
        raise BadInput(
            "{name} is empty. Nothing to debate; no model was called.",
            name=refusals.quote(name, 120),
        )
    return from_documents([(Path(name).name, text)], _expected(kind), "", source, extent.budget)


def _material_attached(data: bytes, name: str, source: str, kind: str, extent: Extent) -> Material:
    """Returns an attached text with the words about it, which are debated as well."""
    if not is_question(name) or file.is_diff(name, data):
        return _material_from_bytes(data, name, source, kind, extent)
    question = from_words(name, _expected(kind), extent.budget)
    extent = replace(extent, budget=extent.budget - tokens_in(question.text))
    material = _material_from_bytes(data, NAMELESS, source, kind, extent)
    return replace(
        material,
        title=question.title,
        body=question.text.removeprefix(question.title).strip(),
        redacted=material.redacted + question.redacted,
    )


def _material_from_range(change: LocalChange, extent: Extent) -> Material:
    name = f"git:{change.span}"
    material = from_diff(
        parse(change.data),
        change.data,
        name,
        extent,
        source=refusals.quote(name, 300),
        title=change.title,
        revision=change.revision,
        guidelines=change.guidelines,
    )
    return replace(material, notes=(*material.notes, *change.notes))


def material_from_page(page: WebPage, kind: MaterialKind, budget: int) -> Material:
    title, text = page_text(page)
    source = refusals.quote(clean(page.url), 300)
    name = page.url.split("?", 1)[0]
    return from_documents([(name, text)], kind, title, source, budget, seen="html" in page.kind)
