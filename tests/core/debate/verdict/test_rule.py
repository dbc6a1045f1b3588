"""The rule of a review: one line of it at a time, its properties over all small tables, and what it
does to recorded positions.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.verdict.findings.rule import Point, decide

RECORDED = Path(__file__).with_name("positions.csv")
SEATS = tuple("abcde")


def point(fix: str = "", minor: str = "", unreal: str = "", **more: Any) -> Point:
    """Returns a point with a letter for each seat; the others that opened are silent."""
    silent = frozenset(SEATS) - frozenset(fix + minor + unreal)
    return Point(frozenset(fix), frozenset(minor), frozenset(unreal), silent, **more)


def votes(blocking: str, of: str = "abcde") -> dict[str, bool]:
    return {seat: seat in blocking for seat in of}


@pytest.mark.parametrize(
    ("blocking", "points", "blocks", "close"),
    [
        ("", [], False, False),
        ("abcde", [], True, False),
        ("abc", [], True, True),
        ("ab", [], False, True),
        ("a", [], False, False),
        # nobody argued: the votes decide, and a finding that most seats hold
        ("a", [point("a")], False, False),
        ("", [point("abc")], True, True),
        ("abc", [point("a"), point("b")], True, True),
        # argued: those who took a position decide, silent seats do not count
        ("a", [point("a", unreal="bc", argued=True)], False, True),
        ("ab", [point("ab", unreal="c", argued=True)], True, True),
        ("abc", [point("abc", argued=True)], True, False),
        ("ab", [point("ab", unreal="cd", argued=True)], False, True),
        ("a", [point("a", minor="b", unreal="c", argued=True)], False, True),
        # most votes block, whatever became of the points
        ("abc", [point("a", unreal="bcd", argued=True)], True, True),
        # what code and people decided, and what has no place
        ("", [point(settled=True)], True, False),
        ("ab", [point("abcd", argued=True, settled=False)], False, True),
        ("ab", [point("abcde", argued=True, located=False)], False, True),
    ],
)
def test_the_rule(blocking: str, points: list[Point], blocks: bool, close: bool) -> None:
    made = decide(votes(blocking), points)
    assert (made.blocks, made.close) == (blocks, close)


POINTS = st.lists(
    st.builds(
        lambda places, argued, located: point(
            *(
                "".join(s for s, place in zip(SEATS, places, strict=True) if place == n)
                for n in range(3)
            ),
            argued=argued,
            located=located,
        ),
        st.lists(st.integers(0, 3), min_size=5, max_size=5),
        st.booleans(),
        st.booleans(),
    ),
    max_size=3,
)
VOTES = st.dictionaries(st.sampled_from(SEATS), st.sampled_from([True, False, None]))
Cast = dict[str, bool | None]


@given(VOTES, POINTS)
def test_it_is_never_softer_than_most_votes_and_unanimity_stands(
    cast: Cast, points: list[Point]
) -> None:
    made = decide(cast, points)
    heard = [vote for vote in cast.values() if vote is not None]
    if 2 * sum(heard) > len(cast) or (heard and all(heard)):
        assert made.blocks
    nobody_holds = [Point(silent=frozenset(SEATS)) for _ in points]
    if not any(heard):
        assert not decide(cast, nobody_holds).blocks


@given(VOTES, POINTS, st.randoms())
def test_no_order_and_no_name_changes_it(cast: Cast, points: list[Point], rng: Random) -> None:
    names = dict(zip(SEATS, rng.sample(SEATS, len(SEATS)), strict=True))

    def renamed(seats: frozenset[str]) -> frozenset[str]:
        return frozenset(names[s] for s in seats)

    others = [
        Point(renamed(p.fix), renamed(p.minor), renamed(p.unreal), renamed(p.silent),
              p.argued, p.located, p.settled)
        for p in points
    ]  # fmt: skip
    made = decide(cast, points)
    other = decide({names[s]: v for s, v in cast.items()}, others)
    assert (other.blocks, other.close, other.points) == (made.blocks, made.close, made.points)
    for order in permutations(points):
        assert decide(cast, order).blocks == made.blocks


@given(VOTES, POINTS)
def test_one_more_seat_that_wants_a_point_fixed_never_makes_it_softer(
    cast: Cast, points: list[Point]
) -> None:
    before = decide(cast, points).blocks
    for n, one in enumerate(points):
        for seat in one.against:
            moved = Point(
                one.fix | {seat},
                one.minor - {seat},
                one.unreal - {seat},
                one.silent,
                one.argued,
                one.located,
            )
            assert decide(cast, [*points[:n], moved, *points[n + 1 :]]).blocks >= before


Row = dict[str, str]


def recorded() -> dict[str, list[Row]]:
    """Returns the recorded rows of each change: a seat's decision in its opening, a finding that it
    reported or argued over, and its position on it after the argument.
    """
    changes: dict[str, list[Row]] = defaultdict(list)
    with RECORDED.open(newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            changes[row["change"]].append(row)
    return changes


def ruled(rows: list[Row]) -> bool:
    """Plays the rule over the rows of one change."""
    seats = {row["seat"]: row["decision"] == "request_changes" for row in rows}
    final = dict(seats)
    by_finding: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["finding"]:
            by_finding[row["finding"]].append(row)
    points = []
    for about in by_finding.values():
        held: dict[str, set[str]] = {"must_fix": set(), "need_not_block": set(), "not_real": set()}
        for row in about:
            held[row["position"] or "must_fix"].add(row["seat"])
            if row["position"]:
                final[row["seat"]] = row["position"] == "must_fix"
        heard = set().union(*held.values())
        argued = any(row["position"] for row in about)
        points.append(
            Point(
                frozenset(held["must_fix"]),
                frozenset(held["need_not_block"]),
                frozenset(held["not_real"]),
                frozenset(set(seats) - heard),
                argued,
            )
        )
    return decide(final, points).blocks


def test_over_recorded_positions_the_rule_is_no_worse_than_the_vote_of_the_openings() -> None:
    """Defects are blocked at least as often as by a vote of the same openings, clean changes not
    more often. A change of the rule shows here what it does to real answers.
    """
    blocked = {"yes": 0, "no": 0}
    by_vote = {"yes": 0, "no": 0}
    for rows in recorded().values():
        kind = rows[0]["defect"]
        opened = {row["seat"]: row["decision"] == "request_changes" for row in rows}
        blocked[kind] += ruled(rows)
        by_vote[kind] += 2 * sum(opened.values()) > len(opened)
    assert blocked["yes"] >= by_vote["yes"]
    assert blocked["no"] <= by_vote["no"]
