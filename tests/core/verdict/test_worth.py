"""A review whose openings leave nothing to settle is not debated; the findings that are worth most
come first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.due import due
from core.events import EndReason, StopOrdered, TurnSkipped
from core.material import CodeFinding, Material, MaterialKind
from core.prompting.material import worth_debating
from core.template import Mode
from core.verdict.convergence import should_stop
from core.verdict.findings import merge_findings
from core.verdict.worth import alone, by_worth
from tests.core.table import CRITICS, Table, agree, finding, table

SEATS = (*CRITICS, "author", "chair:chair")
TURNS = (
    *(f"t{n} {c} independent task=open" for n, c in enumerate(CRITICS, 1)),
    "a author round=1 reads=t1,t2,t3 task=respond",
    *(f"u{n} {c} round=2 reads=t1,t2,t3,a" for n, c in enumerate(CRITICS, 1)),
    "end chair round=3 task=close closing",
)
AGAIN = "To debate it all the same: fork debate-0001, or start it with --debate-anyway."


def openings(*said: list[Any] | None, vote: str = "request_changes", **fields: Any) -> Table:
    """Returns a debate with the critics' findings in their order; None for a critic that gave no
    answer.
    """
    t = table(SEATS, TURNS, **fields)
    for n, findings in enumerate(said, 1):
        t = t.fails(f"t{n}") if findings is None else t.says(f"t{n}", vote, findings=findings)
    return t


def stop(t: Table) -> StopOrdered | None:
    return should_stop(t.debate)


@pytest.mark.parametrize(
    "statements",
    [
        ([], [], []),
        ([finding(confidence=0.59)], [finding("Leak", line=90, anchored=False)], []),
        ([finding(severity="low")], [], []),
        ([finding(confidence=0.5)], [], None),
    ],
    ids=["nothing", "unsure or unanchored", "low", "a seat gave no answer"],
)
def test_nothing_both_sure_and_anchored_is_not_debated(statements: Any) -> None:
    t = openings(*statements, vote="comment" if any(statements) else "request_changes")
    if not any(statements):
        t = openings([], []).says("t3", "approve")
    assert stop(t) == StopOrdered(
        EndReason.CONVERGED,
        detail="No finding of a seat is both sure and at a line of the change, so a debate would "
        f"change nothing. {AGAIN}",
        closing=False,
    )


def test_what_all_found_with_evidence_is_not_debated() -> None:
    assert stop(openings([finding()], [finding()], [finding()])) == StopOrdered(
        EndReason.CONSENSUS,
        detail=f"All 3 seats found the same, with evidence: nothing is in dispute. {AGAIN}",
        closing=False,
    )


def test_such_a_stop_spends_nothing_more_not_even_on_a_closing_word() -> None:
    t = openings([], [], []).says("t3", "approve")
    ordered = stop(t)
    assert ordered is not None
    t.add(ordered)
    skipped = due(t.debate)
    assert {type(s) for s in skipped} == {TurnSkipped}
    assert {s.turn for s in skipped} == {"a", "u1", "u2", "u3", "end"}


@pytest.mark.parametrize(
    "t",
    [
        openings([finding()], [], []),
        openings([finding()], [finding()], []),
        openings([finding()], [finding()], [finding()], vote="comment"),
        openings([finding()], [finding()], [finding(), finding("Leak", line=90)]),
        openings([finding(severity="medium")], [], []),
        openings([], None, None),
        openings([], [], [], terms={"anyway": True}),
        openings([], [], [], vote="comment").challenges("And retries?"),
        openings([], [], mode=Mode.JUDGE).says("t3", "approve"),
        openings([], [], vote="comment"),
        openings([], [], [finding()], vote="comment").says("a", "approve"),
    ],
    ids=[
        "one alone",
        "two of three",
        "they ask for less",
        "one more of one seat",
        "a medium alone",
        "one seat heard",
        "wanted all the same",
        "challenged",
        "judges rule",
        "one to come",
        "answered already",
    ],
)
def test_everything_else_is_debated(t: Table) -> None:
    assert stop(t) is None


def test_what_code_proved_is_no_matter_of_debate() -> None:
    proven = CodeFinding("app/settings.py", 3, "RIGHT", "high", "A secret in an added line")
    t = openings([], [], [], material=Material(MaterialKind.DIFF, "d", "…", proven=(proven,)))
    ordered = stop(t)
    assert ordered is not None
    assert ordered.reason is EndReason.CONVERGED


def test_what_code_found_is_worth_debating_where_a_seat_found_it_too() -> None:
    proven = [CodeFinding("app/db.py", n, "RIGHT", "high", "A secret in a line") for n in (12, 90)]
    material = Material(MaterialKind.DIFF, "d", "…", proven=tuple(proven))
    t = openings([finding("A secret in a line", line=12)], [finding("Leak", line=50)], [])
    t.events[1] = replace(t.debate.open, material=material)
    debate = t.says("t3", "comment").debate
    [turn] = [turn for turn in debate.turns if turn.id == "u1"]
    titles = [(m.wording.title, m.wording.line) for m in worth_debating(debate, turn)]
    assert titles == [("Leak", 50), ("A secret in a line", 12)]
    assert len(merge_findings(debate)) == 3


def test_a_high_finding_that_one_seat_holds_alone_comes_first() -> None:
    t = openings(
        [finding("Query built from input", severity="critical", line=5)],
        [finding("Query built from input", severity="critical", line=5), finding("Leak", line=90)],
        [finding("Slow loop", severity="medium", line=40)],
    )
    findings = by_worth(merge_findings(t.debate))
    assert [(m.wording.title, alone(m)) for m in findings] == [
        ("Leak", True),
        ("Query built from input", False),
        ("Slow loop", False),
    ]
    t.says("a", answers=[agree("t2.f2")])
    assert not any(alone(m) for m in merge_findings(t.debate))
