"""``python -m tests.bench.context [ARCHIVES]``: what stands beside the changes of ``tests/cases``,
how many places and characters, and how long it takes to find.

``ARCHIVES`` holds ``<case>.tar.gz`` of the changed repositories at the head, its base or near them,
in one folder each, as forges, PyPI (source distributions), npm and Debian pack them. Where a
release holds the lines at other numbers, or still the base's, the change is moved to where they
stand in it (marked ``*``). A case without an archive, or with one that holds neither, is named and
not counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adapters.diffs.patches import parse
from adapters.redaction import shared
from adapters.repository.around import Pack, pack
from adapters.repository.tree import Tree, tree_of_archive
from core.material import Hunk, Near
from core.material.around import around_chars
from tests.standins.github import CASES

ROOM = 18_000
HEAD = f"{'case':<26}{'files':>6}{'places':>7}{'around':>7}{'calls':>6}{'callers':>8}{'chars':>7}"


def row(case: str, tree: Tree, packed: Pack, seconds: float) -> str:
    near = Counter(piece.near for piece in packed.pieces)
    kinds = f"{near[Near.ENCLOSES]:>7}{near[Near.DEFINES]:>6}{near[Near.CALLS]:>8}"
    figures = f"{around_chars(packed.pieces):>7}{1000 * seconds:>7.0f}"
    return f"{case:<26}{len(tree.files):>6}{len(packed.pieces):>7}{kinds}{figures}"


def hunks_of(case: str) -> tuple[Hunk, ...]:
    files = parse((CASES / f"{case}.diff").read_bytes(), shared()).files
    return tuple(hunk for file in files for hunk in file.hunks)


def moved(tree: Tree, hunks: Sequence[Hunk]) -> tuple[Tree, tuple[Hunk, ...]] | None:
    """Returns the tree with the change made in it, and the hunks numbered as they stand there; None
    where the tree holds neither side of a hunk.
    """
    files, made = dict(tree.files), list[Hunk]()
    for hunk in hunks:
        if hunk.path not in files:  # no source that is looked at
            made.append(hunk)
            continue
        lines = files[hunk.path].split("\n")
        new = [line.text for line in hunk.lines if line.mark != "-"]
        old = [line.text for line in hunk.lines if line.mark != "+"]
        near = next(line.new for line in hunk.lines if line.new is not None) - 1
        if (at := _place(lines, new, near)) is None:
            if (at := _place(lines, old, near)) is None:
                return None
            lines[at : at + len(old)] = new
        files[hunk.path] = "\n".join(lines)
        made.append(_numbered(hunk, at - near))
    return replace(tree, files=files), tuple(made)


def _place(lines: Sequence[str], wanted: Sequence[str], near: int) -> int | None:
    """Returns the number of the first of these lines, at the place nearest to ``near``; None where
    they are not there.
    """
    last = len(lines) - len(wanted)
    starts = [at for at in range(last + 1) if lines[at : at + len(wanted)] == wanted]
    return min(starts, key=lambda at: abs(at - near), default=None)


def _numbered(hunk: Hunk, by: int) -> Hunk:
    lines = (x if x.new is None else replace(x, new=x.new + by) for x in hunk.lines)
    return replace(hunk, lines=tuple(lines))


def main(arguments: Sequence[str]) -> None:
    archives = Path(arguments[0]) if arguments else Path()
    cases = sorted(file.stem for file in CASES.glob("*.json"))
    about = {case: json.loads((CASES / f"{case}.json").read_text("utf-8")) for case in cases}
    print(f"{HEAD}{'ms':>7}")
    for case in (c for c in cases if about[c].get("repository")):
        archive = archives / f"{case}.tar.gz"
        if not archive.is_file():
            print(f"{case:<26}no archive of {about[case]['repository']}")
            continue
        hunks = hunks_of(case)
        begun = time.perf_counter()
        tree = tree_of_archive(archive.read_bytes())
        seconds = time.perf_counter() - begun
        placed = moved(tree, hunks)
        if placed is None:
            print(f"{case:<26}the archive holds neither side of the change")
            continue
        begun = time.perf_counter()
        packed = pack(*placed, ROOM)
        seconds += time.perf_counter() - begun
        label = case if placed == (tree, hunks) else f"{case}*"
        print(row(label, tree, packed, seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
