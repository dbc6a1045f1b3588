"""The decision, recomputable from the events and never softer than the rule."""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.errors import Refused
from core.debate.events import EndReason
from core.debate.replies import Grade, Metrics
from core.debate.state import Debate, replay
from core.debate.template import Option
from core.debate.verdict import adversarial_status, blocks, end_reason, verdict
from core.debate.verdict.action_items import action_items
from core.debate.verdict.gauntlet import gauntlet_result
from core.debate.verdict.quorum import lost_seats, why_no_quorum
from core.words.outcome import outcome
from core.words.views.verdict.decision import DEMONSTRATION
from core.words.views.verdict.decision import decision as decision_view
from tests.core.table import Table, agree, dispute, finding, stance, table, withdraw

GRADES = (Option("pass"), Option("conditional"), Option("fail", blocks=True))


LONE = "Comments only: only 1 of 3 seats wants 1 finding fixed."


def summary(debate: Debate) -> str:
    return decision_view(debate).summary


THINK = "Approved: 1 finding to think about, none that must be fixed."


def review(*options: str, findings: Any = (), **fields: Any) -> Table:
    t = table(**fields)
    for n, option in enumerate(options, 1):
        t.says(f"t{n}", option, findings=findings if n == 1 else ())
    return t


@pytest.mark.parametrize(
    ("fields", "decision", "expected"),
    [
        ({"severity": "high", "confidence": 0.1}, "comment", LONE),
        ({"severity": "high", "must_fix": False}, "approve", THINK),
        ({"severity": "low", "must_fix": True}, "comment", LONE),
        (
            {"severity": "critical", "confidence": 0.2, "anchored": False},
            "comment",
            "Comments only: 1 claim that could not be placed in the change.",
        ),
        (
            {"severity": "medium", "anchored": False},
            "approve",
            "Approved: no finding is open. Besides: 1 not counted.",
        ),
    ],
)
def test_the_rule_over_findings(fields: dict[str, Any], decision: str, expected: str) -> None:
    debate = review("approve", "approve", "approve", findings=[finding(**fields)]).debate
    assert (verdict(debate).decision, summary(debate)) == (decision, expected)


def test_votes_make_the_verdict_stricter() -> None:
    made = verdict(review("request_changes", "request_changes", "approve").debate)
    assert (made.decision, made.mechanism) == (
        "request_changes",
        "findings and votes: most seats block",
    )
    assert (made.agreement, made.reached) == (2 / 3, True)


def test_votes_of_different_strictness_add_up_to_the_milder_one() -> None:
    made = verdict(review("request_changes", "comment", "approve").debate)
    assert (made.decision, made.reached, made.agreement) == ("comment", True, 1 / 3)


def test_a_claim_at_no_place_that_its_raiser_takes_back_keeps_nobody_from_approving() -> None:
    t = review("approve", "approve", "approve", findings=[finding(anchored=False)])
    t.says("u2", "approve", answers=[agree("t1.f1")]).says("u1", answers=[withdraw("t1.f1")])
    assert verdict(t.debate).decision == "approve", "who only agreed has no place for it either"


@pytest.mark.parametrize(
    ("votes", "decision"),
    [
        (("approve", "comment", "request_changes", ""), "comment"),  # 1, 1, 1 and an abstention
        (("approve", "approve", "request_changes", "comment"), "comment"),
        (("approve", "approve", "comment", ""), "approve"),
        (("approve", "", "", ""), "approve"),
    ],
)
def test_nothing_is_approved_where_no_more_seats_approve_than_do_not(
    votes: tuple[str, ...], decision: str
) -> None:
    seats = (*(f"s{n}" for n in range(len(votes))), "chair:chair")
    t = table(seats)
    for n, option in enumerate(votes, 1):
        t.says(f"t{n}", option)
    made = verdict(t.debate)
    assert made.decision == decision
    if decision == "comment":
        assert "only 1 of 4 seats asks for changes and names no place" in summary(t.debate)


def test_most_votes_block_whatever_the_findings_say() -> None:
    t = review("request_changes", "request_changes", "approve", findings=[finding()])
    made = verdict(
        t.says("u2", answers=[dispute("t1.f1")]).says("u3", answers=[dispute("t1.f1")]).debate
    )
    assert (made.decision, made.agreement) == ("request_changes", 2 / 3)
    assert outcome(t.debate)["verdict"]["quorum"]["needed"] == 1


def test_people_take_a_finding_out_of_the_rule() -> None:
    t = review("approve", "approve", "approve", findings=[finding()]).votes("bob", "❌", "t1.f1")
    t.votes("cid", "❌", "t1.f1")
    assert verdict(t.debate).decision == "approve"
    assert summary(t.debate) == (
        "Approved: no finding is open. Besides: 1 disputed by people. People dispute a severe "
        "security finding: only a named maintainer may publish this review."
    )


def test_the_summary_counts_every_kind() -> None:
    t = review(
        "comment",
        "comment",
        "comment",
        findings=[finding(), finding("Unused import", line=40, severity="low")],
    )
    t.says("t2", "comment", findings=[finding("Loop over all rows", line=80)]).says(
        "u2", answers=[withdraw("t2.f1")]
    )
    assert (
        summary(t.debate)
        == "Comments only: only 1 of 3 seats wants 1 finding fixed. Besides: 1 withdrawn."
    )


def test_defect_03_nothing_readable_is_failed_and_not_approved() -> None:
    debate = table().fails("t1").fails("t2").fails("t3").debate
    made = verdict(debate)
    assert (made.decision, made.reached, made.agreement) == ("failed", False, 0.0)
    assert outcome(debate)["verdict"]["quorum"]["present"] == 0
    assert blocks(table().debate, made.decision)


def test_without_a_quorum_nothing_is_decided() -> None:
    t = table(quorum=2).says("t1", "approve").fails("t2").fails("t3")
    made = verdict(t.debate)
    assert (made.decision, made.reached) == ("no_quorum", False)
    assert outcome(t.debate)["verdict"]["quorum"] == {"needed": 2, "present": 1}


def test_a_seat_that_a_stop_spared_is_not_missing() -> None:
    t = table().says("t1", "approve").says("t2", "approve").stops(EndReason.CONSENSUS).skips("t3")
    assert summary(t.debate) == "Approved: no finding is open."


def test_a_demonstration_says_so() -> None:
    debate = review("approve", "approve", "approve", terms={"demo": True}).debate
    assert summary(debate) == f"{DEMONSTRATION} Approved: no finding is open."


def test_action_items_are_the_closing_turns_else_the_fixes() -> None:
    t = review("comment", findings=[finding(fix="Use\nparameters <b>")])
    assert action_items(t.debate) == ("Use parameters <b>",)
    assert action_items(t.says("end", actions=("Ask @all", " ")).debate) == ("Ask @all",)


def test_there_is_no_verdict_before_the_opening() -> None:
    with pytest.raises(Refused):
        verdict(replay(table().events[:1]))


# -- why it ended


def test_why_a_debate_ends() -> None:
    reviewed = review("approve", "approve", "approve")
    assert end_reason(reviewed.debate) is EndReason.COMPLETED
    assert (
        end_reason(review("approve", "approve", "approve").stops(EndReason.CONVERGED).debate)
        is EndReason.CONVERGED
    )
    assert end_reason(table().stops(EndReason.HUMAN).debate) is EndReason.HUMAN
    assert end_reason(table().fails("t1").fails("t2").fails("t3").debate) is EndReason.ERROR
    assert (
        end_reason(table(quorum=2).says("t1", "approve").fails("t2").fails("t3").debate)
        is EndReason.NO_QUORUM
    )


def test_quorum_is_lost_with_the_seats_that_answer() -> None:
    t = table(quorum=2).says("t1", "approve").says("t2", "approve").says("t3", "approve")
    t.fails("u1")
    assert (why_no_quorum(t.debate), lost_seats(t.debate)) == ("", ("security_critic",))
    t.fails("u2")
    assert why_no_quorum(t.debate) == "1 of 3 seats still answer, 2 are needed"
    assert len(t.debate.present) == 3


def test_a_round_that_hears_too_few_loses_the_quorum() -> None:
    seats = ("a", "b", "c", "d", "e", "f", "chair:chair")
    turns = (
        "t1 a",
        "t2 b",
        "t3 c",
        "t4 d",
        "u5 e round=1",
        "u6 f round=1",
        "end chair round=1 closing",
    )
    t = table(seats, turns, quorum=3).fails("t1").fails("t2").fails("t3").says("t4", "approve")
    assert why_no_quorum(t.debate) == "1 of 4 seats answered in 'Round 1', 2 are needed"


@pytest.mark.parametrize(
    ("heard", "why"),
    [
        ("t1- t2- t3- t4+", "1 of 4 seats answered in 'Round 1', 2 are needed"),
        ("stop t1- t2- t3- t4+", "1 of 4 seats answered in 'Round 1', 2 are needed"),
        ("t1. t2. t3. t4+", "1 of 4 seats answered in 'Round 1', 2 are needed"),
        ("stop t1. t2. t3. t4+", ""),
        ("t1- t2- t3+ t4+", ""),
        ("t1- t2- t3-", ""),
        ("t1- t2- t3/ t4+", ""),
        ("t1- t2/ t3/ t4/", ""),
        ("u5- u6-", "0 of 2 seats answered in 'Round 2', 1 are needed"),
        ("u5+ u6-", ""),
        ("v1- v2- v3-", ""),
    ],
)
def test_of_the_seats_of_a_round_the_quorums_share_must_answer(heard: str, why: str) -> None:
    opened = ("t1 a", "t2 b", "t3 c", "t4 d", "u5 e round=1", "u6 f round=1")
    weighing = [f"v{n} {seat} round=2 task=weigh" for n, seat in enumerate("abc", 1)]
    turns = (*opened, *weighing, "end chair round=2 closing")
    t = table(("a", "b", "c", "d", "e", "f", "chair:chair"), turns, quorum=3)
    for each in heard.split():
        turn = each[:2]
        match each[2]:
            case "o":
                t.stops(EndReason.HUMAN)
            case "+":
                t.says(turn)
            case "-":
                t.fails(turn)
            case ".":
                t.fails(turn, "stopped")
            case _:
                t.skips(turn)
    assert why_no_quorum(t.debate) == why


@pytest.mark.parametrize(
    ("heard", "lost"),
    [
        ("t1-", True),
        ("", False),
        ("t1- u1+", False),
        ("t1+ u1-", True),
        ("t1- w1+", False),
        ("t1+ w1-", False),
        ("t1+ c1-", False),
        ("t1- c1+", False),
        ("t1.", True),
        ("stop t1.", False),
        ("stop t1-", True),
    ],
)
def test_a_seat_is_lost_if_it_failed_when_it_last_had_to_speak(heard: str, lost: bool) -> None:
    """``w1`` answers single findings, and ``c1`` an objection to the verdict."""
    own = ("t1 a", "u1 a", "w1 a task=weigh", "c1 a task=explain")
    t = table(("a", "chair:chair"), (*own, "end chair closing"), quorum=0)
    for each in heard.split():
        if each == "stop":
            t.stops(EndReason.HUMAN)
        elif each[2] == "+":
            t.says(each[:2], "approve")
        else:
            t.fails(each[:2], "stopped" if each[2] == "." else "refused")
    assert lost_seats(t.debate) == (("a",) if lost else ())


def test_turns_that_a_stop_cut_off_are_no_failures() -> None:
    t = table(quorum=2).says("t1", "approve").stops(EndReason.HUMAN).fails("t2", "stopped")
    t.fails("t3", "stopped")
    assert why_no_quorum(t.debate) == ""


# -- adversarial


def adversarial(*agreement: float, threshold: float = 0.8, **fields: Any) -> Table:
    turns = [f"m{n} judge round={n} task=measure" for n, _ in enumerate(agreement)]
    t = table(
        ("pro", "con", "judge:judge"),
        ("a1 pro", "b1 con", *turns, "end judge closing"),
        format="adversarial",
        threshold=threshold,
        **fields,
    )
    t.says("a1", "approve").says("b1", "comment")
    for n, value in enumerate(agreement):
        t.says(f"m{n}", metrics=Metrics(value, 0.5, 0.5, 0.5, {"technical": 0.2}))
    return t


def test_adversarial_statuses() -> None:
    assert adversarial_status(table(format="adversarial").debate) == "pending"
    assert (
        adversarial_status(table(format="adversarial").says("t1", "approve").debate)
        == "in_progress"
    )
    assert adversarial_status(adversarial(0.3, 0.8).says("end").debate) == "consensus_reached"
    assert adversarial_status(adversarial(0.9, 0.3).says("end").debate) == "deadlocked"
    assert adversarial_status(adversarial(0.3).stops(EndReason.HUMAN).debate) == "terminated"
    assert adversarial_status(adversarial(0.3).debate) == "in_progress"
    for reason, status in (
        (EndReason.BUDGET, "terminated"),
        (EndReason.CONSENSUS, "consensus_reached"),
        (EndReason.NO_QUORUM, "failed"),
        (EndReason.ERROR, "failed"),
        (EndReason.CONVERGED, "in_progress"),
    ):
        assert adversarial_status(adversarial(0.3).stops(reason).debate) == status
    assert adversarial_status(adversarial().says("end").debate) == "failed"
    assert verdict(adversarial(0.3, 0.8).says("end").debate).status == "consensus_reached"


@pytest.mark.parametrize("options", [("approve", "approve"), ("approve", "comment"), ("approve",)])
def test_deadlocked_never_stands_beside_a_decision(options: tuple[str, ...]) -> None:
    """An option that both sides hold is agreed, and one that both do not hold is not decided,
    whatever a judge measured.
    """
    t = adversarial(0.2, 0.2, findings=False)
    for turn, option in zip(("a1", "b1"), options, strict=False):
        t.says(turn, option)
    if len(options) == 1:
        t.says("b1", stance("none of these"))
    made = verdict(t.says("end").debate)
    if options == ("approve", "approve"):
        assert (made.status, made.decision) == ("consensus_reached", "approve")
    else:
        assert made.status == "deadlocked"
        assert made.decision in ("none", "tie")


# -- gauntlet


def gauntlet(*attacks: tuple[str, str | None]) -> Table:
    """Plays attacks given as (severity of the attack, grade); "-" is an attack that failed, None
    one that nobody graded.
    """
    turns = [f"a{n} red task=attack about=category:leak" for n, _ in enumerate(attacks)]
    t = table(
        ("red", "target", "judge:judge"),
        ("c target", *turns, "g judge task=grade closing"),
        format="gauntlet",
        ballot=GRADES,
    )
    t.says("c")
    grades = {f"a{n}": Grade(grade) for n, (_, grade) in enumerate(attacks) if grade}
    for n, (severity, _) in enumerate(attacks):
        t = (
            t.fails(f"a{n}")
            if severity == "-"
            else t.says(f"a{n}", findings=[finding(severity=severity, line=n * 20 + 1)])
        )
    return t.says("g", grades=grades)


@pytest.mark.parametrize(
    ("attacks", "decision"),
    [
        ([("high", "defended"), ("low", "defended")], "PASS"),
        ([("high", "defended"), ("low", "partly")], "CONDITIONAL"),
        ([("high", "defended"), ("low", None)], "CONDITIONAL"),
        ([("critical", "broken"), ("low", "defended"), ("low", "defended")], "FAIL"),
        ([("high", "broken"), ("low", "defended"), ("low", "defended")], "CONDITIONAL"),
        ([("high", "broken")] * 3 + [("low", "defended")] * 4, "FAIL"),
        ([("high", "broken")] * 2 + [("low", "defended")] * 3, "CONDITIONAL"),
        ([("low", "broken"), ("low", "broken"), ("low", "defended")], "FAIL"),
        ([("low", "broken"), ("low", "defended")], "CONDITIONAL"),
        ([("low", "broken"), ("-", None), ("-", None)], "FAIL"),
        ([("high", "defended"), ("-", None)], "PASS"),
        ([], "NO_EVIDENCE"),
        ([("high", "void"), ("high", "void")], "NO_EVIDENCE"),
        ([("-", None), ("-", None)], "NO_EVIDENCE"),
        ([("high", "defended"), ("-", None), ("-", None)], "NO_EVIDENCE"),
    ],
)
def test_defect_15_the_gauntlet_passes_only_what_was_attacked(
    attacks: list[tuple[str, str | None]], decision: str
) -> None:
    made = verdict(gauntlet(*attacks).debate)
    assert (made.decision, made.reached) == (decision, decision != "NO_EVIDENCE")
    assert blocks(gauntlet(*attacks).debate, made.decision) is (decision in ("FAIL", "NO_EVIDENCE"))


def test_each_attack_is_counted_once_and_one_without_a_finding_is_of_medium_severity() -> None:
    grades = ("broken", "broken", "broken", "defended", "partly", "void", None, "defended")
    t = gauntlet(*(("low", grade) for grade in grades), ("-", None))
    made = gauntlet_result(t.debate)
    assert (made.decision, made.planned, made.real, made.ungraded) == ("CONDITIONAL", 9, 6, 1)
    assert (made.defended, made.partly, made.broken) == (2, 1, 3)
    for n in range(3):
        t.says(f"a{n}")
    assert gauntlet_result(t.debate).decision == "CONDITIONAL"


def test_grades_of_what_was_no_attack_count_for_nothing() -> None:
    t = gauntlet(("high", "defended"), ("low", "defended"))
    t.says(
        "g",
        grades={"a0": Grade.DEFENDED, "a1": Grade.DEFENDED, "c": Grade.BROKEN, "a9": Grade.BROKEN},
    )
    assert (gauntlet_result(t.debate).decision, gauntlet_result(t.debate).real) == ("PASS", 2)
