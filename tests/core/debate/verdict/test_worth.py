"""A review whose openings leave nothing to settle is not debated; the findings that are worth most
come first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.debate.due import due
from core.debate.events import EndReason, StopOrdered, TurnFinished, TurnSkipped
from core.debate.material import CodeFinding, Material, MaterialKind
from core.debate.prompting.material import worth_debating
from core.debate.template import Mode
from core.debate.verdict.convergence import should_stop
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.worth import by_worth
from tests.core.table import CRITICS, Table, agree, dispute, finding, table

SEATS = (*CRITICS, "author", "chair:chair")
TURNS = (
    *(f"t{n} {c} independent task=open" for n, c in enumerate(CRITICS, 1)),
    "a author round=1 reads=t1,t2,t3 task=respond",
    *(f"u{n} {c} round=2 reads=t1,t2,t3,a" for n, c in enumerate(CRITICS, 1)),
    "end chair round=3 task=close closing",
)
AGAIN = "To debate it all the same: fork debate-0001, or start it with --debate-anyway."


def openings(
    *said: list[Any] | None, vote: str = "request_changes", minor: bool = False, **fields: Any
) -> Table:
    """Returns a debate with the critics' findings in their order; None for a critic that gave no
    answer. None of them must be fixed if they are ``minor``.
    """
    t = table(SEATS, TURNS, **fields)
    for n, given in enumerate(said, 1):
        findings = given and [replace(f, must_fix=False if minor else f.must_fix) for f in given]
        t = t.fails(f"t{n}") if findings is None else t.says(f"t{n}", vote, findings=findings)
    return t


def stop(t: Table) -> StopOrdered | None:
    return should_stop(t.debate)


@pytest.mark.parametrize(
    "t",
    [
        openings([], [], []),
        openings([finding()], [finding("Leak", line=90)], [finding()]),
        openings([finding()], [], [], vote="comment", minor=True),
        openings([finding(anchored=False)], [], [], vote="comment"),
        openings([finding(must_fix=False)], [], None, vote="approve"),
        openings([], [], vote="approve").says("t3", "request_changes"),
    ],
    ids=[
        "nothing",
        "all block",
        "minor",
        "nowhere",
        "one is silent",
        "one blocks and says not why",
    ],
)
def test_what_the_openings_do_not_contest_is_not_debated(t: Table) -> None:
    heard = len([e for e in t.events if isinstance(e, TurnFinished)])
    ordered = stop(t)
    assert ordered is not None
    assert not ordered.closing
    agreed = ordered.reason is EndReason.CONSENSUS
    assert agreed or ordered.detail == f"The {heard} openings contest nothing. {AGAIN}"


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
        openings([finding(confidence=0.1)], [], [], vote="approve"),
        openings([finding()], [finding()], []).says("t3", "approve"),
        openings([finding()], [finding()], [finding(), finding("Leak", line=90)], vote="comment"),
        openings([finding(severity="low", must_fix=True)], [], [], vote="approve"),
        openings([], None, None),
        openings([], [], [], terms={"anyway": True}),
        openings([], [], [], vote="comment").challenges("And retries?"),
        openings([], [], mode=Mode.JUDGE).says("t3", "approve"),
        openings([], [], vote="comment"),
        openings([], [], [finding()], vote="approve").says("a", "approve"),
    ],
    ids=[
        "one alone, hardly sure",
        "two of three",
        "one more of one seat",
        "a low one that must be fixed",
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
    assert titles == [("A secret in a line", 12), ("Leak", 50)]
    assert len(merge_findings(debate)) == 3


def test_what_seats_differ_on_comes_first_then_what_would_block() -> None:
    t = openings(
        [finding("Query built from input", line=5)],
        [finding("Slow loop", severity="medium", line=40), finding("Leak", line=90)],
        [],
        vote="approve",
    )
    t.says("u3", answers=[agree("t1.f1"), dispute("t2.f2")])
    findings = by_worth(merge_findings(t.debate))
    assert [m.wording.title for m in findings] == ["Leak", "Query built from input", "Slow loop"]
