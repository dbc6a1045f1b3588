"""A scanner's report is a claim: seats confirm or refute it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.debate.material import Hunk, Line, Material, MaterialKind, Scanned
from core.debate.prompting import prompt
from core.debate.prompting.frame import fence
from core.debate.replies import Answer, Position
from core.debate.script import SeatId
from core.debate.state import replay
from core.debate.verdict import verdict
from core.debate.verdict.cruxes import cruxes
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import SCANNER, FindingState, MergedFinding
from core.words.outcome.appendix import appendix
from core.words.views.verdict.findings import counts_words
from tests.core.memory import opening
from tests.core.table import CRITICS, Table, agree, dispute, finding, table

CLAIM = Scanned("scan.f1", "semgrep eval", "high", "eval of input", "app/db.py", 12, "x = eval(y)")


def change(**fields: str) -> Material:
    hunk = Hunk("app/db.py", "@@", (Line("+", "x = eval(y)", None, 12),))
    return Material(
        MaterialKind.DIFF, "Change", fields.get("text", "…"), hunks=(hunk,), scanned=(CLAIM,)
    )


def answered(*answers: Answer | None) -> Table:
    t = table(material=change())
    for turn, answer in zip(("t1", "t2", "t3"), answers, strict=True):
        given = () if answer is None else (answer,)
        t.says(turn, "approve", answers=given)
    return t


def only(t: Table) -> MergedFinding:
    (findings,) = merge_findings(t.debate)
    return findings


YES, NO = agree("scan.f1"), dispute("scan.f1", "it is fixed")
UNREAL = Answer("scan.f1", Position.NOT_REAL, "no caller", checked=True)


@pytest.mark.parametrize(
    ("answers", "blocks", "state", "fate"),
    [
        ((None, None, None), False, FindingState.OPEN, "nobody answered"),
        ((YES, None, None), True, FindingState.OPEN, "confirmed (1 holds)"),
        ((YES, YES, NO), True, FindingState.OPEN, "confirmed (2 hold, 1 disputes)"),
        ((YES, NO, None), False, FindingState.OPEN, "not settled (1 holds, 1 disputes)"),
        ((YES, NO, NO), False, FindingState.OPEN, "refuted (1 holds, 2 dispute): it is fixed"),
        ((YES, NO, UNREAL), False, FindingState.OPEN, "refuted (1 holds, 2 dispute): no caller"),
        (
            (NO, None, None),
            False,
            FindingState.OPEN,
            "refuted (no seat holds, 1 disputes): it is fixed",
        ),
        (
            (NO, NO, None),
            False,
            FindingState.WITHDRAWN,
            "refuted (no seat holds, 2 dispute): it is fixed",
        ),
    ],
)
def test_seats_confirm_or_refute_it(
    answers: tuple[Answer | None, ...], blocks: bool, state: FindingState, fate: str
) -> None:
    t = answered(*answers)
    finding = only(t)
    assert (finding.blocking, finding.state) == (blocks, state)
    assert not finding.proven
    text = f"- semgrep eval `app/db.py:12` eval of input: {fate}"
    assert appendix(t.debate)["What scanners reported"] == text


def test_refuted_results_do_not_keep_a_clean_change_from_being_approved() -> None:
    assert verdict(answered(NO, NO, NO).debate).decision == "approve"
    assert verdict(answered(None, None, None).debate).decision == "comment"


def test_a_seat_that_raises_it_itself_holds_it() -> None:
    t = table(material=change())
    same = finding("eval of input", line=12, quote="x = eval(y)")
    t.says("t1", "request_changes", findings=(same,))
    one_finding = only(t)
    assert one_finding.by == (SCANNER, SeatId(CRITICS[0]))
    assert (one_finding.holders, one_finding.blocking) == (1, True)
    assert counts_words(one_finding) == "1 holds"


def test_seats_are_told_of_it_inside_the_fence_and_asked_for_an_answer() -> None:
    debate = replay(opening(material=change(text="x" * 2000)))
    rendered = "\n".join(m.text for m in prompt(debate, debate.turns[0]))
    token = fence(debate)
    block = rendered[rendered.index("# Reported by scanners") :]
    assert block.splitlines()[1:4] == [
        f"[{token}",
        "| scan.f1 high app/db.py:12 eval of input (semgrep eval)",
        f"{token}]",
    ]
    assert '"answers"' in rendered


def test_the_verdict_turns_on_both_of_two_reports_that_are_each_enough() -> None:
    other = replace(CLAIM, id="scan.f2", line=90, quote="y = exec(z)", title="exec of input")
    far = Hunk("app/db.py", "@@", (Line("+", "y = exec(z)", None, 90),))
    read = change()
    t = table(material=replace(read, hunks=(*read.hunks, far), scanned=(CLAIM, other)))
    t.says("t1", "approve", answers=[YES]).says("t2", "approve", answers=[agree("scan.f2")])
    t.says("t3", "approve")
    (crux,) = cruxes(t.debate)
    assert (crux.ids, crux.without) == (("scan.f1", "scan.f2"), "approve")
