"""A finding blocks after a cross-examination as the rule says, one line of the rule at a time."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.replies import Severity
from core.verdict.findings.cross_examined import (
    NOT_EXAMINED,
    Exchange,
    is_contested,
    is_lone,
    most_refuters,
    must_be_fixed,
    refuters,
    shared_out,
)
from core.verdict.findings.outvoted import ContestedFinding, OutvoteBar
from tests.core.table import finding

REFUTED = Exchange(refuters=1, refuted=1)


def held(
    severity: str = "high", holders: int = 1, confidence: float = 0.8, **fields: Any
) -> ContestedFinding:
    bar = fields.pop("bar", OutvoteBar())
    anchored = fields.pop("anchored", True)
    wording = finding(severity=severity, confidence=confidence, anchored=anchored)
    return ContestedFinding((wording,), holders, 0, 4, bar=bar, **fields)


def test_what_two_found_blocks_undebated() -> None:
    assert must_be_fixed(held(holders=2), NOT_EXAMINED)
    assert not is_lone(held(holders=2))


@pytest.mark.parametrize("holders", range(5))
def test_a_medium_never_blocks_because_seats_agree(holders: int) -> None:
    assert not must_be_fixed(held("medium", holders), NOT_EXAMINED)
    assert not must_be_fixed(held("medium", holders), Exchange(refuters=1, confirmed=1))


def test_a_lone_severe_finding_is_examined_and_blocks_unless_it_is_refuted() -> None:
    assert is_lone(held())
    for exchange in (
        NOT_EXAMINED,
        Exchange(refuters=1),
        Exchange(1, confirmed=1),
        Exchange(1, unproven=1),
    ):
        assert must_be_fixed(held(), exchange)
    assert not must_be_fixed(held(), REFUTED)
    assert is_contested(held(), REFUTED)


def test_either_of_two_refuters_suffices() -> None:
    assert not must_be_fixed(held(holders=2), Exchange(refuters=2, confirmed=1, refuted=1))


def test_only_a_critical_one_that_is_kept_with_an_input_blocks_though_refuted() -> None:
    kept = Exchange(refuters=1, refuted=1, kept=True)
    assert must_be_fixed(held("critical"), kept)
    assert not is_contested(held("critical"), kept)
    assert not must_be_fixed(held("critical"), REFUTED)
    assert not must_be_fixed(held("high"), kept)


def test_what_is_unsure_or_stands_nowhere_is_neither_examined_nor_blocks() -> None:
    for weak in (held(confidence=0.5), held(anchored=False), held("medium")):
        assert not is_lone(weak)
        assert not must_be_fixed(weak, NOT_EXAMINED)


def test_what_code_proved_or_people_confirmed_is_not_examined_and_not_refuted() -> None:
    assert not is_lone(held(certain=True))
    assert must_be_fixed(held(certain=True), REFUTED)
    assert not must_be_fixed(held("medium", certain=True), NOT_EXAMINED)


def test_what_a_person_calls_real_blocks_once_a_refuter_says_that_it_must_be_fixed() -> None:
    called = Exchange(refuters=1, confirmed=1, called=True)
    assert must_be_fixed(held("medium"), called)
    assert not must_be_fixed(held("medium"), Exchange(refuters=1, unproven=1, called=True))
    assert not must_be_fixed(held("medium"), Exchange(refuters=1, refuted=1, called=True))
    assert not must_be_fixed(held("medium", anchored=False), called)


def test_a_teams_own_bar_counts() -> None:
    assert is_lone(held("medium", bar=OutvoteBar(alone=Severity.MEDIUM)))
    assert not is_lone(held("high", bar=OutvoteBar(alone=Severity.CRITICAL)))
    assert not is_lone(held(bar=OutvoteBar(sure=0.9)))


def test_several_lone_findings_meet_two_refuters_each_unless_a_person_says_how_many() -> None:
    assert [refuters(n) for n in (1, 2, 5)] == [1, 2, 2]
    assert [refuters(n, 1) for n in (1, 5)] == [1, 1]
    assert refuters(1, 2) == 2


def test_refuters_are_shared_out_the_gravest_first_one_each_before_a_second() -> None:
    assert [shared_out(n, 2, 4) for n in (1, 2, 3, 5)] == [[2], [2, 2], [2, 1, 1], [1, 1, 1, 1, 0]]
    assert shared_out(3, 1, 9) == [1, 1, 1]
    assert shared_out(2, 2, 0) == shared_out(2, 2, -1) == [0, 0]
    assert (most_refuters(), most_refuters(1), most_refuters(2)) == (4, 6, 12)


@given(
    st.sampled_from(("low", "medium", "high", "critical")),
    st.integers(0, 4),
    st.booleans(),
    st.builds(
        Exchange, st.just(2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2),
        st.booleans(), st.booleans(),
    ),
)  # fmt: skip
def test_a_further_refutation_never_makes_it_stricter_and_an_input_never_milder(
    severity: str, holders: int, certain: bool, exchange: Exchange
) -> None:
    held_finding = held(severity, holders, certain=certain)
    for refuted, kept in product((0, 1), (False, True)):
        more = Exchange(
            2, exchange.confirmed, exchange.refuted + refuted, exchange.unproven,
            exchange.kept or kept, exchange.called,
        )  # fmt: skip
        if must_be_fixed(held_finding, more) and not kept:
            assert must_be_fixed(held_finding, exchange)
        if must_be_fixed(held_finding, exchange) and not refuted:
            assert must_be_fixed(held_finding, more)
        assert not (must_be_fixed(held_finding, more) and is_contested(held_finding, more))
