"""A debate ends early when its seats agree, repeat themselves or have nothing left to answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.events import EndReason, RoundMeasured, StopOrdered, TurnsAdded, TurnStarted
from core.debate.ports import Source
from core.debate.replies import Claim, Metrics
from core.debate.script import About, SeatId, Topic, Turn, TurnId
from core.debate.verdict.convergence import NewPoints, last_round, round_news, should_stop
from tests.core.table import Table, finding, stance, table

SEATS = ("a", "b", "c", "chair:chair")
THREE = ("t1 a independent", "t2 b independent", "t3 c independent",
         "u1 a round=1 reads=t1,t2,t3", "u2 b round=1 reads=t1,t2,t3",
         "u3 c round=1 reads=t1,t2,t3",
         "v1 a round=2 reads=u1,u2,u3", "v2 b round=2 reads=u1,u2,u3",
         "v3 c round=2 reads=u1,u2,u3",
         "end chair round=3 closing")  # fmt: skip


def long(**fields: Any) -> Table:
    return table(SEATS, THREE, **fields)


def opened(*options: str, **fields: Any) -> Table:
    t = long(**fields)
    for n, option in enumerate(options, 1):
        t = t.fails(f"t{n}") if option == "-" else t.says(f"t{n}", option)
    return t


def reason(t: Table) -> EndReason | None:
    stop = should_stop(t.debate)
    return stop.reason if stop else None


def test_a_unanimous_independent_vote_leaves_nothing_to_debate() -> None:
    assert should_stop(opened("approve", "approve", "approve").debate) == StopOrdered(
        EndReason.CONSENSUS,
        detail="All 3 independent votes say approve and no finding is open, so there is nothing "
        "to debate. "
        "To debate it all the same: fork debate-0001, or start it with --debate-anyway.",
        closing=False,
    )


@pytest.mark.parametrize(
    "t",
    [
        opened("approve", "approve", "comment", findings=False),
        opened("approve", "approve"),
        opened("approve", "-", "-"),
        opened("approve", "approve", "approve").challenges("What about retries?"),
        opened("approve", "approve", "approve", terms={"converge": False}),
        opened("approve", "approve", "-", threshold=0.7, findings=False),
        opened("abstain", "abstain", "abstain", findings=False),
        long()
        .says("t1", "approve", findings=[finding()])
        .says("t2", "approve")
        .says("t3", "approve"),
        table(SEATS, THREE, format="triad")
        .says("t1", "approve")
        .says("t2", "approve")
        .says("t3", "approve"),
    ],
    ids=[
        "disagree",
        "one to come",
        "too few",
        "challenged",
        "off",
        "threshold",
        "abstained",
        "open finding",
        "triad goes on",
    ],
)
def test_and_everything_else_goes_on(t: Table) -> None:
    assert reason(t) is None


def test_defect_07_the_share_that_a_stop_needs_is_the_debates_own() -> None:
    assert reason(opened("approve", "approve", "-", threshold=0.6)) is EndReason.CONSENSUS
    assert reason(opened("approve", "approve", "-", threshold=0.7)) is not EndReason.CONSENSUS


def argued(*options: str, claims: tuple[str, ...] = (), **fields: Any) -> Table:
    """Returns a debate whose first round disagrees, and whose second has these claims."""
    t = opened("approve", "comment", "request_changes", **fields)
    for n, option in enumerate(options, 1):
        t.says(f"u{n}", option, claims=claims)
    return t


def test_defect_18_stable_stances_and_nothing_new_end_the_debate() -> None:
    assert should_stop(argued("approve", "comment", "request_changes").debate) == StopOrdered(
        EndReason.CONVERGED, detail="No seat changed its stance in Round 2 and nothing new came."
    )


@pytest.mark.parametrize(
    ("inherited", "expected"), [(0, EndReason.CONVERGED), (1, None), (2, None)]
)
def test_rounds_that_a_fork_inherited_end_nothing(
    inherited: int, expected: EndReason | None
) -> None:
    t = argued("approve", "comment", "request_changes", terms={"inherited": inherited})
    assert reason(t) is expected


@pytest.mark.parametrize(("total", "new", "share"), [(0, 0, 0.0), (1, 1, 1.0), (3, 1, 1 / 3)])
def test_the_share_of_new_points_of_a_round(total: int, new: int, share: float) -> None:
    assert NewPoints(total, new).quality == share


def test_sounding_sure_ends_nothing_and_neither_does_a_move() -> None:
    t = opened("approve", "comment", "request_changes").says("u1", stance("comment", 1.0))
    t.says("u2", "comment").says("u3", "request_changes")
    assert reason(t) is None


def test_a_new_claim_finding_quote_or_source_goes_on() -> None:
    for news_item in (
        {"claims": ["The lock is taken twice"]},
        {"findings": [finding(severity="low")]},
        {"claims": [Claim("", "same", quote="lock.acquire()")]},
        {"sources": (Source("t", "https://example.org", "…"),)},
    ):
        t = opened("approve", "comment", "request_changes").says("u1", "approve")
        t.says("u2", "comment")
        assert reason(t.says("u3", "request_changes", **news_item)) is None, news_item


def test_what_was_said_before_is_not_new() -> None:
    t = long().says("t1", "approve", claims=["The retries have no ceiling at all"])
    t.says("t2", "comment").says("t3", "comment")
    t.says("u1", "approve", claims=["No ceiling at all on retries"]).says("u2", "comment").says(
        "u3", "comment"
    )
    assert round_news(t.debate, 1) == NewPoints(1, 0)
    assert reason(t) is EndReason.CONVERGED


@pytest.mark.parametrize(("claim", "new"), [("red green blue black white", 0),
                                            ("red green blue black white grey", 1)])  # fmt: skip
def test_a_claim_repeats_another_with_which_it_shares_four_words_of_five(
    claim: str, new: int
) -> None:
    t = opened("approve", "comment").says("t3", "comment", claims=["black blue green red"])
    assert round_news(t.says("u1", "approve", claims=[claim]).debate, 1) == NewPoints(1, new)


def test_each_claim_finding_and_piece_of_evidence_is_a_point() -> None:
    old: dict[str, Any] = {
        "findings": [finding()],
        "claims": [Claim("", "Queues grow", quote="x = 1")],
    }
    t = opened("approve", "comment").says("t3", "comment", **old)
    new: dict[str, Any] = {
        "findings": [finding("Slow", line=80)],
        "claims": [Claim("", "Locks", quote="y = 2")],
    }
    both: dict[str, Any] = {name: [*old[name], *new[name]] for name in old}
    assert round_news(t.says("u1", "approve", **both).debate, 1) == NewPoints(6, 3)
    assert round_news(t.says("u2", "approve", **both).debate, 1) == NewPoints(12, 3)
    assert round_news(t.debate, 0) == NewPoints(3, 3)


def test_a_measured_repetition_is_the_second_signal() -> None:
    t = argued("approve", "comment", "request_changes", claims=("Something about queues",))
    assert reason(t) is None
    t.add(RoundMeasured(1, "embedding", 0.93, ("u1.c1", "u2.c1", "u3.c1")))
    assert reason(t) is EndReason.CONVERGED


def test_a_challenge_that_waits_for_its_answer_keeps_the_debate_open() -> None:
    t = argued("approve", "comment", "request_changes").challenges("And under load?", "a")
    rebuttal = Turn(
        TurnId("r1"), SeatId("a"), "rebut", round=2, about=About(Topic.CHALLENGE, "ch1")
    )
    t.add(TurnsAdded((rebuttal,), (TurnId("v2"),), "challenge"))
    assert reason(t) is None
    assert reason(t.says("r1")) is None  # the round with the answer has begun


def test_nobody_is_silenced_who_has_not_been_heard() -> None:
    turns = (
        "t1 a independent",
        "t2 b independent",
        "u1 a round=1 reads=t2",
        "u2 b round=1 reads=t1",
        "v3 c round=2",
        "end chair round=2 closing",
    )
    t = table(SEATS, turns).says("t1", "approve").says("t2", "comment").says("u1", "approve")
    t.says("u2", "comment")
    assert reason(t) is None


def test_a_unanimous_opening_spares_the_author_of_a_review_and_nobody_else() -> None:
    turns = (
        "t1 a independent",
        "t2 b independent",
        "u3 c round=1 reads=t1,t2",
        "end chair round=1 closing",
    )
    for review, expected in ((True, EndReason.CONSENSUS), (False, None)):
        assert (
            reason(table(SEATS, turns, findings=review).says("t1", "approve").says("t2", "approve"))
            is expected
        )


def test_no_stop_in_the_middle_of_a_round_nor_with_calls_in_flight() -> None:
    t = argued("approve", "comment")
    assert (last_round(t.debate), reason(t)) == (None, None)
    t.says("u3", "request_changes")
    assert last_round(t.debate) == 1
    assert reason(Table([*t.events, TurnStarted(TurnId("v1"))])) is None


def test_a_stop_is_ordered_once_and_never_where_nothing_is_left_to_skip() -> None:
    t = argued("approve", "comment", "request_changes")
    assert reason(t.stops(EndReason.HUMAN)) is None
    assert (
        reason(
            table(SEATS, ("t1 a independent", "t2 b independent", "end chair closing"))
            .says("t1", "approve")
            .says("t2", "approve")
        )
        is None
    )


def test_the_quorum_is_checked_at_once_even_where_convergence_is_off() -> None:
    t = opened("-", "-", quorum=2, terms={"converge": False})
    assert should_stop(t.debate) == StopOrdered(
        EndReason.NO_QUORUM, detail="1 of 3 seats still answer, 2 are needed"
    )


# -- panel


def test_a_panel_stops_when_enough_agree_after_debating() -> None:
    assert (
        reason(argued("approve", "approve", "request_changes", claims=("New one",), format="panel"))
        is EndReason.CONSENSUS
    )
    assert (
        reason(
            argued(
                "approve",
                "approve",
                "request_changes",
                claims=("New one",),
                format="panel",
                threshold=0.7,
            )
        )
        is not EndReason.CONSENSUS
    )


@pytest.mark.parametrize(
    ("needed", "expected"),
    [(None, "less than 0.6"), (0.35, "less than 0.35"), (0.3, None), (0.0, None)],
)
def test_how_much_must_be_new_in_a_panel_can_be_said(
    needed: float | None, expected: str | None
) -> None:
    t = long(format="panel", terms={"convergence": needed})
    t.says("t1", "approve", claims=["Queues grow"]).says("t2", "comment")
    t.says("t3", "request_changes").says("u1", "comment", claims=["Queues grow", "Locks are held"])
    t.says("u2", "approve", claims=["Queues grow"]).says("u3", "request_changes")
    stop = should_stop(t.debate)
    assert (stop is None) == (expected is None)
    words = "Diminishing returns: the share of new points in Round 2 was 0.33"
    assert stop is None or stop == StopOrdered(EndReason.CONVERGED, detail=f"{words}, {expected}.")


@pytest.mark.parametrize(
    ("needed", "expected"),
    [(None, None), (0.5, None), (0.6, "the share of new points was 0.50, less than 0.6.")],
)
def test_and_elsewhere_where_no_stance_moved(needed: float | None, expected: str | None) -> None:
    t = long(terms={"convergence": needed}).says("t1", "approve", claims=["Queues grow"])
    t.says("t2", "comment").says("t3", "request_changes")
    t.says("u1", "approve", claims=["Queues grow", "Locks are held"])
    t.says("u2", "comment").says("u3", "request_changes")
    stop = should_stop(t.debate)
    assert (stop is None) == (expected is None)
    assert stop is None or stop.detail == f"No seat changed its stance in Round 2, and {expected}"
    moved = t.says("v1", "comment").says("v2", "comment").says("v3", "request_changes")
    assert reason(moved) is None


# -- adversarial


def duel(*agreement: float) -> Table:
    turns = [f"x{n} judge round={n} task=measure" for n in range(3)]
    t = table(
        ("pro", "con", "judge:judge"),
        (*turns, "end judge round=2 closing"),
        format="adversarial",
        threshold=0.8,
    )
    for n, value in enumerate(agreement):
        t.says(f"x{n}", metrics=Metrics(value, 0.5, 0.5, 0.5))
    return t


def test_an_adversarial_debate_stops_when_the_measured_agreement_reaches_the_threshold() -> None:
    assert reason(duel(0.79)) is None
    assert should_stop(duel(0.4, 0.8).debate) == StopOrdered(
        EndReason.CONSENSUS, detail="The judge measures an agreement of 0.80, 0.80 is needed."
    )
    assert reason(duel(0.9, 0.4)) is None


@given(
    st.lists(st.sampled_from(["approve", "comment", "-"]), min_size=9, max_size=9),
    st.integers(0, 9),
)
def test_a_stop_always_has_a_reason_and_something_left_to_skip(
    options: list[str], upto: int
) -> None:
    t = long(quorum=2)
    for turn, option in zip([line.split()[0] for line in THREE], options[:upto], strict=False):
        t = t.fails(turn) if option == "-" else t.says(turn, option)
    stop = should_stop(t.debate)
    if stop is not None:
        assert stop.detail
        assert any(not turn.closing and turn.id not in t.debate.settled for turn in t.debate.turns)
