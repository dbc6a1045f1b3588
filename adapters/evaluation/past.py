"""Reads the history of one clone, which may be bare, blobless or anyone's: nothing of it is run,
and nothing is fetched.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import tarfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from secrets import token_hex

from adapters.processes.git import DIFF, GitFailed, Repository
from adapters.repository.local import tree_at
from adapters.repository.tree import LARGEST_UNPACKED

_LARGEST_LOG = 120_000_000  # bytes
_RECORD = "%H%x00%P%x00%cs%x00%s%x00%b"
"""A commit in git's log, as ``_commit`` reads it."""
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BLAMED = re.compile(r"^([0-9a-f]{40}) (\d+) \d+")
_EMPTY = frozenset({"", "{", "}", ")", "};", "});", "end"})
_ENDINGS = tuple(
    ending
    for line in (
        "c cc cpp cxx h hh hpp m mm cs fs py pyx pyi js jsx mjs cjs ts tsx mts cts vue svelte",
        "go rs java kt kts scala rb php swift ex exs sh fish pl pm lua zig dart",
    )
    for ending in line.split()
)
_SOURCES = tuple(f":(icase)*.{ending}" for ending in _ENDINGS)
"""Patterns of source files for git's own path filter, so that large binaries need not be
present.
"""
_SOURCE = re.compile(rf"\.({'|'.join(_ENDINGS)})$", re.IGNORECASE)
_NO_SOURCE = re.compile(
    r"(^|/)(tests?|testing|testsuite|__tests__|__mocks__|specs?|e2e|testdata|fixtures?|docs?|"
    r"doc_src|examples?|samples?|benches|benchmarks?|vendor|node_modules|third_party|dist|[\w.]*"
    r"tests?|[\w.]+\.tests?)/|(_test|\.test|\.spec|_spec|-test|\.generated|\.pb|_pb2|\.min)\.\w+$|"
    r"(^|/)(test_\w+|conftest|Test\w+|\w+Tests?|tests?)\.\w+$",
    re.IGNORECASE,
)


def is_source(path: str) -> bool:
    """True if a path is source of the project itself: no test, document, example or
    generated file.
    """
    return bool(_SOURCE.search(path)) and not _NO_SOURCE.search(path)


@dataclass(frozen=True, slots=True)
class PastCommit:
    """``number`` is its place in the log, 0 the newest. ``day`` is written like 2026-11-23."""

    id: str
    parents: tuple[str, ...]
    day: str
    subject: str
    body: str
    number: int

    @property
    def base(self) -> str:
        return self.parents[0]

    @property
    def message(self) -> str:
        return f"{self.subject}\n\n{self.body}".strip()


@dataclass(frozen=True, slots=True)
class Changed:
    """Source lines that a change added and removed in a file."""

    path: str
    added: int
    removed: int

    @property
    def lines(self) -> int:
        return self.added + self.removed


@dataclass(frozen=True, slots=True)
class Blamed:
    """A line as it was when ``commit`` wrote it: its path and number there."""

    commit: str
    path: str
    line: int


class GitHistory(Repository):
    """The history of one repository. Every method raises ``GitFailed`` or ``GitTooLarge`` if git
    does not answer.
    """

    __slots__ = ()

    async def log(self, most: int) -> list[PastCommit]:
        """Returns the newest commits with a parent, merges among them."""
        records = await self._log(
            "--topo-order", "--min-parents=1", f"--max-count={most}", "HEAD", "--"
        )
        return [_commit(record, number) for number, record in enumerate(records)]

    async def _log(self, *arguments: str, form: str = _RECORD) -> list[str]:
        """Returns the commits that ``git log`` lists, each in that form."""
        mark = token_hex(16)  # nobody who wrote a message could know it
        out = await self.run("log", f"--format={mark}{form}", *arguments, most=_LARGEST_LOG)
        return out.decode("utf-8", "replace").split(mark)[1:]

    async def commit(self, id: str) -> PastCommit:
        out = await self.run("log", "-1", f"--format={_RECORD}", "--end-of-options", id, "--")
        return _commit(out.decode("utf-8", "replace"), 0)

    async def holds(self, commits: Collection[str]) -> bool:
        """True if all of these commits are here."""
        request = "".join(f"{id}^{{commit}}\n" for id in commits).encode()
        reply = await self.run("cat-file", "--batch-check", sent=request)
        return reply.count(b" commit ") == len(commits)

    async def diff(self, base: str, commit: str) -> bytes:
        """Returns a change as a reviewer sees it."""
        return await self.run(*DIFF, "--end-of-options", base, commit, "--")

    async def packed(self, commit: str) -> bytes:
        """Returns the repository at a commit as a ``.tar.gz`` with one folder around everything, as
        forges make it; if this clone lacks some contents, only the source files that it has.
        """
        folder = f"{commit[:12]}/"
        tree = ("--objects", "--no-walk", "--missing=print", "--end-of-options", commit)
        if b"\n?" in await self.run("rev-list", *tree, most=_LARGEST_LOG):
            files = (await tree_at(self.folder, commit)).files
            return await asyncio.to_thread(_packed, folder, files)
        command = ("archive", "--format=tar", f"--prefix={folder}", commit)
        tar = await self.run(*command, most=LARGEST_UNPACKED)
        return await asyncio.to_thread(partial(gzip.compress, tar, mtime=0))

    async def patch(self, base: str, commit: str, paths: Sequence[str]) -> list[str]:
        """Returns the diff of some files in a change, with two lines around each hunk."""
        out = await self.run(
            *DIFF, "--no-renames", "--unified=2",
            "--end-of-options", base, commit, "--", *paths,
        )  # fmt: skip
        return out.decode("utf-8", "replace").split("\n")

    async def changed(self, base: str, commit: str) -> list[Changed]:
        """Returns the source files of a change."""
        out = await self.run(
            *DIFF, "--numstat", "-z", "--no-renames",
            "--end-of-options", base, commit, "--", *_SOURCES,
        )  # fmt: skip
        return list(_numstat(out.decode("utf-8", "replace").split("\0")))

    async def before(self, commit: str, most: int) -> list[tuple[PastCommit, tuple[str, ...]]]:
        """Returns the commits with one parent that came before ``commit``, the nearest first, each
        with the paths of the source files that it changed. No contents are needed.
        """
        records = await self._log(
            *("--no-merges", "--min-parents=1", f"--max-count={most}", "--name-only"),
            *("--no-renames", "--end-of-options", f"{commit}^", "--", *_SOURCES),
            form=f"{_RECORD}%x00",
        )
        commits = []
        for number, record in enumerate(records):
            header, _, names = record.rpartition("\0")
            paths = tuple(filter(is_source, names.split("\n")))
            commits.append((_commit(header, number), paths))
        return commits

    async def touching(self, commit: str, paths: Sequence[str], most: int) -> list[PastCommit]:
        """Returns the commits after ``commit`` that changed one of ``paths``, the newest first."""
        records = await self._log(
            *("--no-merges", f"--max-count={most}", "--end-of-options", f"{commit}..HEAD", "--"),
            *paths,
        )
        return [_commit(record, number) for number, record in enumerate(records)]

    async def touched(
        self, fix: PastCommit, paths: Collection[str] | None = None
    ) -> tuple[list[Blamed], list[Blamed]]:
        """Returns the origins of the source lines that ``fix`` removed and, separately, of the
        lines next to which it added lines; with ``paths``, only of these files.
        """
        out = await self.run(
            *DIFF, "--no-renames", "--unified=0",
            "--end-of-options", fix.base, fix.id, "--", *(paths or _SOURCES),
        )  # fmt: skip
        removed: dict[str, list[tuple[int, int]]] = defaultdict(list)
        beside: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for path, start, count in _old_side(out.decode("utf-8", "replace")):
            if is_source(path):
                (removed if count else beside)[path].append((max(start, 1), count or 2))
        return await self._blamed(fix.base, removed), await self._blamed(fix.base, beside)

    async def _blamed(
        self, at: str, places: Mapping[str, Sequence[tuple[int, int]]]
    ) -> list[Blamed]:
        lines: list[Blamed] = []
        for path, ranges in places.items():
            spans = [f"-L{start},+{count}" for start, count in ranges]
            try:
                out = await self._blame(at, path, spans)
            except GitFailed:  # there may be no line after the last one
                out = await self._blame(at, path, [f"-L{start},+1" for start, _ in ranges])
            lines += _lines_of(out.decode("utf-8", "replace"), path)
        return lines

    async def _blame(self, at: str, path: str, spans: Sequence[str]) -> bytes:
        return await self.run("blame", "-w", "--no-textconv", "--porcelain", *spans, at, "--", path)

    async def inside(self, base: str, commit: str) -> set[str]:
        """Returns the commits of a merged branch, the merge too."""
        out = await self.run("rev-list", "--end-of-options", f"{base}..{commit}", "--")
        return {commit, *out.decode("ascii", "replace").split()}

    async def text(self, commit: str, path: str) -> list[str]:
        """Returns the lines of a file."""
        out = await self.run("show", "--no-textconv", "--end-of-options", f"{commit}:{path}")
        return out.decode("utf-8", "replace").split("\n")


def _packed(folder: str, files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.TarFile(fileobj=out, mode="w") as tar:
        for path, text in files.items():
            data = text.encode("utf-8", "surrogateescape")
            member = tarfile.TarInfo(folder + path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(out.getvalue(), mtime=0)


def _commit(record: str, number: int) -> PastCommit:
    id, parents, day, subject, body = record.strip("\n").split("\0", 4)
    return PastCommit(id, tuple(parents.split()), day, subject, body.strip(), number)


def _numstat(lines: Sequence[str]) -> Iterator[Changed]:
    for line in lines:
        added, _, rest = line.partition("\t")
        removed, _, path = rest.partition("\t")
        if added.isdigit() and removed.isdigit() and is_source(path):
            yield Changed(path, int(added), int(removed))


def _old_side(diff: str) -> Iterator[tuple[str, int, int]]:
    """Yields (path, first line, number of lines) of each hunk on the old side; none of a new
    file.
    """
    path = ""
    for line in diff.split("\n"):
        if line.startswith("--- "):
            path = ""
            if line.startswith("--- a/"):
                path = line[6:].rstrip("\t")
        elif path and (hunk := _HUNK.match(line)):
            yield path, int(hunk[1]), int(hunk[2] or 1)


def _lines_of(porcelain: str, path: str) -> Iterator[Blamed]:
    """Yields the lines in the output of ``blame --porcelain`` that mean something by themselves."""
    names: dict[str, str] = {}
    id, number = "", 0
    for line in porcelain.split("\n"):
        if head := _BLAMED.match(line):
            id, number = head[1], int(head[2])
        elif line.startswith("filename "):
            names[id] = line[9:]
        elif line.startswith("\t") and line.strip() not in _EMPTY:
            yield Blamed(id, names.get(id, path), number)
