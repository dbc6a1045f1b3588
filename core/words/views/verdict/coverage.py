"""Describes how much of the material was read, and which files were not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.debate.material import NAMELESS, Coverage, Read
from core.debate.state import Debate
from core.debate.verdict.unread import covered, parts_read, unread
from core.languages import msgid, say, say_if, say_many
from core.languages.stored import say_stored
from core.words.views.language.grammar import (
    and_more,
    bracketed,
    capital,
    listed,
    plural,
    shortened,
)
from core.words.views.language.seats import seat_name

STATES = {
    Read.FULL: msgid("read"),
    Read.PARTIAL: msgid("read in part"),
    Read.LEFT_OUT: msgid("not read"),
}
_NAMED = 3
_PATH, _REASON = 80, 60


def coverage_words(file: Coverage) -> str:
    """Describes how a file was read."""
    return say(STATES[file.state])


def file_line(file: Coverage) -> str:
    """Returns a file with its coverage: "uv.lock (lock file)", "app/db.py (read in part, too
    long)".
    """
    why = [shortened(say_stored(file.reason), _REASON)]
    if file.state is Read.PARTIAL:
        why.insert(0, coverage_words(file))
    return shortened(file.path, _PATH) + bracketed(", ".join(filter(None, why)))


def files_read(coverage: Sequence[Coverage]) -> str:
    """Writes "3 files read" or "2 of 3 files read in full"; "" if the material has no files."""
    full, files = sum(c.full for c in coverage), plural(len(coverage), "file")
    if full < len(coverage):
        return say("{full} of {why_files} read in full", full=full, why_files=files)
    if [c.path for c in coverage] == [NAMELESS]:
        return say("the whole text read")
    return say_if(coverage, msgid("{files} read"), files=files)


def coverage_line(debate: Debate) -> str:
    """Describes in one line how much of the material was read."""
    coverage = covered(debate)
    partly = sum(c.state is Read.PARTIAL for c in coverage)
    left_out = [f"{c.path} ({say_stored(c.reason)})" for c in coverage if c.state is Read.LEFT_OUT]
    parts = (
        files_read(coverage),
        say_if(partly, msgid("{partly} in part"), partly=partly),
        say_if(
            left_out,
            msgid("{count} left out: {left_out}{more}"),
            count=len(left_out),
            left_out=", ".join(left_out[:_NAMED]),
            more=" …" if len(left_out) > _NAMED else "",
        ),
    )
    return ", ".join(filter(None, parts))


def not_read_line(debate: Debate) -> str:
    """Names the first files that were not read in full; empty if all were."""
    lines = [file_line(file) for file in covered(debate) if not file.full]
    return listed(lines[:_NAMED]) + and_more(len(lines) - _NAMED)


def not_read_warning(debate: Debate) -> str:
    """Counts in a sentence the files that were not read in full; empty if all were."""
    files = covered(debate)
    if partly := sum(not file.full for file in files):
        return say_many(
            partly,
            "{n} of {files} was not read in full.",
            "{n} of {files} were not read in full.",
            files=plural(len(files), "file"),
        )
    return ""


def unread_sentence(debate: Debate) -> str:
    """Names the changed files with code that no seat read; empty if all was read."""
    left = unread(debate)
    if not left:
        return ""
    named = ", ".join(f"{one.path} ({say_stored(one.reason)})" for one in left[:_NAMED])
    more = and_more(len(left) - _NAMED)
    return say("Nobody read this changed code: {named}{more}.", named=named, more=more)


def redacted_sentence(debate: Debate) -> str:
    """Counts the secrets that were hidden from the models; empty for none."""
    if n := debate.open.material.redacted:
        return say_many(
            n,
            "{n} secret was taken out before anything was stored or sent.",
            "{n} secrets were taken out before anything was stored or sent.",
        )
    return ""


def part_sentences(debate: Debate) -> Iterator[tuple[str, Sequence[str]]]:
    """Describes which seats read which part of a split change: one sentence if all of them read all
    of it, else one for each part that a seat missed, with its paths.
    """
    parts = parts_read(debate)
    if not parts:
        return
    readers = sorted({seat for one in parts for seat in (*one.by, *one.missed)})
    names = listed([seat_name(debate, seat) for seat in readers])
    yield say("Read in {count} parts by {names}.", count=len(parts), names=names), ()
    for one in parts:
        if one.missed:
            gone = listed([seat_name(debate, seat) for seat in one.missed])
            yield (
                say(
                    "{states} by {gone}: part {number}",
                    states=capital(say(STATES[Read.LEFT_OUT])),
                    gone=gone,
                    number=one.number,
                ),
                one.paths,
            )
