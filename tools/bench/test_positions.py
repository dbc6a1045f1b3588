"""What the rule of a review decides on recorded positions of real reviews: a change of the rule
shows here at once.
"""

from __future__ import annotations

from tools.bench.positions import ANSWERS, CHOSEN, POSITIONS, recorded, report


def test_the_rule_decides_on_recorded_positions_as_the_page_says() -> None:
    """If the rule has changed on purpose, write what ``python -m tools.bench.positions`` prints to
    ``answers/summary.txt``, and the figures to ``docs/judgement.md``.
    """
    assert list(report()) == (ANSWERS / "summary.txt").read_text("utf-8").splitlines()


def test_the_recorded_decisions_are_those_of_the_rule() -> None:
    reviews = [*recorded(POSITIONS), *recorded(CHOSEN)]
    other = [r.change for r in reviews if (r.decision == "request_changes") != r.last.ruling.blocks]
    assert other == []
