"""The decision in one sentence, and what qualifies it: whole sentences, each at the edge where the
next one would stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.debate.events import EndReason
from core.debate.finding import Finding
from core.debate.material import Coverage, Material, MaterialKind, Read
from core.debate.replies import Answer, Position
from core.debate.script import SeatId
from core.debate.template import Mode, Option
from core.words.views.verdict.decision import decision
from tests.core.table import Table, dispute, finding, stance, table

GO = (Option("go", "a", 0), Option("no", "b", 1), Option("wait", "c", 2))
HIDDEN = Coverage("b.py", Read.LEFT_OUT, "generated", unread=True)
UNREAD = Material(MaterialKind.DIFF, "Retry", "…", coverage=(HIDDEN,))
NOBODY_READ = "Nobody read this changed code: b.py (generated)."
CHANGES, MERGING = "request_changes", "must be fixed before merging"
CLOSE = "Close: one seat decides."


def seated(count: int, **fields: Any) -> Table:
    names = ("a", "b", "c", "d", "e", "f", "g")[:count]
    turns = [f"t{n} {seat} independent" for n, seat in enumerate(names, 1)]
    return table((*names, "chair:chair"), [*turns, "end chair round=1 closing"], **fields)


def voted(options: str, **fields: Any) -> Table:
    """A debate in which each seat chooses; "-" fails and "." takes no stance."""
    t = seated(len(options.split()), ballot=GO, findings=False, **fields)
    for n, option in enumerate(options.split(), 1):
        t = t.fails(f"t{n}") if option == "-" else t.says(f"t{n}", option.strip("."))
    return t.says("end")


def heavy(weight: float) -> dict[str, Any]:
    """Terms under which the third seat's vote has this weight."""
    return {"mode": Mode.WEIGHTED, "terms": {"weights": {SeatId("c"): weight}}}


@pytest.mark.parametrize(
    ("options", "fields", "headline"),
    [
        ("- -", {}, "No verdict: no seat gave an answer that could be read."),
        ("go - -", {"quorum": 2}, "No verdict: only 1 of 3 seats answered, 2 are needed."),
        ("go go go", {}, "Go: 3 of 3 seats agree."),
        ("go go no", {}, "Go: 2 of 3 seats agree; the c does not."),
        ("go go go no wait", {}, "Go: 3 of 5 seats agree; the d and the e do not."),
        ("go go go no .", {}, "Go: 3 of 5 seats agree; the d does not."),
        ("go go go go no no no", {}, "Go: 4 of 7 seats agree."),
        ("go go no no no", {"threshold": 0.6}, "No: 3 of 5 seats agree; the a and the b do not."),
        ("go go no", {"threshold": 0.75}, "No decision: 2 of 3 for go, 3 needed."),
        ("go . .", {}, "No decision: 1 of 3 for go, 2 needed."),
        ("go no", {}, "No decision: a tie, 1 of 2 seats for each side."),
        ("go go no no .", {}, "No decision: a tie, 2 of 5 seats for each side."),
        (". .", {}, "No decision: no seat chose an option."),
        ("go go no", heavy(5.0), "No: 1 of 3 seats agree; the a and the b do not."),
        (
            "go go no",
            heavy(1.4) | {"threshold": 0.66},
            "No decision: 2 of 3 for go, not enough by the weight of their votes.",
        ),
        (
            "go go",
            {"material": UNREAD},
            "No decision: 2 of 2 for go, but nobody read all of the changed code.",
        ),
        (
            "go go no",
            {"material": UNREAD, "threshold": 0.9},
            "No decision: 2 of 3 for go, 3 needed.",
        ),
        ("no no", {"material": UNREAD}, "No: 2 of 2 seats agree."),
    ],
)  # fmt: skip
def test_a_vote_says_how_many_agree_or_what_it_lacks(
    options: str, fields: dict[str, Any], headline: str
) -> None:
    made = decision(voted(options, **fields).debate)
    assert made.headline == headline
    assert made.reached is not headline.startswith("No ")
    not_read = [NOBODY_READ] if "material" in fields else []
    assert list(made.rest) == not_read


def test_seats_that_failed_still_count_and_are_named() -> None:
    made = decision(voted("go go - -", quorum=2).debate)
    assert made.headline == "No decision: 2 of 4 for go, 3 needed."
    assert made.rest == ("Not heard: c and d.",)


@pytest.mark.parametrize(
    ("options", "headline"),
    [
        ("- -", "No verdict: the budget is used up, and no seat has answered."),
        ("go - -", "No verdict: only 1 of 3 seats answered, 2 are needed."),
    ],
)
def test_a_budget_that_ended_before_any_answer_is_named(options: str, headline: str) -> None:
    t = voted(options, quorum=2).stops(EndReason.BUDGET, "the budget is used up")
    assert decision(t.debate).headline == headline


def test_people_who_break_a_tie_are_named() -> None:
    t = voted("go no").votes("x", "go").votes("y", "go")
    assert decision(t.debate).headline == (
        "No decision: the seats tie, 1 of 2 for go, and people's votes prefer it."
    )


Seat = tuple[str, Sequence[Finding], Sequence[Answer]]
HIGH, OTHER = finding(), finding("Rows are held", line=40)
THIRD, LOW = finding("Keys leak", line=200), finding("Names", severity="low", line=70)
LOOSE = finding("Nowhere", anchored=False, line=90)


def holds(option: str, *raised: Finding) -> Seat:
    return option, raised, ()


def disputes(*ids: str, option: str = "approve") -> Seat:
    return option, (), [dispute(id) for id in ids]


def reviewed(*seats: Seat, **fields: Any) -> Table:
    t = seated(len(seats), **fields)
    for n, (option, raised, given) in enumerate(seats, 1):
        t.says(f"t{n}", stance(option), findings=raised, answers=given)
    return t.says("end")


BOTH = holds(CHANGES, HIGH, OTHER)
APPROVES, COMMENTS, BLOCKS = holds("approve"), holds("comment"), holds(CHANGES)


@pytest.mark.parametrize(
    ("seats", "headline", "rest"),
    [
        ([APPROVES, APPROVES], "Approved: no finding is open.", []),
        (
            [APPROVES, COMMENTS],
            "Comments only: nothing must be fixed, but only 1 of 2 seats approve.",
            [],
        ),
        (
            [COMMENTS, COMMENTS, APPROVES],
            "Comments only: nothing must be fixed, but only 1 of 3 seats approve.",
            [],
        ),
        (
            [BLOCKS, BLOCKS, APPROVES],
            "Changes requested: 2 of 3 seats ask for changes and name no place.",
            [CLOSE],
        ),
        (
            [BLOCKS, BLOCKS, BLOCKS],
            "Changes requested: 3 of 3 seats ask for changes and name no place.",
            [],
        ),
        (
            [BLOCKS, APPROVES, APPROVES, APPROVES],
            "Comments only: only 1 of 4 seats asks for changes and names no place.",
            [],
        ),
        (
            [BLOCKS, BLOCKS, APPROVES, APPROVES],
            "Comments only: only 2 of 4 seats ask for changes and name no place.",
            [CLOSE],
        ),
        (
            [holds("approve", HIGH), holds("approve", OTHER), APPROVES],
            "Comments only: 2 of 3 seats want 2 findings fixed, but none is held by most.",
            [],
        ),
        (
            [holds("approve", LOW), APPROVES],
            "Approved: 1 finding to think about, none that must be fixed.",
            [],
        ),
        (
            [holds("approve", LOOSE), APPROVES],
            "Comments only: 1 claim that could not be placed in the change.",
            [],
        ),
        (
            [holds("approve", LOOSE, LOW), APPROVES],
            "Comments only: 1 claim that could not be placed in the change.",
            ["Besides: 1 that could not be placed."],
        ),
        (
            [holds(CHANGES, HIGH), BLOCKS, APPROVES],
            f"Changes requested: 1 finding {MERGING}.",
            [CLOSE],
        ),
        ([holds(CHANGES, HIGH), BLOCKS, BLOCKS], f"Changes requested: 1 finding {MERGING}.", []),
        (
            [holds(CHANGES, HIGH, OTHER, LOW), BLOCKS],
            f"Changes requested: 2 findings {MERGING}.",
            [CLOSE, "Besides: 1 to think about."],
        ),
        (
            [holds("approve", HIGH), APPROVES],
            "Comments only: only 1 of 2 seats wants 1 finding fixed.",
            [],
        ),
        (
            [holds("approve", HIGH, OTHER), COMMENTS],
            "Comments only: only 1 of 2 seats wants 2 findings fixed.",
            [],
        ),
        (
            [holds(CHANGES, HIGH), disputes("t1.f1"), disputes("t1.f1"), APPROVES],
            (
                "Comments only: 1 finding argued, but no majority of the seats that looked wants "
                "it fixed."
            ),
            [CLOSE, "1 finding is contested."],
        ),
        (
            [
                holds(CHANGES, HIGH, OTHER), disputes("t1.f1"), disputes("t1.f1"), APPROVES,
                APPROVES,
            ],
            (
                "Comments only: 2 findings argued, but no majority of the seats that looked wants "
                "them fixed."
            ),
            [CLOSE, "1 finding is contested."],
        ),
    ],
)  # fmt: skip
def test_a_review_says_what_must_be_fixed_and_what_qualifies_it(
    seats: list[Seat], headline: str, rest: list[str]
) -> None:
    made = decision(reviewed(*seats).debate)
    assert (made.headline, [*made.rest]) == (headline, rest)


KEPT = "kept from seats that changed their mind and showed no line"
LATE = Material(MaterialKind.PULL_REQUEST, "Retry", "…", facts={"run": "4"}, fresh=())


def turning(before: tuple[str, Position], after: tuple[str, Position], own: str) -> Table:
    """A review of three seats. The first finds something to fix; the others answer it, and turn
    from that without a line that shows why.
    """
    turns = ["t1 a independent", "t2 b independent reads=t1", "t3 c independent reads=t1"]
    turns += ["u2 b round=1 reads=t1", "u3 c round=1 reads=t1", "end chair round=2 closing"]
    t = table(("a", "b", "c", "chair:chair"), turns)
    t.says("t1", own, findings=[HIGH])
    for turn, (option, position) in zip(
        ("t2", "t3", "u2", "u3"), (before, before, after, after), strict=True
    ):
        t.says(turn, option, answers=[Answer("t1.f1", position, "so it is")])
    return t.says("end")


@pytest.mark.parametrize(
    ("t", "headline"),
    [
        (
            turning(("approve", Position.NOT_REAL), (CHANGES, Position.MUST_FIX), CHANGES),
            "Comments only: 2 of 3 votes for changes do not count: they show no line for it.",
        ),
        (
            turning((CHANGES, Position.NEED_NOT), ("approve", Position.MUST_FIX), "approve"),
            f"Changes requested: 2 of 3 votes are for changes, 2 {KEPT}.",
        ),
        (
            turning((CHANGES, Position.NEED_NOT), ("approve", Position.MUST_FIX), CHANGES),
            f"Changes requested: 3 of 3 votes are for changes, 2 {KEPT}.",
        ),
    ],
)
def test_a_vote_of_a_seat_that_shows_no_line_says_so(t: Table, headline: str) -> None:
    assert decision(t.debate).headline == headline


@pytest.mark.parametrize(
    ("people", "fields", "why"),
    [
        (3, {}, "people call not real what they want fixed"),
        (0, {"material": LATE}, "what they want fixed cannot block"),
    ],
)
def test_votes_for_what_cannot_block_do_not_count(
    people: int, fields: dict[str, Any], why: str
) -> None:
    blocking = holds(CHANGES, HIGH, LOW)
    t = reviewed(blocking, blocking, APPROVES, **fields)
    for n in range(people):
        t.votes(f"p{n}", "not_real", "t1.f1")
    line = f"Comments only: 2 of 2 votes for changes do not count: {why}."
    assert decision(t.debate).headline == line


def test_findings_that_cannot_block_are_counted() -> None:
    made = decision(reviewed(holds("approve", HIGH), APPROVES, material=LATE).debate)
    assert made.headline == "Approved: 1 finding, none of which can block."


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        ([BOTH, BOTH, disputes("t1.f1")], "; the c disputes one"),
        ([BOTH, BOTH, disputes("t1.f1", "t1.f2")], "; the c disputes both"),
        ([*[holds(CHANGES, HIGH)] * 2, disputes("t1.f1")], "; the c disputes it"),
        (
            [*[holds(CHANGES, HIGH, OTHER, THIRD)] * 2, disputes("t1.f1", "t1.f2")],
            "; the c disputes 2 of them",
        ),
        (
            [*[holds(CHANGES, HIGH, OTHER, THIRD)] * 2, disputes("t1.f1", "t1.f2", "t1.f3")],
            "; the c disputes all",
        ),
        ([BOTH, BOTH, disputes("t1.f1"), disputes("t1.f2", option=CHANGES)], "; both are disputed"),
        (
            [*[holds(CHANGES, HIGH)] * 3, disputes("t1.f1"), disputes("t1.f1")],
            "; 2 seats dispute it",
        ),
    ],
)
def test_who_disputes_what_must_be_fixed_is_named(seats: list[Seat], words: str) -> None:
    assert decision(reviewed(*seats).debate).headline.endswith(f"{MERGING}{words}.")


def test_a_text_is_not_merged_and_unread_code_is_not_approved() -> None:
    text = Material(MaterialKind.DOCUMENT, "Retry", "…")
    made = decision(reviewed(holds(CHANGES, HIGH), BLOCKS, material=text).debate)
    assert made.headline == "Changes requested: 1 finding must be fixed."
    made = decision(reviewed(APPROVES, APPROVES, material=UNREAD).debate)
    assert made.headline == (
        "Comments only: no finding is open, but nobody read all of the changed code."
    )
    assert made.rest == (NOBODY_READ,)


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        (
            [holds("approve", HIGH), APPROVES, APPROVES],
            "seats want 1 finding fixed, and no seat asks",
        ),
        (
            [holds(CHANGES, HIGH), APPROVES, APPROVES],
            "seats want 1 finding fixed, and only 1 of 3 seats asks",
        ),
        (
            [holds(CHANGES, HIGH), holds(CHANGES, OTHER), APPROVES, APPROVES, APPROVES],
            "seats want 2 findings fixed, and only 2 of 5 seats ask",
        ),
        (
            [holds("approve", HIGH), BLOCKS],
            "seats want 1 finding fixed, and nobody who holds it asks",
        ),
        (
            [holds("approve", HIGH), holds(CHANGES, OTHER)],
            "seats want 2 findings fixed, and nobody who holds 1 of them asks",
        ),
        (
            [holds("approve", HIGH, OTHER), BLOCKS],
            "seats want 2 findings fixed, and nobody who holds 2 of them asks",
        ),
    ],
)
def test_a_demonstration_that_contradicts_itself_claims_no_judgement(
    seats: list[Seat], words: str
) -> None:
    made = decision(reviewed(*seats, terms={"demo": True}).debate)
    assert made.headline == f"No clear verdict: {words} for changes. This model cannot judge."
    assert (made.label, made.reached, made.clear) == ("No clear verdict", False, False)
    assert decision(reviewed(*seats).debate).clear, "other models may stand apart from their vote"


def test_a_finding_that_people_confirm_is_clear_in_a_demonstration() -> None:
    t = reviewed(holds("approve", HIGH, OTHER), APPROVES, APPROVES, terms={"demo": True})
    assert not decision(t.debate).clear
    for n in range(3):
        t.votes(f"p{n}", "real", "t1.f1")
    assert decision(t.debate).clear


@pytest.mark.parametrize(
    "seats",
    [
        [holds(CHANGES, HIGH), APPROVES],
        [holds(CHANGES, HIGH), BLOCKS, APPROVES],
        [APPROVES, APPROVES],
        [BLOCKS, APPROVES, COMMENTS],
    ],
)
def test_a_demonstration_whose_seats_and_findings_agree_is_clear(seats: list[Seat]) -> None:
    assert decision(reviewed(*seats, terms={"demo": True}).debate).clear
