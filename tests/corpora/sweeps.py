"""Limits, one by one: what is cut, fitted or searched, from too little room to more than enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from core.casting import StatedConfidence
from core.evaluation.figures import mcnemar
from core.material import Hunk, Line, Material, MaterialKind
from core.material.coverage import FileCandidate, FittedMaterial, fit, missing
from core.material.diffs import (
    LEFT,
    RIGHT,
    FileDiff,
    FileStatus,
    hunk_around,
    hunk_header,
    render,
    split_hunk,
)
from core.material.locating import Lines, runs_of
from core.material.parts import fit_in_parts
from core.material.plaintext import at_most, cell, cut, neutral, one_line
from core.prompting.frame import shorten
from core.verdict.learned.discounts import calibration_factor, load_factor
from core.verdict.votes import too_few, wilson
from core.views.language.grammar import shortened
from core.views.language.seats import initials
from tests.corpora.surfaces import text_of

_TEXTS = (
    "one two  three, four; five", "unbroken" * 5, "a b c d e f g h", "",
    "`code` and **bold** @who <b> https://e.example/x.", "```py\nx = 1\n```\nafter\n# head",
    "| a | b |\n|---|---|\n| 1 | 2 |", "ends here.  ", "\u202ehidden\u200b text",
)  # fmt: skip
_CODE = (
    "def rows(db):", "    if db:", "        return db.rows()", "    }", "", "    return None", "}",
    "    log.info(db)", "def rows(db, name):", "    return db.rows()", "x", "    total += row",
)  # fmt: skip


def _texts(number: int) -> str:
    """A text within each limit."""
    text = _TEXTS[number]
    made = []
    for limit in range(1, len(text) + 3):
        made += [cut(text, limit), one_line(text, limit), cell(text, limit), neutral(text, limit)]
        made += [shorten(text, limit), shortened(text, limit)]
    for most in range(4):
        made += [f"{at_most(text.split()[:4], most, what)}" for what in ("", "rows")]
    names = ("security critic", "P1", "author", text[:9])
    made += [initials(name, taken) for name in names for taken in ((), ("SC", "S", "AU"), ("P1",))]
    return "\n".join(made)


def _shares(number: int) -> str:
    """Every count of votes up to some, and what they say."""
    made: list[object] = []
    for votes in range(number + 1):
        made += [wilson(votes, number), too_few(number), mcnemar(votes, number)]
        made += [calibration_factor(StatedConfidence(s / 10, votes, number)) for s in range(11)]
        made += [load_factor({"a": votes, "b": other, "c": 1}, "a") for other in range(number + 1)]
    return text_of(made)


def _hunk(rng: Random, path: str) -> Hunk:
    old = new = rng.choice((1, 9, 98))
    lines = []
    for _ in range(rng.randint(1, 9)):
        mark, text = rng.choice(" +-+"), rng.choice(_CODE)
        lines.append(Line(mark, text, None if mark == "+" else old, None if mark == "-" else new))
        old, new = old + (mark != "+"), new + (mark != "-")
    return Hunk(path, hunk_header(lines), tuple(lines))


def _candidate(rng: Random, number: int) -> FileCandidate:
    path = rng.choice(("a.py", "lib/b.py", "docs/long name of a file.md")) + str(number)
    hunks = tuple(_hunk(rng, path) for _ in range(rng.choice((0, 1, 1, 2))))
    file = FileDiff(
        path, rng.choice(("", "", "old.py")), rng.choice(list(FileStatus)), hunks=hunks,
        submodule=rng.random() < 0.1, cut=rng.choice((0, 0, 1, 2)),
        remarks=("mode changed",) * (rng.random() < 0.2),
    )  # fmt: skip
    left_out = "generated" if rng.random() < 0.15 else ""
    return FileCandidate(file, rng.choice((0, 0, 1)), left_out, rng.random() < 0.8)


def _all_of(fitted: FittedMaterial) -> str:
    lines = [len(hunk.lines) for hunk in fitted.hunks]
    parts = [(part.paths, part.text) for part in fitted.parts]
    return text_of([fitted.text, lines, fitted.coverage, parts])


def _fitted(number: int) -> str:
    """Files within each budget, in one reading and in parts, and hunks in pieces of each length."""
    rng = Random(f"fitted {number}")
    files = [_candidate(rng, n) for n in range(rng.randint(1, 5))]
    made = [_all_of(fit(files, budget)) for budget in range(60, 260, 3)]
    made += [_all_of(fit_in_parts(files, budget, number % 4)) for budget in range(180, 300, 5)]
    covered = fit(files, 60).coverage
    made += [text_of(missing(covered, tokens)) for tokens in range(10, 70)]
    hunks = [hunk for one in files for hunk in one.file.hunks]
    pieces = [split_hunk(hunk, most) for hunk in hunks for most in range(1, len(hunk.lines) + 2)]
    made += ["\n".join(map(render, each)) for each in pieces]
    material = Material(MaterialKind.DIFF, "T", "", hunks=tuple(hunks))
    for hunk in hunks[:2]:
        for line in (None, *range(hunk.lines[0].new or 0, 12)):
            made += [
                hunk_around(material, hunk.path, line, side, context)
                for side in (RIGHT, LEFT)
                for context in (0, 1, 3)
            ]
    return "\n".join(made)


def _quotes(lines: list[Line], rng: Random) -> Iterator[str]:
    """Every length of some lines, from their beginning and to their end."""
    for at in rng.sample(range(len(lines)), min(4, len(lines))):
        text = "\n".join(line.text for line in lines[at : at + rng.choice((1, 1, 2, 3))])
        yield from (text[:end] for end in range(1, len(text) + 1, 2))
        yield from (text[start:] for start in range(1, len(text), 3))
        yield from (f"{text[:6]}...{text[end:]}" for end in range(8, len(text), 3))
        yield from ("+ " + text.replace("\n", "\n- "), f"'{text}'", f"12 | {text}")


def _places(number: int) -> str:
    """Quotations of every length in code that repeats itself, beside each stated line."""
    rng = Random(f"places {number}")
    hunks = tuple(_hunk(rng, path) for path in ("a.py", "a.py", "b/a.py"))
    hunks = tuple(
        replace(h, lines=tuple(replace(x, old=x.old and x.old + n * 50) for x in h.lines))
        for n, h in enumerate(hunks)
    )
    index, lines = Lines(runs_of(hunks)), [line for hunk in hunks for line in hunk.lines]
    made = []
    for quote in _quotes(lines, rng):
        stated = rng.choice(lines)
        path, side = rng.choice(("", "a.py", "./a.py", "x.py")), rng.choice((RIGHT, LEFT))
        place = index.find(quote, path, rng.choice((stated.new, stated.old)), side)
        made.append(f"{quote!r} {path} {side} {place}")
    return "\n".join(made)


CORPORA = {
    "limits": (len(_TEXTS), _texts),
    "shares": (14, _shares),
    "fitted": (45, _fitted),
    "places": (60, _places),
}
