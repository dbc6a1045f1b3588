"""``python -m tools.bench.context SET CLONES``: how much code is shown around the changes of a set,
by the reason for showing it, and how long the search for it takes.

``CLONES`` holds the repositories as ``debate eval --clones`` takes them; a row without a clone that
holds its commits is left out and counted.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

from adapters.diffs.patches import parse
from adapters.evaluation.clones import find_clone
from adapters.evaluation.manifest import cases_of, commits_of, read_set
from adapters.evaluation.past import GitHistory
from adapters.repository.around import pack
from adapters.repository.tree import tree_of_archive
from core.debate.material import Near
from core.debate.material.rendering import around_chars
from core.evaluation import Case

ROOM = 18_000


async def cases(given: str, clones: Path) -> tuple[list[Case], int]:
    """Returns the cases whose clones are at hand, and the number of rows without one."""
    there: list[Case] = []
    left = 0
    for row in read_set(given).rows:
        past = await find_clone(clones, row.repo)
        if past is None or not await past.holds(commits_of(row)):
            left += 1
            continue
        there += await cases_of(row, past)
    return there, left


async def figures(case: Case) -> tuple[Counter[Near], int, float]:
    """Returns the characters by reason, the places without room, and the processor seconds."""
    assert case.range is not None
    past = await GitHistory.of(Path(case.range.clone))
    tree = tree_of_archive(await past.packed(case.range.commit))
    hunks = tuple(h for file in parse(case.diff).files for h in file.hunks)
    began = time.process_time()
    packed = pack(tree, hunks, ROOM)
    seconds = time.process_time() - began
    chars: Counter[Near] = Counter()
    for piece in packed.pieces:
        chars[piece.near] += around_chars([piece])
    return chars, len(packed.left), seconds


def lines(measured: list[tuple[Counter[Near], int, float]], left: int) -> Iterator[str]:
    totals = [chars.total() for chars, _, _ in measured]
    seconds = [taken for _, _, taken in measured]
    yield f"{len(measured)} changes; {left} rows without a clone"
    middle, most = median(totals), max(totals)
    yield f"characters: mean {mean(totals):,.0f}, median {middle:,.0f}, most {most:,}"
    for near in Near:
        share = sum(chars[near] for chars, _, _ in measured) / len(measured)
        yield f"  {near.value}: {share:,.0f} a change"
    yield f"no room for {sum(places for _, places, _ in measured)} places"
    yield f"seconds of a processor: median {median(seconds):.2f}, most {max(seconds):.2f}"


async def main() -> None:
    there, left = await cases(sys.argv[1], Path(sys.argv[2]))
    print("\n".join(lines([await figures(case) for case in there], left)))


if __name__ == "__main__":
    asyncio.run(main())
