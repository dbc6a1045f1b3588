"""The result of an arm is read off a debate rightly."""

from __future__ import annotations

from core.debate.usage import Usage
from core.evaluation.arms import _seconds
from tests.core.table import table


def test_seats_of_one_round_speak_at_the_same_time_and_rounds_one_after_another() -> None:
    t = table().fails("t3")
    for turn, seconds in (("t1", 2.0), ("t2", 3.0), ("u1", 4.0), ("u2", 1.0)):
        t.says(turn, "comment", usage=Usage(1, 1, 1, 0.0, 1, seconds))
    assert _seconds(t.debate) == 7.0
