"""Look-ups of a seat in the repository around a change: the lines of a file, or the places of a
text.

They work on the sources of one commit as texts; a file is redacted as a whole before any line is
shown, so that no secret is cut in two and overlooked, and made harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from adapters.processes.workers import unpacks
from adapters.redaction import clean, redact_lines
from adapters.repository.tree import Tree, tree_of_archive
from core.debate.lookups import SHOWN
from core.debate.material.escaping import show_hidden, show_path
from core.debate.ports import Source
from core.words.views.language.grammar import plural

_LINES = 120
"""Most lines of one reading."""
_LONGEST = 240
"""Characters of one line."""
_FOUND = 40
"""Most places that one search names."""


@dataclass(frozen=True, slots=True)
class LookupRequest:
    """``path`` with lines ``first`` to ``last`` (0: as many as are shown), or else ``text``."""

    path: str = ""
    first: int = 1
    last: int = 0
    text: str = ""


@unpacks
def look_up_in_archive(archive: bytes, wanted: LookupRequest) -> Source | str:
    """Looks up in a forge's archive."""
    return look_up(tree_of_archive(archive), wanted)


def look_up(tree: Tree, wanted: LookupRequest) -> Source | str:
    """Returns the lines of a look-up, at most ``SHOWN`` characters of them and without an address;
    or why there are none.
    """
    if wanted.path:
        return _read(tree, wanted)
    places = tuple(_matches(tree, wanted.text))
    if not places:
        unread = ""
        if tree.left_out:
            unread = f" {tree.left_out} source files are too large or too many and were not read."
        return f"Nothing found: no file that was read here holds that text.{unread}"
    lines = tuple(_bounded(places[:_FOUND]))
    if len(lines) < len(places) or len(places) > _FOUND:
        lines = (*lines, "(more places hold it; ask for a longer text or read a file)")
    title = f"“{clean(show_hidden(wanted.text))}”"
    return Source(title, "", "\n".join(lines), repository=True)


def _read(tree: Tree, wanted: LookupRequest) -> Source | str:
    path = wanted.path.removeprefix("./")
    if path not in tree.files:
        near = get_close_matches(path, tree.files, n=3, cutoff=0.7)
        like = ""
        if near:
            like = f" Like it: {', '.join(map(show_path, near))}."
        return f"No file of that path was read here.{like}"
    lines = _clean(tree, path)
    first = max(1, wanted.first)
    last = min(wanted.last or first + _LINES - 1, len(lines))
    if first > len(lines):
        return f"{show_path(path)} has {plural(len(lines), 'line')}."
    part = tuple(_bounded(lines[first - 1 : last]))
    title = f"{show_path(path)}:{first}-{first + len(part) - 1}"
    if first + len(part) - 1 < min(wanted.last or len(lines), len(lines)):
        rest = f"(lines {first + len(part)} to {len(lines)} are not shown: ask for them)"
        part = (*part, rest)
    return Source(title, "", "\n".join(part), first, repository=True)


def _clean(tree: Tree, path: str) -> tuple[str, ...]:
    lines, _ = redact_lines(tree.files[path].split("\n"), path)
    return tuple(map(show_hidden, lines))


def _matches(tree: Tree, text: str) -> Iterator[str]:
    """Yields ``path:line: text`` of the first places that hold a text; none of a text that only
    occurs in a secret.
    """
    left = _FOUND + 1
    for path in (p for p in sorted(tree.files) if text in tree.files[p]):
        for n, line in enumerate(_clean(tree, path), 1):
            if text in line:
                yield f"{show_path(path)}:{n}: {line.strip()}"
                left -= 1
                if not left:  # the rest is not even cleaned, which is what takes time
                    return


def _bounded(lines: tuple[str, ...]) -> Iterator[str]:
    """Returns as many lines as fit into ``SHOWN`` characters with their marks and numbers, long
    ones cut.
    """
    room = SHOWN - 200
    for line in lines:
        cut = line
        if len(line) > _LONGEST:
            cut = f"{line[:_LONGEST]}…"
        room -= len(cut) + 12
        if room < 0:
            return
        yield cut
