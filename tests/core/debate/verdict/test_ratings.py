"""Models are rated by outcomes that people resolved and by nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.earned import TrackRecord
from core.debate.script import SeatId
from core.debate.template import Mode
from core.debate.verdict import verdict
from core.debate.verdict.learned.ratings import (
    ENOUGH,
    Record,
    by_seat,
    counts,
    dissent_ledger,
    leaderboard,
    rate,
    records,
    seat_weights,
)
from core.debate.verdict.votes import wilson
from tests.core.debate.verdict.test_consensus import judged
from tests.core.table import CRITICS, Table, stance, table


def ended() -> Table:
    t = table(findings=False).says("t1", stance("approve", 0.9)).says("t2", stance("approve", 0.6))
    t.says("t3", stance("comment", 0.8))
    return (
        t.says("u1", "approve")
        .says("u2", stance("comment", 0.6))
        .says("u3", stance("approve", 0.8))
        .concluded()
    )


def test_there_is_no_record_before_somebody_says_whether_it_held() -> None:
    assert records(ended().debate) == ()
    assert records(table().debate) == ()


@pytest.mark.parametrize("held", [True, False])
def test_right_is_having_held_what_held(held: bool) -> None:
    all_records = records(ended().resolved(held).debate)
    assert [
        (r.seat, r.model, r.right, r.confidence, r.moved, r.conformed) for r in all_records
    ] == [
        ("security_critic", "openai/gpt-5", held, 0.7, 0, 0),
        ("performance_critic", "anthropic/claude-sonnet", not held, 0.6, 1, 1),
        ("maintainability_critic", "gemini/gemini-pro", held, 0.8, 1, 1),
    ]
    assert [r.role for r in all_records] == [*CRITICS]
    assert [(r.failed, r.dissented) for r in all_records] == [
        (not held, seat == "performance_critic") for seat in CRITICS
    ]


def test_a_demonstration_and_a_what_if_rate_nobody() -> None:
    for terms, counted in (({}, True), ({"demo": True}, False), ({"assume": "It is idle."}, False)):
        t = table(findings=False, terms=terms).says("t1", "approve").says("t2", "approve")
        assert bool(records(t.says("t3", "approve").concluded().resolved(True).debate)) is counted


def test_a_tie_that_somebody_resolves_rates_nobody() -> None:
    t = table(findings=False).says("t1", "approve").says("t2", "comment").concluded().resolved(True)
    assert records(t.debate) == ()


def record(debate: int, model: str, right: bool, confidence: float = 0.8) -> Record:
    return Record(f"d{debate}", SeatId(model), model, right, confidence, 0, 0)


def games(n: int, better: str, worse: str, upsets: int = 0) -> list[Record]:
    return [
        record(d, m, right)
        for d in range(n)
        for m, right in ((better, d >= upsets), (worse, d < upsets))
    ]


def test_defect_50_five_outcomes_rank_nobody_and_calibrate_nothing() -> None:
    board = leaderboard(games(5, "a", "b", upsets=1))
    assert [(s.model, s.n, s.right, s.rank, s.brier) for s in board] == [
        ("a", 5, 4, None, None),
        ("b", 5, 1, None, None),
    ]


def test_models_are_ranked_where_their_intervals_do_not_overlap() -> None:
    board = leaderboard(games(30, "a", "b", upsets=3))
    assert [(s.model, s.rank, s.n) for s in board] == [("a", 1, 30), ("b", 2, 30)]
    first, second = board
    assert first.held.low > second.held.high
    assert first.strength is not None
    assert second.strength is not None
    assert first.strength > 0 > second.strength


def test_brier_comes_from_resolved_outcomes_and_says_from_how_many() -> None:
    (board,) = leaderboard([record(d, "a", d % 2 == 0, 0.5) for d in range(ENOUGH)])
    assert (board.n, board.brier, board.strength, board.rank) == (ENOUGH, 0.25, None, None)


def test_two_seats_of_one_model_are_no_duel() -> None:
    twin = Record("d0", SeatId("other"), "a", False, 0.8, 0, 0)
    assert leaderboard([record(0, "a", True), twin])[0].strength is None


def test_duels_of_equals_tell_more_of_a_strength_than_those_of_unequals() -> None:
    even, uneven = (leaderboard(games(30, "a", "b", upsets=upsets))[0] for upsets in (15, 3))
    assert even.spread is not None
    assert uneven.spread is not None
    widths = [spread.high - spread.low for spread in (even.spread, uneven.spread)]
    assert widths[1] > 1.3 * widths[0]


def test_an_unbeaten_model_has_a_finite_strength_and_an_interval() -> None:
    best = leaderboard(games(12, "a", "b"))[0]
    assert best.strength is not None
    assert best.spread is not None
    assert 0 < best.strength < 10
    assert best.spread.low < best.strength < best.spread.high


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.booleans()), max_size=30),
    st.randoms(),
)
def test_a_leaderboard_does_not_depend_on_the_order_of_its_records(
    records: list[tuple[int, str, bool]], rng: Random
) -> None:
    unique = [
        record(d, m, right) for (d, m), right in {(d, m): right for d, m, right in records}.items()
    ]
    mixed = list(unique)
    rng.shuffle(mixed)
    board, other = leaderboard(unique), leaderboard(mixed)
    assert [(s.model, s.n, s.right, s.rank) for s in board] == [
        (s.model, s.n, s.right, s.rank) for s in other
    ]
    assert all(0 <= s.held.low <= s.right / s.n <= s.held.high <= 1 for s in board)


def seated(debate: int, role: str, right: bool, failed: bool = False) -> Record:
    return Record(f"d{debate}", SeatId(role), "m", right, 0.8, 0, 0, role, "d", failed)


def test_models_are_told_apart_by_their_roles_the_surest_first() -> None:
    records = [seated(d, "security", d != 0) for d in range(12)] + [seated(0, "author", True)]
    assert [(s.role, s.right, s.n, s.enough) for s in by_seat(records)] == [
        ("security", 11, 12, True),
        ("author", 1, 1, False),
    ]


def test_the_ledger_says_who_warned_and_who_doubts_for_nothing() -> None:
    records = [
        seated(0, "security", True, failed=True),
        seated(1, "security", False, failed=True),
        seated(2, "security", False),
        seated(0, "author", False, failed=True),
        seated(2, "author", True),
    ]
    assert [(w.role, w.warned, w.failed, w.doubted, w.stood) for w in dissent_ledger(records)] == [
        ("security", 1, 2, 1, 1),
        ("author", 0, 1, 0, 1),
    ]


def test_what_is_known_of_a_model_is_counted_by_domain() -> None:
    records = [seated(0, "a", True), seated(1, "b", False)]
    assert counts(records) == counts(records, "d") == {"m": TrackRecord(1, 2)}
    assert counts(records, "elsewhere") == {}


SEATS = {SeatId("s1"): "a", SeatId("s2"): "b"}


@given(st.integers(0, 60), st.integers(0, 60))
def test_weights_are_equal_until_every_model_has_enough_outcomes(n: int, right: int) -> None:
    known = {"a": TrackRecord(min(right, n), n), "b": TrackRecord(ENOUGH, ENOUGH)}
    weights = seat_weights(SEATS, known)
    if n < ENOUGH:
        assert weights == {}
    else:
        assert weights[SeatId("s1")] == round(wilson(min(right, n), n).low, 4)
    assert seat_weights(SEATS, {"a": TrackRecord(9, 99)}) == {}


@given(st.integers(ENOUGH, 60), st.integers(0, 59))
def test_one_more_right_outcome_never_weighs_less(n: int, right: int) -> None:
    right = min(right, n - 1)
    less, more = (
        seat_weights({SeatId("s"): "a"}, {"a": TrackRecord(r, n)}) for r in (right, right + 1)
    )
    assert more[SeatId("s")] >= less[SeatId("s")]


@pytest.mark.parametrize(
    ("weights", "option"),
    [({}, "approve"), ({"security_critic": 0.2, "performance_critic": 0.1}, "request_changes")],
)
def test_a_weighted_vote_goes_by_the_weights_that_the_debate_was_opened_with(
    weights: dict[str, float], option: str
) -> None:
    t = table(findings=False, mode=Mode.WEIGHTED, terms={"weights": weights})
    t.says("t1", "approve").says("t2", "approve").says("t3", "request_changes")
    t.says("u1", "approve").says("u2", "approve").says("u3", "request_changes")
    assert verdict(t.debate).decision == option


@pytest.mark.parametrize("held", [True, False])
def test_judges_are_measured_by_their_rulings_apart_from_the_others(held: bool) -> None:
    t = judged(("no", "no"), ("no", "no"), ("go", "go"), ("go", "no")).concluded().resolved(held)
    all_records = [r for r in records(t.debate) if r.ruled]
    assert [(r.seat, r.right) for r in all_records] == [
        ("judge_0", held),
        ("judge_1", held),
        ("judge_2", not held),
    ], "who contradicted itself ruled nothing"
    among = {r.role for r in all_records}
    assert {s.role for s in by_seat(records(t.debate))} >= among
    ruled = counts(records(t.debate), ruled=True)
    assert sum(past.of for past in ruled.values()) == len(all_records)
    argued = [r for r in records(t.debate) if not r.ruled]
    assert counts(records(t.debate)) == counts(argued)
    assert rate(records(t.debate)).models == leaderboard(argued)
    assert rate(records(t.debate)).dissent == dissent_ledger(argued)
