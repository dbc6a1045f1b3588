"""Measures how near a quotation must be to be believed: ``python -m tools.bench.locating [CLONE
...]``.

Changes are the public cases in ``tests/cases`` and, if clones are named, the last changes of their
history. Quotations are made of their lines in the ways in which models misquote (a name spelled
otherwise, an argument dropped or put in, a literal changed), once to three times. Real quotations
are the removed lines of changed pairs, looked up in the new version only, as if the writer had the
version before in mind. Absent quotations are lines of the same project's other changes that this
change lacks: any place that is found for them is wrong.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.diffs.patches import parse
from core.debate.errors import BadInput
from core.debate.material import RIGHT, Hunk, Line, squeeze
from core.debate.material.locating import LineRun, runs_of
from core.debate.material.nearly import Nearly, TextRow
from tests.project import ROOT

BOUNDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
CASES = ROOT / "tests" / "cases"
_MOST = 60_000  # characters of a diff that is taken
_COMMITS = 120
_DRAWN = 12  # quotations of each kind from one change
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_OTHERS = ("value", "result", "options", "request", "handle", "count", "parsed", "name")


@dataclass(frozen=True)
class Change:
    """One change and the project that it is of."""

    project: str
    hunks: tuple[Hunk, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True)
class Trial:
    """A quotation, and its line numbers on the new side; none if the change lacks it."""

    kind: str
    quote: tuple[str, ...]
    true: frozenset[int]


def changes(clones: Sequence[str]) -> Iterator[Change]:
    for path in sorted(CASES.glob("*.diff")):
        yield from _change(path.stem.split("-")[0], path.read_bytes())
    for clone in clones:
        log = _git(clone, "log", "--no-merges", "--format=%H", f"-{_COMMITS}")
        for commit in log.decode().split():
            diff = _git(clone, "show", "--format=", "--no-color", "--no-ext-diff", commit)
            if 400 < len(diff) < _MOST:
                yield from _change(clone, diff)


def _git(clone: str, *words: str) -> bytes:
    return subprocess.run(("git", "-C", clone, *words), check=True, capture_output=True).stdout


def _change(project: str, diff: bytes) -> Iterator[Change]:
    try:
        files = parse(diff).files
    except BadInput:
        return
    if hunks := tuple(hunk for file in files for hunk in file.hunks):
        yield Change(project, hunks)


def misquoted(rng: random.Random, text: str, times: int) -> str:
    """Returns a line with ``times`` of the mistakes that models make."""
    for _ in range(times):
        names = list(_NAME.finditer(text))
        if not names:
            return text
        one = rng.choice(names)
        match rng.randrange(4):
            case 0:  # a name spelled otherwise
                part = one[0][: max(3, len(one[0]) // 2)]
                text = f"{text[: one.start()]}{part}_{rng.choice(_OTHERS)}{text[one.end() :]}"
            case 1:  # a word is left out
                text = text[: one.start()] + text[one.end() :]
            case 2:  # something is put in
                text = f"{text[: one.end()]}.{rng.choice(_OTHERS)}{text[one.end() :]}"
            case _:  # another name or literal
                text = f"{text[: one.start()]}{rng.choice(_OTHERS)}{text[one.end() :]}"
    return text


def trials(rng: random.Random, change: Change, others: Sequence[str]) -> Iterator[Trial]:
    """Yields trials; ``others`` are lines of other changes of the same project."""
    new = [(h, n) for h in change.hunks for n, x in enumerate(h.lines) if _telling(x)]
    for times in (1, 2, 3):
        for hunk, at in rng.sample(new, min(_DRAWN, len(new))):
            some = [x for x in hunk.lines[at : at + rng.choice((1, 1, 2, 3))] if x.mark != "-"]
            quote = tuple(misquoted(rng, x.text, times) for x in some)
            if not _stands(change, quote):
                numbers = frozenset(x.new for x in some if x.new is not None)
                yield Trial(f"misquoted {times}x", quote, numbers)
    for hunk in change.hunks:
        for old, line in _pairs(hunk):
            if not _stands(change, (old.text,)) and line.new is not None:
                yield Trial("as it was before", (old.text,), frozenset({line.new}))
    for text in rng.sample(others, min(2 * _DRAWN, len(others))):
        if not _stands(change, (text,)):
            yield Trial("stands nowhere", (text,), frozenset())


def _telling(line: Line) -> bool:
    return line.mark != "-" and len(squeeze(line.text)) >= 8 and bool(_NAME.search(line.text))


def _stands(change: Change, quote: Sequence[str]) -> bool:
    wanted = "".join(map(squeeze, quote))
    return wanted in "".join(squeeze(x.text) for x in change.lines if x.mark != "-")


def _pairs(hunk: Hunk) -> Iterator[tuple[Line, Line]]:
    """Pairs removed lines with the added ones that replace them: blocks of the same length side by
    side.
    """
    marks = "".join(line.mark for line in hunk.lines)
    for block in re.finditer(r"(?<!-)(-+)(\++)(?!\+)", marks):
        if len(block[1]) == len(block[2]):
            old = hunk.lines[block.start(1) : block.end(1)]
            for one, other in zip(old, hunk.lines[block.start(2) : block.end(2)], strict=True):
                if len(squeeze(one.text)) >= 8 and _NAME.search(one.text):
                    yield one, other


def _rows(change: Change) -> list[TextRow]:
    runs: list[LineRun] = [run for run in runs_of(change.hunks) if run.side == RIGHT]
    return [
        TextRow(n, run.path, run.side, number, text)
        for n, run in enumerate(runs)
        for number, text in run.lines
        if squeeze(text)
    ]


def measured(clones: Sequence[str], seed: int = 22) -> dict[str, list[tuple[float, bool]]]:
    """Returns, by kind, the best score of each quotation and whether its place is the true one."""
    rng = random.Random(seed)
    every = list(changes(clones))
    by_project: dict[str, list[str]] = {}
    for change in every:
        project = "cases" if change.project not in clones else change.project
        by_project.setdefault(project, []).extend(x.text for x in change.lines if _telling(x))
    scores: dict[str, list[tuple[float, bool]]] = {}
    for change in every:
        rows = _rows(change)
        nearly = Nearly(rows)
        project = "cases" if change.project not in clones else change.project
        for trial in trials(rng, change, by_project[project]):
            scored = nearly.scored(trial.quote)
            best = max((score for score, _ in scored), default=0.0)
            spans = [span for score, span in scored if score >= best - 1e-9]
            there = any(
                rows[n].number in trial.true for f, last in spans for n in range(f, last + 1)
            )
            scores.setdefault(trial.kind, []).append((best, there))
    return scores


def main() -> None:
    scored = measured(sys.argv[1:])
    rows = []
    for bound in BOUNDS:
        row = [f"{bound:.2f}"]
        for scores in scored.values():
            right = sum(score >= bound and there for score, there in scores) / len(scores)
            wrong = sum(score >= bound and not there for score, there in scores) / len(scores)
            row.append(f"{right:.2f} / {wrong:.3f}")
        rows.append(row)
    print(f"Quotations: {', '.join(f'{len(s):,} {kind}' for kind, s in scored.items())}.")
    print("At each bound, the share found at the true place / at a wrong one.\n")
    print(f"| bound | {' | '.join(scored)} |")
    print("|---" * (len(scored) + 1) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
