"""Options out of loose text, and counts that leave nobody out."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.events import VoteWithdrawn
from core.debate.replies import Stance
from core.debate.script import SeatId
from core.debate.verdict.votes import (
    FINDING_BALLOT,
    count_people,
    final_votes,
    find_option,
    has_majority,
    independent_votes,
    leaders,
    tally,
    too_few,
    wilson,
)
from tests.core.table import REVIEW, Table, table

SECURITY = SeatId("security_critic")


@pytest.mark.parametrize(
    ("typed", "option"),
    [
        ("approve", "approve"),
        (" Approve. ", "approve"),
        ("request changes", "request_changes"),
        ("Request-Changes", "request_changes"),
        ("req", "request_changes"),
        ("1", "approve"),
        ("#2", "comment"),
        ("3.", "request_changes"),
        ("2️⃣", "comment"),
        (":two:", "comment"),
        ("✅", "approve"),
        (":white_check_mark:", "approve"),
        ("❌", "request_changes"),
        ("💬", "comment"),
        ("`approve`", "approve"),
        ("0", None),
        ("4", None),
        ("", None),
        ("a", None),
        ("approve or comment", None),
        ("lgtm", None),
    ],
)
def test_an_option_is_read_as_people_type_it_and_never_guessed(
    typed: str, option: str | None
) -> None:
    assert find_option(typed, REVIEW) == option


def test_a_beginning_that_fits_two_options_is_no_vote() -> None:
    assert find_option("arrow", FINDING_BALLOT) is None
    assert find_option("⏫", FINDING_BALLOT) == "worse"


@given(st.text(max_size=12))
def test_whatever_is_typed_the_answer_is_an_option_or_nothing(text: str) -> None:
    assert find_option(text, REVIEW) in {None, "approve", "comment", "request_changes"}


def test_defect_04_a_vote_for_what_is_not_on_the_ballot_cannot_win() -> None:
    t = table().says("t1", "P9").says("t2", "P9").says("t3", "approve")
    assert leaders(tally(final_votes(t.debate).values(), REVIEW)) == ("approve",)


def test_a_person_who_votes_often_counts_once() -> None:
    t = table().votes("bob", "approve").votes("bob", "2").votes("bob", "2")
    assert count_people(t.debate) == {"approve": 0, "comment": 1, "request_changes": 0}


@pytest.mark.parametrize(
    ("opened", "later", "before", "after"),
    [
        # a vote for no option of the ballot counts as none, and so does a seat that failed
        (("whatever the others say", "comment", "-"), (), (0, 1, 0, 2), (0, 1, 0, 2)),
        # a seat that speaks several times counts once, with its last stance
        (("approve", "approve"), ("comment",), (2, 0, 0, 1), (1, 1, 0, 1)),
        (("approve", "comment"), ("request_changes",), (1, 1, 0, 1), (0, 1, 1, 1)),
        # a seat whose opening had no option made no choice before the debate
        (("-", "approve"), ("approve",), (1, 0, 0, 2), (2, 0, 0, 1)),
        # a seat that fails later keeps its stance; one that abstains gives it up
        (("comment",), ("-",), (0, 1, 0, 2), (0, 1, 0, 2)),
        (("comment",), ("abstain",), (0, 1, 0, 2), (0, 0, 0, 3)),
    ],
)
def test_every_seat_with_a_vote_is_counted_before_the_debate_and_after_it(
    opened: tuple[str, ...],
    later: tuple[str, ...],
    before: tuple[int, ...],
    after: tuple[int, ...],
) -> None:
    t = table()
    for turn, options in (("t", opened), ("u", later)):
        for n, option in enumerate(options, 1):
            t = t.fails(f"{turn}{n}") if option == "-" else t.says(f"{turn}{n}", option)
    t.says("end", Stance("request_changes", 1.0))  # a chair has no vote
    options = ("approve", "comment", "request_changes", "none")
    for votes, counts in ((independent_votes(t.debate), before), (final_votes(t.debate), after)):
        assert tally(votes.values(), REVIEW) == dict(zip(options, counts, strict=True))


def test_a_vote_is_taken_back_unless_another_took_its_place() -> None:
    t = table().votes("bob", "approve").votes("bob", "comment")
    kept = count_people(t.add(VoteWithdrawn("bob", "approve")).debate)
    assert kept == {"approve": 0, "comment": 1, "request_changes": 0}
    for option in ("comment", ""):
        gone = Table(t.events[:]).add(VoteWithdrawn("bob", option)).debate
        assert gone.votes == {}


def test_the_author_of_the_pull_request_is_shown_apart() -> None:
    t = table().votes("ann", "approve", author=True).votes("bob", "comment")
    assert count_people(t.debate) == {"approve": 0, "comment": 1, "request_changes": 0}
    assert count_people(t.debate, author=True) == {"approve": 1, "comment": 0, "request_changes": 0}


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(3, 3, 0.44, 1.00), (4, 5, 0.38, 0.96), (5, 5, 0.57, 1.00), (0, 3, 0.00, 0.56)],
)
def test_intervals_are_wilsons(k: int, n: int, low: float, high: float) -> None:
    assert (round(wilson(k, n).low, 2), round(wilson(k, n).high, 2)) == (low, high)


def test_an_interval_of_no_votes_begins_at_nought_without_a_sign() -> None:
    assert {f"{wilson(0, n).low:.2f}" for n in range(1, 60)} == {"0.00"}


def test_three_votes_are_too_few_and_four_are_not() -> None:
    assert [too_few(n) for n in range(6)] == [True, True, True, True, False, False]
    with pytest.raises(ValueError):
        wilson(2, 1)


def test_a_majority_of_people_is_strict_and_has_at_least_two() -> None:
    assert has_majority({"real": 2, "not_real": 1}, "real")
    assert not has_majority({"real": 1, "not_real": 0}, "real")
    assert not has_majority({"real": 2, "not_real": 2}, "real")


@given(
    st.lists(
        st.sampled_from(["approve", "comment", "request_changes", "none", "nonsense"]), max_size=9
    ),
    st.randoms(),
)
def test_a_tally_counts_everybody_once_in_any_order(choices: list[str], rng: Random) -> None:
    shuffled = list(choices)
    rng.shuffle(shuffled)
    counts = tally(choices, REVIEW)
    assert sum(counts.values()) == len(choices)
    assert tally(shuffled, REVIEW) == counts


@given(st.integers(0, 60), st.integers(0, 60))
def test_an_interval_holds_the_share_and_lies_in_the_unit_interval(k: int, more: int) -> None:
    estimate = wilson(k, k + more)
    share = k / (k + more) if k + more else 0.5
    assert 0 <= estimate.low <= share + 1e-12
    assert share - 1e-12 <= estimate.high <= 1
