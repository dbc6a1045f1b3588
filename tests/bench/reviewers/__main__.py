"""``python -m tests.bench.reviewers``: real tools' stored reviews through the project's own rules.

Which tool raised what is real; the severities that they state, how sure they are and what they
answer in a debate are drawn as in ``tests.bench.fitted``. Three, or five, of the tools are drawn
for each reading of each change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from statistics import correlation, mean, median

from core.replies import Severity
from tests.bench import world
from tests.bench.fitted import (
    SILENT,
    WAYS,
    Issue,
    Seats,
    Tally,
    beside,
    facts,
    lines,
    play,
)

READINGS = 12
"""Draws of tools for each change, skill and manner of stating severities."""
BOUNDS = (0.34, 0.4, 0.45, 0.5, 0.6)


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


def measure(judge: str) -> tuple[dict[str, dict[str, Tally]], int]:
    """Plays the real reviews of one judge through every way to decide."""
    given = facts()
    speaking = [n for n, tool in enumerate(given["tools"]) if tool not in SILENT]
    measured: dict[str, dict[str, Tally]] = {}
    disorder = 0
    for inflated in (False, True):
        for skill in world.SKILLS:
            seats = Seats(inflated, skill)
            tallies = measured.setdefault(seats.name, {way.name: Tally() for way in WAYS})
            rng = Random(f"{seats}{judge}")
            for n, (row, severities) in enumerate(
                zip(given["raised"][judge], given["severities"], strict=True)
            ):
                for _ in range(READINGS):
                    names = [given["tools"][t] for t in rng.sample(speaking, 5)]
                    sitting = dict(zip((*world.CRITICS, "fourth", "fifth"), names, strict=True))
                    rows = {seat: row[given["tools"].index(t)] for seat, t in sitting.items()}
                    issues = _issues(rows, severities, rng)
                    disorder += play(n, issues, tuple(sitting), seats, rng, tallies)
    return measured, disorder


def _issues(rows: dict[str, list[int]], severities: Sequence[str], rng: Random) -> list[Issue]:
    known = [
        Issue(Severity(severity), True, tuple(s for s, things in rows.items() if n in things))
        for n, severity in enumerate(severities)
    ]
    others = sorted({x for things in rows.values() for x in things if x < 0})
    return known + [
        Issue(beside(rng), False, tuple(s for s, things in rows.items() if x in things))
        for x in others
    ]


def main() -> None:
    print(*skill_lines(), "", *overlap_lines(), "", sep="\n")
    judge = next(iter(facts()["raised"]))
    measured, disorder = measure(judge)
    print(*lines(measured), "", sep="\n")
    print(f"of them changed by the order of seats: {disorder}")


if __name__ == "__main__":
    main()
