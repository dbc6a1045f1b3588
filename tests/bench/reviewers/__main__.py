"""``python -m tests.bench.reviewers``: what real tools' stored reviews say about reviewers, and
about the bound from which two wordings are one finding.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import correlation, mean, median
from typing import Any

from core.replies import Severity

FACTS = Path(__file__).with_name("facts.json")
SILENT = ("graphite", "kg")
"""Tools that say next to nothing: they are left out."""
BOUNDS = (0.34, 0.4, 0.45, 0.5, 0.6)


@cache
def facts() -> dict[str, Any]:
    """Returns the stored facts, without a sentence of the reviews."""
    return dict(json.loads(FACTS.read_text("utf-8")))


def skill_lines() -> Iterator[str]:
    """Yields recall, union and corroboration of the tools, by each judge."""
    for judge in facts()["raised"]:
        yield from (f"{judge}: {line}" for line in _skill(judge))


def _skill(judge: str) -> Iterator[str]:
    given = facts()
    speaking = [n for n, tool in enumerate(given["tools"]) if tool not in SILENT]
    cells = [
        (row, number, Severity(severity).rank >= Severity.HIGH.rank)
        for row, severities in zip(given["raised"][judge], given["severities"], strict=True)
        for number, severity in enumerate(severities)
    ]
    hits_of = {n: [number in row[n] for row, number, _ in cells] for n in speaking}
    hard = [n for n, (_, _, serious) in enumerate(cells) if serious]
    recall = sorted(mean(hits) for hits in hits_of.values())
    serious = sorted(mean(hits[n] for n in hard) for hits in hits_of.values())
    off = sorted(
        mean(sum(x < 0 for x in row[n]) for row in given["raised"][judge]) for n in speaking
    )
    for what, values in (("recall", recall), ("serious", serious), ("off key a change", off)):
        yield f"{what} {values[0]:.2f} to {values[-1]:.2f}, median {median(values):.2f}"
    unions = []
    for k in (1, 2, 3, 5, 7):
        both = [
            [any(hits_of[n][cell] for n in some) for cell in range(len(cells))]
            for some in combinations(speaking, k)
        ]
        every = mean(mean(hits) for hits in both)
        grave = mean(mean(hits[n] for n in hard) for hits in both)
        unions.append(f"{k}: {every:.2f}, serious {grave:.2f}")
    yield f"union of {'; '.join(unions)}"
    pairs = [
        correlation([float(x) for x in hits_of[a]], [float(x) for x in hits_of[b]])
        for a, b in combinations(speaking, 2)
    ]
    yield f"correlation of two tools' hits {mean(pairs):.2f}"
    yield f"found by, of three: {'; '.join(_corroborated(judge, speaking))}"


def _corroborated(judge: str, speaking: Sequence[int]) -> Iterator[str]:
    """Returns how the likelihood of being a known defect changes with the number of tools that
    raise it.
    """
    known, other = [0, 0, 0, 0], [0, 0, 0, 0]
    for some in combinations(speaking, 3):
        for row in facts()["raised"][judge]:
            raised = [x for n in some for x in set(row[n])]
            for thing in set(raised):
                (known if thing >= 0 else other)[raised.count(thing)] += 1
    for n in (1, 2, 3):
        ratio = (known[n] / sum(known)) / max(1e-9, other[n] / sum(other))
        yield f"{n}: ratio {ratio:.2f}, off key {other[n] / (known[n] + other[n]):.2f}"


def overlap_lines() -> Iterator[str]:
    """Yields, for each bound of the merging, the pairs of two tools' wordings that it joins."""
    overlaps = facts()["overlaps"]
    same, different = overlaps["same"], overlaps["different"]
    yield f"{sum(same):,} pairs of one defect, {sum(different):,} of different things"
    for bound in BOUNDS:
        at = round(bound * overlaps["bins"])
        joined, wrongly = sum(same[at:]) / sum(same), sum(different[at:]) / sum(different)
        yield f"overlap {bound:.2f}: joins {joined:.2f} of the same, {wrongly:.3f} of the different"


def main() -> None:
    print(*skill_lines(), "", *overlap_lines(), sep="\n")


if __name__ == "__main__":
    main()
