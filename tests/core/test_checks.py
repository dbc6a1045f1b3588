"""What a template's own checks ask of a report, to the edge: options, kill criteria, dates, and the
clauses of a text.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from core.debate.checks import CHECKS, refusal, run_checks
from core.debate.checks.clauses import clauses, loose_points, points_by_clause
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.replies import Claim, Statement
from core.debate.verdict.follow_up import follow_up_date, pending_follow_up
from tests.core.table import START, Table, finding, table, template

TODAY = START.date()


def closed(*checks: str, **sections: str) -> Table:
    """A debate with these checks whose report holds these sections."""
    t = table(findings=False, settings={"checks": list(checks)})
    return t.says("t1", "approve").says("end", sections=sections)


def test_nothing_is_asked_of_a_report_before_there_is_one() -> None:
    t = table(findings=False, settings={"checks": ["options", "kill_criteria", "review_date"]})
    made = run_checks(t.says("t1", "approve").debate)
    assert (made.refused, made.warnings) == ((), ())


@pytest.mark.parametrize(
    ("checks", "sections", "wrong"),
    [
        (["options"], {"alternatives": "- a\n- b\n- c"}, ""),
        (
            ["options"],
            {"alternatives": "- a\n- b"},
            "the alternatives list 2 options, one a line: 3 are needed",
        ),
        (["kill_criteria"], {"kill_criteria": "It is slower."}, ""),
        (["kill_criteria"], {"kill_criteria": " TBD. "}, "the kill criteria are missing"),
        (["kill_criteria"], {}, "the kill criteria are missing"),
        (["review_date"], {"review_date": "on 2027-01-31"}, ""),
        (["review_date"], {"review_date": "soon"}, "review_date holds no date like 2027-01-31"),
        (["clauses"], {}, ""),
        (
            ["options", "follow_up_date"],
            {},
            (
                "the alternatives list 0 options, one a line: 3 are needed; "
                "follow_up_date holds no date like 2027-01-31"
            ),
        ),
    ],
)
def test_a_closing_seat_is_told_what_its_report_lacks(
    checks: list[str], sections: dict[str, str], wrong: str
) -> None:
    assert refusal(template(settings={"checks": checks}), Statement("", sections=sections)) == wrong


@pytest.mark.parametrize(
    ("field", "name"), [("follow_up_date", "follow-up date"), ("review_date", "review date")]
)
@pytest.mark.parametrize(
    ("written", "day"),
    [
        (f"{TODAY}", None),
        (f"{TODAY + timedelta(1)}", TODAY + timedelta(1)),
        (f"{TODAY}, else 2026-13-01, else 2027-02-03", date(2027, 2, 3)),
        ("12026-12-011", None),
        ("", None),
    ],
)
def test_a_report_s_day_is_the_first_after_today(
    written: str, day: date | None, field: str, name: str
) -> None:
    debate = closed(field, **{field: written}).concluded().debate
    made = follow_up_date(debate)
    assert (made.at.date() if made else None) == day
    warnings = run_checks(debate).warnings
    assert warnings == (
        () if day else (f"No {name} after today was set; one like 2027-01-31 is required.",)
    )


@pytest.mark.parametrize(
    ("days", "because"), [(1, "The verdict is a day old."), (2, "The verdict is 2 days old.")]
)
def test_else_it_is_so_many_days_after_the_verdict(days: int, because: str) -> None:
    def ended(**terms: Any) -> Table:
        t = table(findings=False, follow_up_days=days, terms=terms)
        return t.says("t1", "approve").says("end")

    made = follow_up_date(ended().concluded().debate)
    assert made is not None
    assert (made.at.date(), made.because) == (TODAY + timedelta(days), because)
    assert made.question == "Did it hold? Retry on timeout"
    assert follow_up_date(ended().debate) is None, "there is no verdict yet"
    assert follow_up_date(ended(demo=True).concluded().debate) is None
    assert pending_follow_up(ended().concluded(closed=False).debate) is None
    assert pending_follow_up(ended().concluded().debate) == made
    assert pending_follow_up(ended().concluded().resolved(True).debate) is None


def rules(*rows: str) -> Material:
    lines = tuple(Line(" ", row, n, n) for n, row in enumerate(rows, 1))
    return Material(
        MaterialKind.DOCUMENT, "Rules", "\n".join(rows), hunks=(Hunk("r.md", "", lines),)
    )


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (
            ("Rules", "1. Keys rotate.", "   Each month.", "2. Logs stay.", "2. Twice."),
            [("1", 2, 3), ("2", 4, 5)],
        ),
        (("1. One alone.", "", "Then more", "of it."), [("1", 1, 2), ("2", 3, 4)]),
        (("Only this.",), [("1", 1, 1)]),
        (("", "First.", "", "", "Second."), [("1", 2, 4), ("2", 5, 5)]),
        ((" ",), []),
    ],
)
def test_a_clause_goes_from_its_number_to_the_next(
    rows: tuple[str, ...], numbers: list[tuple[str, int, int]]
) -> None:
    made = clauses(rules(*rows))
    assert [(c.number, c.lines[0], c.lines[-1]) for c in made] == numbers
    texts = [" ".join(" ".join(rows[first - 1 : last]).split()) for _, first, last in numbers]
    assert [c.text for c in made] == texts
    assert clauses(Material(MaterialKind.DOCUMENT, "Rules", "\n".join(rows))) == made


def test_clauses_that_nobody_examined_are_named_and_others_with_their_seats() -> None:
    material = rules("1. Keys rotate.", "2. Logs stay.", "3. Backups move.")
    t = table(findings=False, material=material, settings={"checks": ["clauses"]})
    t.says("t1", "approve", claims=[Claim("", "Clause 1 is right.", "Keys rotate.")])
    t.says("t2", "approve", claims=[Claim("", "So it is.", "Keys  rotate."), "Clause 9 is wrong."])
    assert run_checks(t.debate).warnings[0] == "Not examined by anybody: clauses 2, 3."
    t.says("t3", "approve", findings=[finding(path="r.md", line=3, quote="Backups move.")])
    examined = {number: len(ids) for number, ids in points_by_clause(t.debate).items()}
    assert (examined, loose_points(t.debate)) == ({"1": 2, "2": 0, "3": 1}, ("t2.c2",))
    made = run_checks(t.debate)
    assert made.warnings == (
        "Not examined by anybody: clause 2.",
        "1 point without an existing clause and its words: performance critic.",
    )
    ((title, rows),) = made.sections
    assert title == "Clauses examined"
    assert rows.split("\n") == [
        "- 1 Keys rotate.: security critic, performance critic",
        "- 2 Logs stay.: **not examined**",
        "- 3 Backups move.: maintainability critic",
    ]


def test_every_check_has_a_name_that_a_template_can_give() -> None:
    assert run_checks(closed("no_such_check").debate) == run_checks(closed().debate)
    assert sorted(CHECKS) == sorted(
        ["clauses", "amendments", "assumptions", "options", "kill_criteria", "review_date",
         "follow_up_date"]
    )  # fmt: skip
