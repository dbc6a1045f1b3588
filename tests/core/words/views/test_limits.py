"""Where lists and long texts end: the last that stands whole, and the first that does not."""

from __future__ import annotations

import pytest

from core.debate.material import Coverage, Material, MaterialKind, Read
from core.debate.verdict.findings import merge_findings
from core.words.views.language.grammar import shortened
from core.words.views.verdict.coverage import (
    coverage_line,
    not_read_line,
    not_read_warning,
    unread_sentence,
)
from core.words.views.verdict.facts import verdict_facts
from core.words.views.verdict.findings import disputes, findings_line, place_words, unplaced_line
from core.words.views.verdict.stances import divided_sentence, too_few_sentence
from tests.core.table import Table, agree, dispute, finding, table


@pytest.mark.parametrize(
    ("path", "line", "words"),
    [
        ("a.py", 12, "a.py:12"),
        ("a.py", None, "a.py"),
        ("", 12, "no place named"),
        ("x" * 117, 12, "x" * 117 + ":12"),
        ("x" * 118, 12, "…" + "x" * 116 + ":12"),
    ],
)
def test_a_place_is_shown_by_its_end_where_it_is_too_long(
    path: str, line: int | None, words: str
) -> None:
    assert place_words(finding(path=path, line=line)) == words


@pytest.mark.parametrize(
    ("text", "limit", "words"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one…"),
        ("one  \n two", 7, "one two"),
        ("unbroken", 8, "unbroken"),
        ("unbroken", 7, "unbrok…"),
        ("a unbroken", 8, "a unbro…"),
        ("one, two three", 9, "one…"),
        ("one two, three", 9, "one two…"),
    ],
)
def test_a_text_is_cut_between_words_where_that_leaves_most_of_it(
    text: str, limit: int, words: str
) -> None:
    assert shortened(text, limit) == words


THREE = "f0.py (generated), f1.py (generated), f2.py (generated)"


def left(count: int, **fields: bool) -> Table:
    """A change of four files of which so many were not read."""
    files = [Coverage(f"f{n}.py", Read.LEFT_OUT, "generated", **fields) for n in range(count)]
    read = [Coverage(f"r{n}.py", Read.FULL) for n in range(4 - count)]
    return table(material=Material(MaterialKind.DIFF, "d", "…", coverage=(*files, *read)))


@pytest.mark.parametrize(
    ("count", "line", "whole", "warning"),
    [
        (0, "", "4 files read", ""),
        (1, "f0.py (generated)", "3 of 4 files read in full, 1 left out: f0.py (generated)",
         "1 of 4 files was not read in full."),
        (2, "f0.py (generated) and f1.py (generated)",
         "2 of 4 files read in full, 2 left out: f0.py (generated), f1.py (generated)",
         "2 of 4 files were not read in full."),
        (3, "f0.py (generated), f1.py (generated) and f2.py (generated)",
         f"1 of 4 files read in full, 3 left out: {THREE}", "3 of 4 files were not read in full."),
        (4, "f0.py (generated), f1.py (generated) and f2.py (generated) and 1 more",
         f"0 of 4 files read in full, 4 left out: {THREE} …",
         "4 of 4 files were not read in full."),
    ],
)  # fmt: skip
def test_three_files_that_were_not_read_are_named_and_more_are_counted(
    count: int, line: str, whole: str, warning: str
) -> None:
    debate = left(count).debate
    assert not_read_line(debate) == line
    assert coverage_line(debate) == whole
    assert not_read_warning(debate) == warning
    assert unread_sentence(debate) == ""
    unread = unread_sentence(left(count, unread=True).debate)
    named = ", ".join(f"f{n}.py (generated)" for n in range(min(count, 3)))
    more = " and 1 more" * (count == 4)
    assert unread == (f"Nobody read this changed code: {named}{more}." if count else "")


@pytest.mark.parametrize("count", [0, 3, 4, 5])
def test_three_things_to_do_are_listed_and_more_are_counted(count: int) -> None:
    items = [f"Do {n} {'x' * 157}" for n in range(count)]
    t = table(findings=False).says("t1", "approve").says("end", actions=items).concluded()
    to_do = [text for label, text in verdict_facts(t.debate, "") if label == "To do"]
    cut = [f"Do {n} {'x' * 154}…" for n in range(min(count, 3))]
    assert to_do == [*cut, *([f"and {count - 3} more in the report"] if count > 3 else [])]


@pytest.mark.parametrize(("count", "more"), [(3, ""), (4, "; 1 more in the report")])
def test_three_changes_of_stances_are_told_and_more_are_counted(count: int, more: str) -> None:
    t = table(("a", "b", "c", "d"), findings=False)
    for n in range(1, count + 1):
        t.says(f"t{n}", "approve").says(f"u{n}", "comment")
    changes = dict(verdict_facts(t.debate, ""))["Changed by the debate"]
    moved = ", ".join(f"{seat}: approve → comment" for seat in "abc")
    assert changes == f"{moved} (no reason named){more}"


@pytest.mark.parametrize("characters", [200, 201])
def test_a_warning_is_cut_after_two_hundred_characters(characters: int) -> None:
    start = "Stopped answering, so their last stance counts: "
    lost = "x" * (characters - len(start) - 1)
    t = table((lost, "chair:chair")).says("t1", "approve").fails("u1").says("end").concluded()
    [warning] = [text for _, text in verdict_facts(t.debate, "") if text.startswith("Stopped")]
    whole = f"{start}{lost}."
    assert warning == (whole if characters == 200 else f"{whole[:199]}…")


def test_the_reasons_of_two_that_dispute_are_given_and_others_are_named() -> None:
    seats = ("a", "b", "c", "d", "e")
    turns = [f"t{n} {seat}" for n, seat in enumerate(seats, 1)]
    t = table((*seats, "chair:chair"), [*turns, "end chair round=1 closing"])
    t.says("t1", "comment", findings=[finding()])
    rows = []
    for n in range(2, 6):
        t.says(f"t{n}", "approve", answers=[dispute("t1.f1", f"no {n}")])
        [merged] = merge_findings(t.debate)
        rows.append(disputes(t.debate, merged, 600))
        assert len(merged.disputed_by) == n - 1
    first = [("Disputed by", "b: no 2"), ("Disputed by", "c: no 3")]
    assert rows[0] == first[:1]
    assert rows[1] == first
    assert rows[2] == [*first, ("Also disputed by", "d")]
    assert rows[3] == [*first, ("Also disputed by", "d and e")]


@pytest.mark.parametrize(
    ("count", "line"), [(0, ""), (1, "“F0”"), (2, "“F0” and “F1”"), (3, "“F0” and “F1” and 1 more")]
)
def test_two_claims_that_stand_nowhere_are_named(count: int, line: str) -> None:
    raised = [finding(f"F{n}", path=f"f{n}.py", anchored=False) for n in range(count)]
    debate = table().says("t1", "approve", findings=raised).debate
    shows = " (security critic): no line of the material shows it" * bool(count)
    assert unplaced_line(debate, merge_findings(debate)) == line + shows


def test_findings_are_counted_by_what_is_left_to_do() -> None:
    t = table().says("t1", "comment", findings=[finding("F1"), finding("F2", path="b.py")])
    assert findings_line(merge_findings(t.debate), blocked=False) == "2 findings"
    assert findings_line(merge_findings(t.debate), blocked=True) == "2 must be fixed"
    t.says("t2", "approve", answers=[dispute("t1.f1"), agree("t1.f2")])
    assert findings_line(merge_findings(t.debate), blocked=False) == "2 findings, 1 disputed"
    t.says("t3", "approve", answers=[dispute("t1.f1")])
    assert findings_line(merge_findings(t.debate), blocked=True) == "1 must be fixed"
    assert findings_line((), blocked=False) == ""
    low = table().says("t1", "comment", findings=[finding("F3", severity="low")])
    assert findings_line(merge_findings(low.debate), blocked=True) == "1 finding"


@pytest.mark.parametrize(
    ("approve", "against", "few", "divided"),
    [
        (0, 0, False, False), (1, 0, True, False), (3, 0, True, False), (4, 0, False, False),
        (3, 1, False, True), (8, 2, False, True), (9, 2, False, False), (50, 50, False, True),
    ],
)  # fmt: skip
def test_people_s_votes_say_something_from_four_on_and_with_a_clear_majority(
    approve: int, against: int, few: bool, divided: bool
) -> None:
    votes = {"approve": approve, "comment": against}
    assert bool(too_few_sentence(votes)) is few
    assert bool(divided_sentence(votes)) is divided
