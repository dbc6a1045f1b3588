"""Real reviewers' facts hold what is told of them."""

from __future__ import annotations

from core.replies import Severity
from tests.bench.reviewers.__main__ import facts, overlap_lines, skill_lines


def test_the_facts_say_what_is_told_of_real_reviewers() -> None:
    lines = [line for line in skill_lines() if line.startswith("anthropic_claude-opus-4-5")]
    assert [line.partition(": ")[2] for line in lines[:2]] == [
        "recall 0.29 to 0.63, median 0.39",
        "serious 0.36 to 0.76, median 0.49",
    ]
    assert "3: 0.68, serious 0.79; 5: 0.78, serious 0.87" in lines[3]
    assert "overlap 0.40: joins 0.79 of the same, 0.073 of the different" in [*overlap_lines()]
    severities = [s for one in facts()["severities"] for s in one]
    assert [severities.count(s) for s in Severity] == [40, 47, 41, 9]


def test_no_word_of_the_source_is_kept() -> None:
    given = facts()
    assert set(given) == {
        "source", "commit", "tools", "changes", "severities", "raised", "overlaps",
    }  # fmt: skip
    things = [x for rows in given["raised"].values() for row in rows for one in row for x in one]
    assert things
    assert all(isinstance(x, int) for x in things)
