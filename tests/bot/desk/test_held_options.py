"""The commands that make a person's vote equal to all options that they hold, on whichever message
and by command.
"""

from __future__ import annotations

import pytest

from bot.desk.taking_part.held_options import (
    TYPED,
    HeldOption,
    held_options,
    left_standing,
    mending_votes,
    option_of,
)
from core.debate.commands import CastVote, Command, Pause, WithdrawVote
from core.debate.template import Option
from core.debate.verdict.votes import AUTHOR
from storage.commands import QueuedCommand

BALLOT = (Option("approve", "white_check_mark"), Option("comment"), Option("block"))
ROOT, VERDICT = "reaction:slack:T1/C1 1.1 ", "reaction:slack:T1/C1 2.2 "


@pytest.mark.parametrize(
    ("held", "gone", "left"),
    [
        ([(ROOT, "approve"), (VERDICT, "comment")], [(VERDICT, "comment")], (ROOT, "approve")),
        ([(ROOT, "approve"), (VERDICT, "comment")], [(ROOT, "approve")], None),
        ([(ROOT, "approve"), (VERDICT, "approve")], [(ROOT, "approve")], (VERDICT, "approve")),
        ([(TYPED, "approve"), (ROOT, "comment"), (ROOT, "approve")],
         [(ROOT, "comment"), (ROOT, "approve")], (TYPED, "approve")),
        ([(ROOT, "approve")], [(ROOT, "approve")], None),
    ],
)  # fmt: skip
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


def test_a_reaction_votes_by_its_options_emoji_or_by_number() -> None:
    cases: list[tuple[str, str | None]] = [
        ("white_check_mark", "approve"),
        ("heavy_check_mark", "approve"),  # the same sign by another name
        ("one", None),  # an option with an emoji has no number
        ("two", "comment"),
        ("three", "block"),
        ("four", None),
        ("tada", None),
    ]
    for emoji, option in cases:
        assert option_of(emoji, BALLOT) == option
    long = [Option(name) for name in "abcdefghij"]
    emojis = ("nine", "ten", "keycap_ten", "10")
    assert [option_of(emoji, long) for emoji in emojis] == ["i", None, None, None]


def queue(*pairs: tuple[str, Command]) -> list[QueuedCommand]:
    return [QueuedCommand(n, command, key) for n, (key, command) in enumerate(pairs)]


def test_typed_numbers_are_options_and_only_the_last_typed_one_counts() -> None:
    commands = queue(
        ("m1", CastVote("ann", "2")),
        ("m2", CastVote("ann", "3", role=AUTHOR)),
        ("m3", CastVote("bo", "1")),
        ("m4", CastVote("cy", "none of them")),
        ("m5", Pause("ann")),
        ("m6", CastVote("ann", "1", "f1")),
    )
    held = held_options(commands, "", BALLOT)
    assert held == {
        "ann": [HeldOption(TYPED, "block")],
        "bo": [HeldOption(TYPED, "approve")],
        "cy": [HeldOption(TYPED, "none of them")],
    }
    assert held["ann"][0].role == AUTHOR


def test_reactions_stay_beside_what_is_typed_until_they_are_taken_back() -> None:
    seen, again = f"{ROOT}event1", f"{ROOT}event2"
    commands = queue(
        (seen, CastVote("ann", "approve")),
        (f"{VERDICT}event3", CastVote("ann", "comment")),
        ("m1", CastVote("ann", "3")),
        (again, CastVote("ann", "approve")),
    )
    options = [HeldOption(VERDICT, "comment"), HeldOption(TYPED, "block")]
    assert held_options(commands, "", BALLOT) == {"ann": [*options, HeldOption(ROOT, "approve")]}
    commands += queue((f"{ROOT}event4", WithdrawVote("ann", "approve")))
    assert held_options(commands, "", BALLOT) == {"ann": options}
    commands += queue((f"{ROOT}event5", WithdrawVote("ann", "comment")))
    assert held_options(commands, "", BALLOT) == {"ann": options}, "it stands on the other message"
    commands += queue(
        (f"{VERDICT}event6", WithdrawVote("ann", "comment")), ("m2", WithdrawVote("ann", "block"))
    )
    assert held_options(commands, "", BALLOT) == {}


def test_what_is_mended_on_one_message_needs_no_second_vote_for_the_options_elsewhere() -> None:
    """A vote that differs from what is held is given again alone where nothing else is mended."""
    held = [HeldOption(ROOT, "approve"), HeldOption(VERDICT, "comment")]
    cast = CastVote("ann", "", "")
    added = mending_votes(held, VERDICT, ["comment", "block"], "approve", cast)
    assert added == [(VERDICT, CastVote("ann", "block", ""))]
    gone = mending_votes(held, ROOT, [], "approve", cast)
    assert gone == [(ROOT, WithdrawVote("ann", "approve", ""))]
    assert mending_votes(held, VERDICT, ["comment"], "approve", cast) == [
        (VERDICT, CastVote("ann", "comment", ""))
    ]
    assert mending_votes([], VERDICT, [], "approve", cast) == []


def test_an_option_that_changed_on_its_message_is_taken_back_before_the_new_one_is_given() -> None:
    held = [HeldOption(TYPED, "block"), HeldOption(ROOT, "approve", AUTHOR)]
    cast = CastVote("ann", "", "f1", AUTHOR)
    assert mending_votes(held, ROOT, ["comment"], "approve", cast) == [
        (ROOT, WithdrawVote("ann", "approve", "f1")),
        (ROOT, CastVote("ann", "comment", "f1", AUTHOR)),
    ]
