"""Describes how much of the material was read, and which files were not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.debate.material import NAMELESS, Coverage, Read
from core.debate.state import Debate
from core.debate.verdict.unread import covered, parts_read, unread
from core.words.views.language.grammar import capital, listed, plural, shortened
from core.words.views.language.seats import seat_name

STATES = {Read.FULL: "read", Read.PARTIAL: "read in part", Read.LEFT_OUT: "not read"}
_NAMED = 3
_PATH, _REASON = 80, 60


@dataclass(frozen=True, slots=True)
class FileView:
    """The coverage of one file: ``state`` says in words how it was read, ``reason`` why not in full
    ("" where it was).
    """

    path: str
    state: str
    reason: str
    full: bool

    @property
    def line(self) -> str:
        """Returns the file with its coverage: "uv.lock (lock file)", "app/db.py (read in part, too
        long)".
        """
        part = self.state if self.state == STATES[Read.PARTIAL] else ""
        why = ", ".join(filter(None, (part, shortened(self.reason, _REASON))))
        path = shortened(self.path, _PATH)
        return f"{path} ({why})" if why else path


def file_views(debate: Debate) -> tuple[FileView, ...]:
    """Returns the coverage of every file of the material."""
    return tuple(
        FileView(c.path, STATES[c.state], c.reason, c.state is Read.FULL) for c in covered(debate)
    )


def files_read(coverage: Sequence[Coverage]) -> str:
    """Writes "3 files read" or "2 of 3 files read in full"; "" where the material has no files."""
    full = sum(c.state is Read.FULL for c in coverage)
    if full == len(coverage):
        if [c.path for c in coverage] == [NAMELESS]:
            return "the whole text read"
        return f"{plural(full, 'file')} read" if coverage else ""
    return f"{full} of {plural(len(coverage), 'file')} read in full"


def coverage_line(debate: Debate) -> str:
    """Describes in one line how much of the material was read."""
    coverage = covered(debate)
    partly = sum(c.state is Read.PARTIAL for c in coverage)
    left_out = [f"{c.path} ({c.reason})" for c in coverage if c.state is Read.LEFT_OUT]
    parts = [files_read(coverage)]
    if partly:
        parts.append(f"{partly} in part")
    if left_out:
        more = " …" if len(left_out) > _NAMED else ""
        parts.append(f"{len(left_out)} left out: {', '.join(left_out[:_NAMED])}{more}")
    return ", ".join(filter(None, parts))


def not_read_line(debate: Debate) -> str:
    """Names the first files that were not read in full; empty if all were."""
    lines = [file.line for file in file_views(debate) if not file.full]
    if len(lines) > _NAMED:
        return f"{listed(lines[:_NAMED])} and {len(lines) - _NAMED} more"
    return listed(lines)


def not_read_warning(debate: Debate) -> str:
    """Counts in a sentence the files that were not read in full; empty if all were."""
    files = file_views(debate)
    if partly := sum(not file.full for file in files):
        were = "was" if partly == 1 else "were"
        return f"{partly} of {plural(len(files), 'file')} {were} not read in full."
    return ""


def unread_sentence(debate: Debate) -> str:
    """Names the changed files with code that no seat read; empty if all was read."""
    left = unread(debate)
    if not left:
        return ""
    named = ", ".join(f"{one.path} ({one.reason})" for one in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return f"Nobody read this changed code: {named}{more}."


def redacted_sentence(debate: Debate) -> str:
    """Counts the secrets that were hidden from the models; empty for none."""
    if n := debate.open.material.redacted:
        taken = plural(n, "secret was", "secrets were")
        return f"{taken} taken out before anything was stored or sent."
    return ""


def part_sentences(debate: Debate) -> Iterator[tuple[str, Sequence[str]]]:
    """Describes which seats read which part of a split change: one sentence where all of them read
    all of it, else one for each part that a seat missed, with its paths.
    """
    parts = parts_read(debate)
    if not parts:
        return
    readers = sorted({seat for one in parts for seat in (*one.by, *one.missed)})
    names = listed([seat_name(debate, seat) for seat in readers])
    yield f"Read in {len(parts)} parts by {names}.", ()
    for one in parts:
        if one.missed:
            gone = listed([seat_name(debate, seat) for seat in one.missed])
            yield f"{capital(STATES[Read.LEFT_OUT])} by {gone}: part {one.number}", one.paths
