"""Models that are surer than right, and those that were asked most, count less; nothing acts on too
few outcomes.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import find
from core.debate.casting import ALL_ROLES, ModelCandidate, cast
from core.debate.earned import StatedConfidence, TrackRecord
from core.debate.events import Terms
from core.debate.formats import FORMATS, Plan
from core.debate.script import SeatId
from core.debate.verdict.learned.discounts import (
    LEAST,
    calibration_factor,
    calibration_of,
    discounts,
    load_factor,
    stated,
)
from core.debate.verdict.learned.ratings import ENOUGH, Record
from core.words.views.course.drawn import drawn_lines


def seats(model: str, role: str, n: int, right: int, sure: float) -> list[Record]:
    return [Record(f"d{k}", SeatId(role), model, k < right, sure, 0, 0, role) for k in range(n)]


def test_below_the_least_number_of_outcomes_nothing_is_known_of_anybody() -> None:
    many = seats("a", "critic", 40, 10, 0.95)
    assert stated([*many, *seats("b", "critic", ENOUGH - 1, 3, 0.5)], ["a", "b"]) == {}
    known = stated([*many, *seats("b", "critic", ENOUGH, 3, 0.5)], ["a", "b"])
    assert known[ALL_ROLES] == {
        "a": StatedConfidence(0.95, 10, 40),
        "b": StatedConfidence(0.5, 3, 10),
    }
    assert stated(many, ["a", "newcomer"]) == {}
    assert discounts({}, {"a": 500, "b": 0}, ["a", "b"]) == {}


def test_a_role_speaks_for_itself_from_enough_outcomes_on() -> None:
    records = [
        *seats("a", "security_critic", 30, 6, 0.95),
        *seats("a", "author", 30, 29, 0.9),
        *seats("a", "chair", ENOUGH - 1, 0, 0.99),
    ]
    known = stated(records, ["a"])
    assert set(known) == {ALL_ROLES, "security_critic", "author"}
    assert calibration_of(known, "a", "security_critic") < calibration_of(known, "a")
    assert calibration_of(known, "a", "author") == 1.0
    assert calibration_of(known, "a", "chair") == calibration_of(known, "a")
    assert calibration_of(known, "b", "author") == 1.0


@pytest.mark.parametrize(
    ("sure", "right", "of", "factor"),
    [
        (0.95, 10, 40, 0.4519),  # 0.40 is the upper end of 10 of 40
        (0.6, 12, 20, 1.0),
        (0.75, 12, 20, 1.0),  # chance explains it
        (0.2, 19, 20, 1.0),  # modesty misleads nobody
        (0.99, 0, ENOUGH - 1, 1.0),
        (0.99, 0, ENOUGH, 0.2875),
    ],
)
def test_what_chance_does_not_explain_is_taken_off(
    sure: float, right: int, of: int, factor: float
) -> None:
    assert calibration_factor(StatedConfidence(sure, right, of)) == pytest.approx(factor, abs=1e-4)


@given(st.floats(0, 1), st.integers(0, 60), st.integers(0, 60))
def test_being_surer_never_helps_and_being_right_never_hurts(sure: float, a: int, b: int) -> None:
    right, of = min(a, b), max(a, b)
    here = calibration_factor(StatedConfidence(sure, right, of))
    assert 0 <= here <= 1
    assert calibration_factor(StatedConfidence(min(1.0, sure + 0.1), right, of)) <= here
    if right < of:
        assert calibration_factor(StatedConfidence(sure, right + 1, of)) >= here


@given(st.dictionaries(st.sampled_from("abcde"), st.integers(0, 500), min_size=1))
def test_work_is_shared_out_and_nobody_is_shut_out(busy: dict[str, int]) -> None:
    factors = {model: load_factor(busy, model) for model in busy}
    assert all(LEAST <= factor <= 1 for factor in factors.values())
    least = min(busy, key=busy.__getitem__)
    assert factors[least] == 1
    if sum(busy.values()) < ENOUGH or len(set(busy.values())) == 1:
        assert set(factors.values()) == {1}
    assert sorted(busy, key=busy.__getitem__) == sorted(
        sorted(busy, key=busy.__getitem__), key=lambda m: -factors[m]
    )


TEMPLATE = find("code_review")
MODELS = [ModelCandidate(name, name) for name in ("a", "b")]
EVEN = {"a": TrackRecord(15, 20), "b": TrackRecord(15, 20)}


def test_a_discounted_model_sits_less_often_and_still_sits() -> None:
    first = {True: 0, False: 0}
    for seed in range(400):
        script = FORMATS["phased"].compile(TEMPLATE, Plan(), Random(seed))
        for less in ({}, {ALL_ROLES: {"a": 0.8}}):
            out = cast(script, MODELS, Random(seed), EVEN, {}, less)
            first[bool(less)] += out[script.voters[0]][0] == "a"
    assert 150 < first[False] < 250
    assert 0 < first[True] < 100


@given(st.integers(0, 500))
def test_who_is_surer_than_right_in_a_role_takes_another(seed: int) -> None:
    script = FORMATS["phased"].compile(TEMPLATE, Plan(), Random(seed))
    less = {"security_critic": {"a": 0.6}}
    out = cast(script, MODELS, Random(seed), EVEN, {}, less)
    assert out[SeatId("security_critic")][0] == "b"
    assert {out[s][0] for s in script.voters} == {"a", "b"}
    assert cast(script, MODELS, Random(seed), EVEN) == cast(
        script, MODELS, Random(seed), EVEN, {}, {}
    )


def test_both_are_told_with_what_they_count() -> None:
    known = {
        ALL_ROLES: {"a": StatedConfidence(0.95, 10, 40)},
        "security_critic": {"a": StatedConfidence(0.9, 9, 10)},
    }
    terms = Terms("weighted", 0.5, 2, known=EVEN, stated=known, busy={"a": 30, "b": 10})
    lines = list(drawn_lines(terms))
    assert lines == [
        "seats drawn by how often a model was right before: a 15 of 20, b 15 of 20",
        (
            "models that were surer than right drawn less: a says 0.95, right 10 of 40, counts "
            "0.45; a as security critic says 0.90, right 9 of 10, counts 1.00"
        ),
        (
            "models that were busiest in the last hour drawn less: a 30 calls, counts 0.67; b 10 "
            "calls, counts 1.00"
        ),
        (
            "all votes weigh the same: too few known outcomes (a model needs 10); a seat that "
            "changes sides without naming what moved it counts half"
        ),
    ]
    few = list(drawn_lines(Terms("majority", 0.5, 2, known=EVEN)))
    assert few[1:] == [
        (
            "how sure models say they are, and how busy they are, plays no part yet: too few "
            "known outcomes (a model needs 10)"
        )
    ]
    assert list(drawn_lines(Terms("majority", 0.5, 2))) == []
