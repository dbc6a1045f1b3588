"""Real reviewers' facts hold what is told of them, and the ways to decide are measured rightly."""

from __future__ import annotations

from random import Random

import pytest

from core.replies import Severity
from tests.bench import fitted, world
from tests.bench.reviewers.__main__ import overlap_lines, skill_lines


def test_the_facts_say_what_is_told_of_real_reviewers() -> None:
    lines = [line for line in skill_lines() if line.startswith("anthropic_claude-opus-4-5")]
    assert [line.partition(": ")[2] for line in lines[:2]] == [
        "recall 0.29 to 0.63, median 0.39",
        "serious 0.36 to 0.76, median 0.49",
    ]
    assert "3: 0.68, serious 0.79; 5: 0.78, serious 0.87" in lines[3]
    assert "overlap 0.40: joins 0.79 of the same, 0.073 of the different" in [*overlap_lines()]
    severities = [s for one in fitted.facts()["severities"] for s in one]
    assert [severities.count(s) for s in Severity] == [40, 47, 41, 9]


def test_no_word_of_the_source_is_kept() -> None:
    given = fitted.facts()
    assert set(given) == {
        "source", "commit", "tools", "changes", "severities", "raised", "overlaps",
    }  # fmt: skip
    things = [x for rows in given["raised"].values() for row in rows for one in row for x in one]
    assert things
    assert all(isinstance(x, int) for x in things)


def test_the_fitted_world_unites_as_real_reviewers_do() -> None:
    rng = Random(0)
    hits = dict.fromkeys((1, 2, 3, 5), 0)
    there = 0
    for _ in range(1500):
        for issue in fitted.drawn(fitted.SEATS, rng):
            if issue.known:
                there += 1
                for k in hits:
                    hits[k] += bool(set(issue.by) & set(fitted.SEATS[:k]))
    shares = [hits[k] / there for k in hits]
    assert shares == pytest.approx([0.42, 0.59, 0.68, 0.78], abs=0.03)


@pytest.mark.parametrize("inflated", [False, True])
def test_no_way_depends_on_the_order_of_seats_and_each_counts_its_calls(inflated: bool) -> None:
    given = fitted.Seats(inflated, world.SKILLS[1])
    tallies = {way.name: fitted.Tally() for way in fitted.WAYS}
    rng = Random(1)
    disorder = sum(
        fitted.play(n, fitted.drawn(fitted.SEATS, rng), fitted.SEATS, given, rng, tallies)
        for n in range(60)
    )
    assert disorder == 0
    assert tallies["union of three"].calls == 3
    assert 3 < tallies["selective, one refuter"].calls < tallies["selective, either of two"].calls
    one, three = (tallies[name].figures() for name in ("one critic", "union of three"))
    assert one[0] <= three[0], "who blocks more blocks more clean changes"
    assert one[1] >= three[1], "and misses less"
