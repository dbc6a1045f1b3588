"""Findings of an earlier run are resolved by the right rule, and passed on to the next run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.debate.finding import Severity
from core.debate.ledger import Demand, DemandState, Fate, SettledBy
from core.debate.material import CodeFinding, Material, MaterialKind
from core.debate.prompting import prompt
from core.debate.prompting.form import task_of
from core.debate.replies import Answer, Position
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.merging import fingerprint
from tests.core.demands import demand, reworded
from tests.core.table import Table, agree, dispute, finding, table

EARLIER = demand(
    "e1", "f00d", "high", 0.9, "The query is built from user input", "app/db.py", 12, "RIGHT",
    "q = name", trigger="name comes from a form", was=12, role="security_critic",
)  # fmt: skip


def rerun(*earlier: Demand, **more: Any) -> Table:
    return table(
        material=Material(
            MaterialKind.PULL_REQUEST, "Shop", "…", "https://github.com/a/b/pull/1", "90fee08",
            demands=earlier, **more,
        )
    )  # fmt: skip


def only(t: Table) -> MergedFinding:
    (findings,) = merge_findings(t.debate)
    return findings


@pytest.mark.parametrize("fate", [Fate.SAME, Fate.MOVED])
def test_what_nobody_touched_stands_and_blocks(fate: Fate) -> None:
    t = rerun(replace(EARLIER, fate=fate)).says("t1", "approve").says("t2", "approve")
    finding = only(t)
    assert (finding.state, finding.blocking, finding.mark) == (FindingState.OPEN, True, "f00d")
    assert verdict(t.debate).decision == "request_changes"


def test_what_is_gone_from_the_change_is_resolved_without_a_word() -> None:
    t = rerun(reworded(replace(EARLIER, fate=Fate.GONE), line=None)).says("t1", "approve")
    assert only(t).state is FindingState.RESOLVED
    assert verdict(t.debate).decision == "approve"


def test_changed_lines_are_judged_by_the_seats_that_answer() -> None:
    changed = replace(EARLIER, fate=Fate.CHANGED)
    rerun_table = rerun(changed).says("t1", "approve", answers=[dispute("e1", "bound in line 14")])
    assert only(rerun_table).state is FindingState.RESOLVED
    assert only(rerun_table.says("t2", "comment", answers=[agree("e1")])).state is FindingState.OPEN
    silent = rerun(changed).says("t1", "approve").says("t2", "approve")
    assert only(silent).state is FindingState.OPEN  # nobody said that it is gone


def argued(position: Position) -> Answer:
    return Answer("e1", position, "as line 14 shows", checked=True)


@pytest.mark.parametrize(
    ("fate", "positions", "state"),
    [
        (Fate.CHANGED, "must_fix must_fix", FindingState.OPEN),
        (Fate.CHANGED, "must_fix must_fix not_real", FindingState.OPEN),
        (Fate.CHANGED, "must_fix need_not_block not_real", FindingState.OPEN),
        (Fate.CHANGED, "must_fix not_real not_real", FindingState.RESOLVED),
        (Fate.REPLACED, "must_fix must_fix not_real", FindingState.OPEN),
        (Fate.CHANGED, "must_fix not_real need_not_block", FindingState.OPEN),
        (Fate.REPLACED, "must_fix not_real not_real", FindingState.RESOLVED),
        (Fate.SAME, "must_fix not_real not_real", FindingState.WITHDRAWN),
    ],
)
def test_an_argument_over_an_earlier_finding_counts(
    fate: Fate, positions: str, state: FindingState
) -> None:
    """A seat that said in its opening that it is there decides again in the argument."""
    t = rerun(replace(EARLIER, fate=fate)).says("t1", "comment", answers=[agree("e1")])
    t.says("t2", "comment", answers=[agree("e1")])
    t.says("t3", "approve", answers=[dispute("e1", "bound in line 14")])
    for turn, position in zip(("u1", "u2", "u3"), positions.split(), strict=False):
        t.says(turn, "comment", answers=[argued(Position(position))])
    assert only(t).state is state


def test_a_change_of_mind_without_a_line_resolves_nothing() -> None:
    t = rerun(replace(EARLIER, fate=Fate.CHANGED)).says("t1", "comment", answers=[agree("e1")])
    t.says("t2", "approve", answers=[dispute("e1", "bound in line 14")])
    bare = replace(argued(Position.NOT_REAL), checked=False)
    assert only(t.says("u1", "comment", answers=[bare])).state is FindingState.OPEN


def test_untouched_lines_are_given_up_by_most_seats_only() -> None:
    t = rerun(EARLIER).says("t1", "approve", answers=[dispute("e1")])
    assert only(t).state is FindingState.OPEN
    assert only(t.says("t2", "approve", answers=[dispute("e1")])).state is FindingState.WITHDRAWN


def test_who_raises_it_again_keeps_it_open_under_its_old_mark() -> None:
    again = finding("User input builds the query", line=13, severity="critical")
    t = rerun(replace(EARLIER, fate=Fate.CHANGED)).says("t1", "approve", answers=[dispute("e1")])
    one_finding = only(t.says("t2", "request_changes", findings=[again]))
    assert (one_finding.id, one_finding.mark, one_finding.state) == (
        "e1",
        "f00d",
        FindingState.OPEN,
    )
    assert (one_finding.wording.line, one_finding.wording.severity) == (13, Severity.CRITICAL)


def test_what_people_called_not_real_stays_so() -> None:
    t = rerun(replace(EARLIER, state=DemandState.REJECTED, settled_by=SettledBy.PEOPLE)).says(
        "t1", "request_changes", findings=[finding(line=12)]
    )
    one_finding = only(t)
    assert (one_finding.state, one_finding.maintainer, one_finding.blocking) == (
        FindingState.DISPUTED,
        True,
        False,
    )


def test_what_code_found_is_resolved_when_code_finds_it_no_more() -> None:
    proven = replace(EARLIER, fate=Fate.CHANGED, proven=True)
    proven = reworded(proven, title="A secret is added (aws)")
    assert only(rerun(proven)).state is FindingState.RESOLVED
    still = CodeFinding("app/db.py", 12, "RIGHT", "high", "A secret is added (aws)", "q = name")
    assert only(rerun(proven, proven=(still,))).state is FindingState.OPEN


@pytest.mark.parametrize("severity", ["medium", "high"])
@pytest.mark.parametrize("blocked", [True, False])
def test_what_blocked_in_the_run_before_goes_on_blocking(severity: str, blocked: bool) -> None:
    held = reworded(EARLIER, severity=Severity(severity), must_fix=blocked)
    assert only(rerun(held)).blocking is blocked


def test_the_next_run_is_told_what_is_open_and_what_people_rejected() -> None:
    t = table().says(
        "t1",
        "request_changes",
        findings=[
            finding(quote="q = name"),
            finding("Pool is never closed", line=80),
            finding("Loose talk", path="", line=None, anchored=False),
        ],
    )
    t.says("t2", "comment", findings=[finding("Index is missing", line=200, severity="low")])
    t.says("u2", "comment").votes("ann", "not_real", "t1.f2").votes("bob", "not_real", "t1.f2")
    passed_on = demands_after(t.debate)
    assert [
        (e.finding.title, e.finding.severity, e.disputed, e.holders, e.role) for e in passed_on
    ] == [
        ("The query is built from user input", "high", False, 1, "security_critic"),
        ("Pool is never closed", "high", True, 1, "security_critic"),
        ("Index is missing", "low", False, 1, "performance_critic"),
    ]
    assert passed_on[0].mark == fingerprint(finding(quote="q = name"))


def test_a_second_run_hands_its_marks_on() -> None:
    t = rerun(EARLIER).says("t1", "comment", findings=[finding("Pool is never closed", line=80)])
    passed_on = demands_after(t.debate)
    assert [(e.mark, e.role) for e in passed_on] == [
        ("f00d", "security_critic"),
        (fingerprint(finding("Pool is never closed", line=80)), "security_critic"),
    ]
    assert [e.proven for e in passed_on] == [False, False]


def test_who_opens_is_asked_about_earlier_findings_and_others_are_not_asked_twice() -> None:
    debate = rerun(replace(EARLIER, fate=Fate.CHANGED)).debate
    opens, argues = debate.turns[0], debate.turns[3]
    assert "answers" in task_of(debate, opens).asks
    assert task_of(debate, argues).asks.count("answers") == 1
    text = "\n".join(m.text for m in prompt(debate, opens))
    assert (
        "e1 high app/db.py:12 The query is built from user input | name comes from a form "
        "(its lines changed: still there?)" in text
    )
    assert "answers" not in task_of(table().debate, opens).asks
