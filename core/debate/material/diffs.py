"""Changed files as citable lines, and their rendering for the seats.

Seats are shown the same lines, already redacted and escaped, in which quotations are looked up
(``material.locating``), so a quote copied from the prompt is found again and an invented quote
is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.debate.material import LEFT, Hunk, Line, Material
from core.debate.material.escaping import show_path

UNPLACED = "other lines"
"""The path for the lines of a diff that belong to no file."""
LEGEND = (
    "Line numbers: new side for '+' and unchanged lines (RIGHT), old side for '-' lines "
    "(LEFT). Cite as path:line."
)


class FileStatus(StrEnum):
    """The kind of change to a file."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    DOCUMENT = "document"  # no change at all: a text that is debated as it stands


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One changed file.

    ``path`` is the name after the change, or the last name it had. ``remarks`` are facts for its
    heading (mode changed, CRLF line ends, no final newline). ``problem`` is the reason why its
    lines could not be read, and then ``hunks`` is empty; ``lost`` names the lines that could not be
    read, apart from those in ``hunks``. ``cut`` counts lines shown shortened.
    """

    path: str
    old_path: str = ""
    status: FileStatus = FileStatus.MODIFIED
    binary: bool = False
    submodule: bool = False
    hunks: tuple[Hunk, ...] = ()
    remarks: tuple[str, ...] = ()
    problem: str = ""
    lost: str = ""
    cut: int = 0

    @property
    def lines(self) -> list[Line]:
        """Its lines, hunk by hunk."""
        return [line for hunk in self.hunks for line in hunk.lines]

    @property
    def added(self) -> int:
        return sum(line.mark == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.mark == "-" for line in self.lines)


def heading(file: FileDiff) -> str:
    """Returns the line above a file's hunks: its name, what happened to it and every remark."""
    facts = []
    if file.old_path and file.old_path != file.path:
        facts.append(f"{file.status} from {show_path(file.old_path)}")
    elif file.status is not FileStatus.MODIFIED:
        facts.append(str(file.status))
    if file.binary:
        facts.append("binary")
    if file.submodule:
        facts.append("submodule")
    facts.extend(file.remarks)
    if file.lost:
        facts.append(file.lost)
    name = f"=== {show_path(file.path)}"
    if facts:
        return f"{name} ({'; '.join(facts)})"
    return name


def numbered(line: Line) -> str:
    """Renders a line as `` 12 + code``: the number on the side on which the line can be cited, the
    mark, the text.
    """
    return f"{line.number_on(LEFT) or line.new or 0:>5} {line.mark} {line.text}".rstrip()


def render(hunk: Hunk) -> str:
    return "\n".join((hunk.header, *map(numbered, hunk.lines)))


def hunk_header(lines: Sequence[Line], section: str = "") -> str:
    """Returns the ``@@`` line of these lines. Lengths count the lines of each side; a side without
    lines starts at 0.
    """
    old = [line.old for line in lines if line.old is not None]
    new = [line.new for line in lines if line.new is not None]
    head = f"@@ -{next(iter(old), 0)},{len(old)} +{next(iter(new), 0)},{len(new)} @@"
    if section:
        return f"{head} {section}"
    return head


def split_hunk(hunk: Hunk, longest: int) -> Iterator[Hunk]:
    """Splits a hunk into pieces of at most ``longest`` lines, each with its own header, so that a
    long one can be read in part.
    """
    if len(hunk.lines) <= longest:
        yield hunk
        return
    total = -(-len(hunk.lines) // longest)
    for part, start in enumerate(range(0, len(hunk.lines), longest), 1):
        lines = hunk.lines[start : start + longest]
        yield replace(hunk, header=hunk_header(lines, f"(piece {part} of {total})"), lines=lines)


def text_as_file(path: str, lines: Iterable[str]) -> FileDiff:
    """Turns a plain text into a file whose lines can be cited like those of a diff."""
    citable = tuple(Line(" ", text, new=number) for number, text in enumerate(lines, 1))
    hunks = (Hunk(path, f"(lines 1-{len(citable)})", citable),) if citable else ()
    return FileDiff(path, status=FileStatus.DOCUMENT, hunks=hunks)


def hunk_near(
    material: Material, path: str, line: int | None, side: str, context: int
) -> Hunk | None:
    """Returns the lines of a hunk around one of its lines, None if no hunk holds that line."""
    name = show_path(path)
    for hunk in material.hunks:
        if hunk.path not in {path, name}:
            continue
        index = _index_of(hunk, line, side)
        if index is not None:
            near = hunk.lines[max(0, index - context) : index + context + 1]
            return replace(hunk, lines=near)
    return None


def _index_of(hunk: Hunk, line: int | None, side: str) -> int | None:
    """Returns the index of a line of the hunk; None if the hunk does not hold it. The index that it
    has if nothing was removed before it is tried first, because a seat is shown many places of a
    new file of 60,000 lines.
    """
    lines = hunk.lines
    first = next((n for one in lines if (n := one.number_on(side)) is not None), None)
    last = next((n for one in reversed(lines) if (n := one.number_on(side)) is not None), None)
    if line is None or first is None or last is None or not first <= line <= last:
        return None
    guess = line - first
    if guess < len(lines) and lines[guess].number_on(side) == line:
        return guess
    return next((at for at, one in enumerate(lines) if one.number_on(side) == line), None)
