"""The result of an arm is read off a debate rightly."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.debate.events import EndReason, OpeningFailed
from core.debate.finding import Finding
from core.debate.usage import Usage
from core.evaluation import OF_OPENINGS, Arm, ArmResult, Case, Defect, Spot
from core.evaluation.arms import SURE, _seconds, readings
from tests.core.table import CRITICS, START, Table, finding, stance, table

CASE = Case("c1", "Retry", "", b"", (Defect("it is built from input", (Spot("app/db.py", 12),)),))
KNOWN, OTHER = finding(), finding("Names", severity="low", line=90)
DOUBTED, LOOSE = finding(confidence=SURE - 0.01), finding(anchored=False)
SMALL, SERIOUS = finding(severity="low"), finding("Names", line=90)
BLOCK, PASS = "request_changes", "approve"


def test_seats_of_one_round_speak_at_the_same_time_and_rounds_one_after_another() -> None:
    t = table().fails("t3")
    for turn, seconds in (("t1", 2.0), ("t2", 3.0), ("u1", 4.0), ("u2", 1.0)):
        t.says(turn, "comment", usage=Usage(1, 1, 1, 0.0, 1, seconds))
    assert _seconds(t.debate) == 7.0


def opened(*seats: tuple[str, Sequence[Finding]]) -> Table:
    t = table((*CRITICS[: len(seats)], "chair:chair"))
    for n, (option, raised) in enumerate(seats, 1):
        t.says(f"t{n}", stance(option), findings=raised)
    return t.says("end")


def read(t: Table, arm: Arm) -> list[ArmResult]:
    return readings(CASE, arm, 1, t.concluded().debate)


def summed(one: ArmResult) -> tuple[bool, bool, set[int], int]:
    return one.blocked, one.rightly, {*one.placed}, one.others


@pytest.mark.parametrize(
    ("option", "raised", "result"),
    [
        (PASS, [KNOWN], (True, True, {0}, 0)),
        (PASS, [KNOWN, OTHER], (True, True, {0}, 1)),
        (PASS, [OTHER], (False, False, set(), 1)),
        (BLOCK, [OTHER], (True, False, set(), 1)),
        (BLOCK, [DOUBTED], (True, False, set(), 0)),
        (PASS, [DOUBTED], (False, False, set(), 0)),
        (PASS, [LOOSE], (False, False, set(), 0)),
        (PASS, [finding(confidence=SURE)], (True, True, {0}, 0)),
        (BLOCK, [], (True, False, set(), 0)),
        (PASS, [], (False, False, set(), 0)),
    ],
)
def test_an_opening_blocks_by_its_findings_or_by_its_stance(
    option: str, raised: Sequence[Finding], result: tuple[bool, bool, set[int], int]
) -> None:
    [first, second] = read(opened((option, raised), (PASS, [])), Arm.SINGLE)
    assert (first.seat, summed(first)) == (CRITICS[0], result)
    assert (second.seat, summed(second)) == (CRITICS[1], (False, False, set(), 0))
    assert [(one.calls, one.usd) for one in (first, second)] == [(1, 0.001)] * 2


@pytest.mark.parametrize(
    ("seats", "united", "voted"),
    [
        ([(PASS, [KNOWN]), (PASS, [])], (True, True, {0}, 0), (False, False, {0}, 0)),
        ([(BLOCK, [DOUBTED]), (PASS, [KNOWN])], (True, True, {0}, 0), (False, False, {0}, 0)),
        ([(BLOCK, [OTHER]), (PASS, [])], (False, False, set(), 1), (False, False, set(), 1)),
        ([(BLOCK, [OTHER]), (BLOCK, [])], (False, False, set(), 1), (True, False, set(), 1)),
        (
            [(BLOCK, [DOUBTED]), (BLOCK, [OTHER]), (PASS, [])],
            (False, False, set(), 1),
            (True, True, {0}, 1),
        ),
        (
            [(BLOCK, [OTHER]), (BLOCK, []), (PASS, [KNOWN])],
            (True, True, {0}, 1),
            (True, False, {0}, 1),
        ),
    ],
)
def test_openings_block_together_by_one_finding_or_by_more_than_half_of_them(
    seats: list[tuple[str, Sequence[Finding]]],
    united: tuple[bool, bool, set[int], int],
    voted: tuple[bool, bool, set[int], int],
) -> None:
    t = opened(*seats)
    assert [summed(one) for one in read(t, Arm.UNION)] == [united]
    assert [summed(one) for one in read(t, Arm.VOTE)] == [voted]


@pytest.mark.parametrize(
    ("seats", "result"),
    [
        ([(BLOCK, [KNOWN, OTHER])] * 2, (True, True, {0}, 1)),
        ([(BLOCK, [OTHER])] * 2, (True, False, set(), 1)),
        ([(BLOCK, [SMALL, SERIOUS])] * 2, (True, False, {0}, 1)),
        ([(PASS, [KNOWN]), (PASS, [])], (False, False, {0}, 0)),
    ],
)
def test_a_debate_blocks_by_its_verdict(
    seats: list[tuple[str, Sequence[Finding]]], result: tuple[bool, bool, set[int], int]
) -> None:
    for closed in (True, False):
        debate = opened(*seats).concluded(closed=closed).debate
        assert [summed(one) for one in readings(CASE, Arm.DEBATE, 1, debate)] == [result]


def test_an_unknown_price_of_one_call_is_one_of_the_reading() -> None:
    t = table(("a", "b", "chair:chair")).says("t1", PASS).says("t2", PASS, usage=Usage(9, usd=None))
    assert [one.usd for one in read(t.says("end"), Arm.DEBATE)] == [None]


@pytest.mark.parametrize("arm", [*OF_OPENINGS, Arm.DEBATE])
def test_a_debate_that_was_not_played_to_its_end_is_missing(arm: Arm) -> None:
    whole = opened((PASS, []), (PASS, []))
    assert [one.failed for one in readings(CASE, arm, 1, whole.debate)] == ["not finished: running"]
    broken = Table([*whole.events[:1], OpeningFailed("it broke", START)])
    assert [one.failed for one in readings(CASE, arm, 1, broken.debate)] == ["it broke"]
    short = read(whole.stops(EndReason.BUDGET), arm)
    of_all = "it ended for lack of a whole debate: budget"
    assert {one.failed for one in short} == ({of_all} if arm is Arm.DEBATE else {""})
    silent = table(("a", "chair:chair")).fails("t1").stops(EndReason.BUDGET)
    missing = of_all if arm is Arm.DEBATE else "no critic answered"
    assert [one.failed for one in read(silent, arm)] == [missing]
