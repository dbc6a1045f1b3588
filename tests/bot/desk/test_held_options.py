"""The commands that make a person's vote equal to all options that they hold, on whichever message
and by command.
"""

from __future__ import annotations

import pytest

from bot.desk.taking_part.held_options import TYPED, HeldOption, left_standing, mending_votes
from core.commands import CastVote, WithdrawVote
from core.verdict.votes import AUTHOR

ROOT, VERDICT = "reaction:slack:T1/C1 1.1 ", "reaction:slack:T1/C1 2.2 "


@pytest.mark.parametrize(
    ("held", "gone", "left"),
    [
        ([(ROOT, "approve"), (VERDICT, "comment")], [(VERDICT, "comment")], (ROOT, "approve")),
        ([(ROOT, "approve"), (VERDICT, "comment")], [(ROOT, "approve")], None),
        ([(ROOT, "approve"), (VERDICT, "approve")], [(ROOT, "approve")], (VERDICT, "approve")),
        (
            [(TYPED, "approve"), (ROOT, "comment"), (ROOT, "approve")],
            [(ROOT, "comment"), (ROOT, "approve")],
            (TYPED, "approve"),
        ),
        ([(ROOT, "approve")], [(ROOT, "approve")], None),
    ],
)
def test_the_last_one_standing_is_voted_again_where_its_vote_was_taken_away(
    held: list[tuple[str, str]], gone: list[tuple[str, str]], left: tuple[str, str] | None
) -> None:
    again = left_standing([HeldOption(*x) for x in held], [HeldOption(*x) for x in gone])
    assert again == (HeldOption(*left) if left else None)


def test_a_count_gives_what_is_missing_in_the_role_in_which_it_was_given() -> None:
    held = [HeldOption(ROOT, "approve", AUTHOR), HeldOption(VERDICT, "comment")]
    cast = CastVote("slack:T1/U1", "", "")
    assert mending_votes(held, VERDICT, ["comment"], "comment", cast) == []
    assert mending_votes(held, VERDICT, [], "comment", cast) == [
        (VERDICT, WithdrawVote("slack:T1/U1", "comment", "")),
        (ROOT, CastVote("slack:T1/U1", "approve", "", AUTHOR)),
    ]
    assert mending_votes(held[:1], VERDICT, [], "", cast) == [
        (ROOT, CastVote("slack:T1/U1", "approve", "", AUTHOR))
    ], "a crash came in between"
    assert mending_votes([], VERDICT, ["comment"], "", cast) == [
        (VERDICT, CastVote("slack:T1/U1", "comment", ""))
    ]
