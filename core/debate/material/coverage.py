"""Decides hunk by hunk which changed files fit into a model's prompt, and reports the result for
every file.

Nothing is cut in silence: each file ends as read in full, in part or left out, with its reason, and
the unread ones are named to the seats as well, so that none of them takes the rest for the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.debate.material import Coverage, Hunk, Part, Read
from core.debate.material.diffs import LEGEND, FileDiff, heading, render, split_hunk
from core.debate.material.escaping import show_path
from core.debate.stored import stored, stored_many

_NAMED = 40
_MISSING = "Not read, or read in part:"
PIECE = 80  # lines; a longer hunk is offered in pieces of this size
_BEYOND_BUDGET = stored("beyond the model's budget")
# measured 3.7-4.3 characters a token on code; three bytes never promises more room than there is
_BYTES_PER_TOKEN = 3


def tokens_in(text: str) -> int:
    """Returns an upper estimate of the prompt tokens of a text, the same for every model."""
    return -(-len(text.encode("utf-8", "backslashreplace")) // _BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class FileCandidate:
    """A file that may be read. A lower ``rank`` is read first; ``left_out`` is the reason not to
    read it at all, if there is one. ``code`` means that leaving it out leaves code unread, unlike a
    picture.
    """

    file: FileDiff
    rank: int = 0
    left_out: str = ""
    code: bool = True


@dataclass(frozen=True, slots=True)
class FittedMaterial:
    """The result of the fitting: ``hunks`` are the lines that can be read and cited. ``parts`` is
    set if it takes several readings; ``text`` then holds what the parts share.
    """

    text: str
    hunks: tuple[Hunk, ...]
    coverage: tuple[Coverage, ...]
    parts: tuple[Part, ...] = ()


@dataclass(slots=True)
class _Room:
    left: int

    def take(self, text: str) -> bool:
        cost = tokens_in(text) + 1
        if cost > self.left:
            return False
        self.left -= cost
        return True


def fit(
    candidates: Sequence[FileCandidate], budget: int, *, legend: str = LEGEND
) -> FittedMaterial:
    """Returns the best reading of the files within ``budget`` prompt tokens.

    Rank by rank, whole files come first, in their order; then, of files that are too large as a
    whole, the pieces that fit. A tenth of the budget (from 40 to 600 tokens) is reserved for naming
    what was left out. The text never takes more than ``budget``, unless that is too small for the
    legend.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.rank)
    everything = "\n\n".join((legend, *(_whole(one.file) for one in ordered if not one.left_out)))
    named = 0
    if tokens_in(everything) > budget or any(one.left_out or one.file.lost for one in ordered):
        named = max(_NAMED, min(budget // 10, 600))
    room = _Room(budget - named)
    room.take(legend)
    read: dict[int, tuple[Hunk, ...]] = {}
    for _, group in groupby(ordered, key=lambda candidate: candidate.rank):
        _read_rank([one for one in group if not one.left_out], room, read)
    in_text = [one for one in ordered if id(one) in read]
    blocks = [block(one.file, read[id(one)]) for one in in_text]
    coverage = {id(one): covered(one, read.get(id(one))) for one in candidates}
    absent = missing([coverage[id(one)] for one in ordered], named)
    text = "\n\n".join([legend, *blocks, *absent])
    hunks = tuple(
        hunk for one in in_text if not one.file.submodule for hunk in read[id(one)]
    )  # a pointer has no line to find fault with
    return FittedMaterial(text, hunks, tuple(coverage[id(one)] for one in candidates))


def _read_rank(
    group: Sequence[FileCandidate], room: _Room, read: dict[int, tuple[Hunk, ...]]
) -> None:
    too_large = []
    for one in group:
        if room.take(_whole(one.file)):
            read[id(one)] = one.file.hunks
        else:
            too_large.append(one)
    for one in too_large:
        taken = _pieces_that_fit(one.file, room)
        if taken:
            read[id(one)] = taken


def _pieces_that_fit(file: FileDiff, room: _Room) -> tuple[Hunk, ...]:
    pieces = [piece for hunk in file.hunks for piece in split_hunk(hunk, PIECE)]
    smallest = min((tokens_in(render(piece)) for piece in pieces), default=0)
    title = heading(file)
    if not pieces or tokens_in(title) + smallest + 2 > room.left:
        return ()
    room.take(title)
    return tuple(piece for piece in pieces if room.take(render(piece)))


def block(file: FileDiff, hunks: Iterable[Hunk]) -> str:
    """Renders a file's heading and these hunks of it for the seats."""
    return "\n".join((heading(file), *map(render, hunks)))


def _whole(file: FileDiff) -> str:
    return block(file, file.hunks)


def covered(one: FileCandidate, hunks: tuple[Hunk, ...] | None) -> Coverage:
    """Returns the coverage of a file of which these hunks are shown; None means no hunk."""
    path = show_path(one.file.path)
    if one.left_out:
        return Coverage(path, Read.LEFT_OUT, one.left_out, one.code)
    if hunks is None:
        return Coverage(path, Read.LEFT_OUT, _BEYOND_BUDGET, one.code)
    fitted, total = (sum(len(hunk.lines) for hunk in some) for some in (hunks, one.file.hunks))
    if fitted < total:
        rest = stored(
            "{fitted} of {total} lines, the rest is beyond the model's budget",
            fitted=f"{fitted:,}",
            total=f"{total:,}",
        )
        return Coverage(path, Read.PARTIAL, rest, one.code)
    if one.file.lost:
        return Coverage(path, Read.PARTIAL, one.file.lost, one.code)
    if one.file.cut:
        cut = stored_many(
            one.file.cut, "{n} very long line shortened", "{n} very long lines shortened"
        )
        return Coverage(path, Read.PARTIAL, cut, one.code)
    if one.file.submodule:
        return Coverage(path, Read.FULL, stored("submodule, only the commit it names"), one.code)
    if total:
        return Coverage(path, Read.FULL)
    unchanged = stored("{why}, no text changed", why=one.file.status)
    return Coverage(path, Read.FULL, "; ".join((unchanged, *one.file.remarks)))


def missing(coverage: Sequence[Coverage], tokens: int) -> list[str]:
    """Lists the files that the seats do not see in at most ``tokens`` tokens, and counts the
    rest.
    """
    absent = [one for one in coverage if not one.full]
    if not absent:
        return []
    room, lines = _Room(tokens), [_MISSING]
    room.take(_MISSING)
    room.take("- and 9,999 more files")
    for index, one in enumerate(absent):
        line = f"- {one.path}: {one.state.replace('_', ' ')}, {one.reason}"
        if not room.take(line):
            rest = len(absent) - index
            lines.append(f"- and {rest:,} more {'file' if rest == 1 else 'files'}")
            break
        lines.append(line)
    return ["\n".join(lines)]
