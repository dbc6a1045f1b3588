"""``python -m tests.bench.context [ARCHIVES]``: what stands beside the changes of ``tests/cases``,
how many places and characters, and how long it takes to find.

``ARCHIVES`` holds ``<case>.tar.gz`` of the changed repositories at the head or near it, in one
folder each, as forges, PyPI (source distributions) and npm pack them. A case without an archive, or
with one whose lines are others, is named and not counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
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


def row(case: str, tree: Tree, found: Pack, seconds: float) -> str:
    near = Counter(piece.near for piece in found.pieces)
    kinds = f"{near[Near.ENCLOSES]:>7}{near[Near.DEFINES]:>6}{near[Near.CALLS]:>8}"
    figures = f"{around_chars(found.pieces):>7}{1000 * seconds:>7.0f}"
    return f"{case:<26}{len(tree.files):>6}{len(found.pieces):>7}{kinds}{figures}"


def hunks_of(case: str) -> tuple[Hunk, ...]:
    files = parse((CASES / f"{case}.diff").read_bytes(), shared()).files
    return tuple(hunk for file in files for hunk in file.hunks)


def same_lines(tree: Tree, hunks: Sequence[Hunk]) -> bool:
    """Whether the archive holds the change's own lines where the diff has them."""
    for hunk in hunks:
        lines = tree.files.get(hunk.path, "").split("\n")
        for line in hunk.lines:
            if line.new is not None and lines[line.new - 1 : line.new] != [line.text]:
                return False
    return True


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
        found = pack(tree, hunks, ROOM)
        seconds = time.perf_counter() - begun
        if same_lines(tree, hunks):
            print(row(case, tree, found, seconds))
        else:
            print(f"{case:<26}the archive holds other lines: {len(found.pieces)} places")


if __name__ == "__main__":
    main(sys.argv[1:])
