"""Without a crux the verdict is another one, and nothing else is called a crux."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.material import Material, MaterialKind
from core.debate.script import SeatId
from core.debate.template import Mode, Option
from core.debate.verdict import verdict
from core.debate.verdict.cruxes import CruxKind, cruxes
from core.words.views.verdict.cruxes import MOST, crux_lines, crux_views
from core.words.views.verdict.decision import decision
from core.words.views.verdict.labels import was_decided
from tests.core.demands import demand
from tests.core.memory import Voice, Voices, opening, played
from tests.core.table import REVIEW, Table, agree, dispute, finding, stance, table
from tests.core.test_engine import DEBATES
from tests.drawn import drawn


def test_the_one_finding_that_blocks_is_what_it_turns_on() -> None:
    t = table().says("t1", "approve", findings=(finding(severity="critical"),))
    t.says("t2", "approve").says("t3", "approve").says("u3", "approve")
    (crux,) = cruxes(t.debate)
    assert (crux.kind, crux.without) == (CruxKind.FINDING, "approve")
    assert crux.by == (t.debate.turns[0].seat,)
    (line,) = crux_lines(t.debate)
    assert "The query is built from user input (app/db.py:12)" in line
    assert "the verdict would be approve" in line


def test_where_two_findings_are_each_enough_it_turns_on_both() -> None:
    other = finding("The file stays open", severity="critical", path="app/files.py", line=90)
    t = table().says("t1", "approve", findings=(finding(severity="critical"),))
    t.says("t2", "approve", findings=(other,)).says("t3", "approve").says("u3", "approve")
    t.says("u1", answers=[agree("t2.f1")]).says("u2", answers=[agree("t1.f1")])
    (crux,) = cruxes(t.debate)
    assert (len(crux.ids), crux.without) == (2, "approve")
    assert crux_lines(t.debate)[0].startswith(
        "2 findings that must be fixed (“The query is built from user input” and "
        "“The file stays open”): held by "
    )


GO = (Option("go", "a", 0), Option("no", "b", 1))


def seated(*turns: str, **fields: Any) -> Table:
    """Returns a debate of two options, or of a review's, in which these turns are taken."""
    seats = tuple(dict.fromkeys(turn.split()[1] for turn in turns))
    given: dict[str, Any] = {"ballot": GO, "findings": False} | fields
    return table((*seats, "chair:chair"), [*turns, "end chair closing"], **given)


def moved(claims: int) -> Table:
    """Returns a debate in which each of so many claims moved one seat, and all of them decide."""
    seats = "abcdefg"[: 2 * claims + 1]
    first = [f"t{n} {seat}" for n, seat in enumerate(seats)]
    t = seated(*first, *(f"u{n} {seats[n]}" for n in range(claims)))
    for n in range(len(seats)):
        t.says(f"t{n}", "go" if n == claims else "no", claims=[f"Claim {n}"])
    for n in range(claims):
        t.says(f"u{n}", stance("go", moved_by=f"t{2 * claims - n}.c1"))
    return t.says("end")


FAULTS = [finding(f"Fault {n}", path=f"a{n}.py", severity="critical") for n in range(4)]


def faulty(faults: int) -> Table:
    """Returns a review in which two of three seats hold so many findings, each enough to block."""
    t = seated("t1 a", "t2 b", "t3 c", ballot=REVIEW, findings=True)
    t.says("t1", "approve", findings=FAULTS[:faults])
    t.says("t2", "approve", answers=[agree(f"t1.f{n}") for n in range(1, faults + 1)])
    return t.says("t3", "approve").says("end")


def against(trigger: str, **settles: Any) -> Table:
    """Returns a review with one finding, which a seat disputes that holds an option or none."""
    t = seated("t1 a", "t2 b", "t3 c", ballot=REVIEW, findings=True)
    t.says("t1", "approve", findings=[finding(trigger=trigger, severity="critical")])
    held = stance("approve", **settles) if settles else ""
    t.says("t2", "approve", answers=[agree("t1.f1")])
    return t.says("t3", held, answers=[dispute("t1.f1")]).says("end")


def chosen(*options: str) -> Table:
    t = seated(*(f"t{n} {seat}" for n, (seat, _) in enumerate(zip("abcd", options, strict=False))))
    for n, option in enumerate(options):
        t.says(f"t{n}", option)
    return t.says("end")


def moved_at_first() -> Table:
    """Returns a debate in which a seat names a claim in its first statement: it held nothing
    before.
    """
    t = seated("t1 a", "t2 b", "t3 c").says("t1", "go", claims=["It is slow"])
    return t.says("t2", stance("go", moved_by="t1.c1")).says("t3", "go").says("end")


def heavy() -> Table:
    """Returns a debate that one seat decides, whose vote weighs more than those of two others."""
    terms = {"weights": {SeatId("c"): 5.0}}
    t = seated("t1 a", "t2 b", "t3 c", mode=Mode.WEIGHTED, terms=terms)
    return t.says("t1", "go").says("t2", "go").says("t3", "no").says("end")


def wordy() -> Table:
    t = seated("t1 a", "t2 b", "t3 c", "u1 a").says("t1", "no").says("t2", "go")
    t.says("t3", "no", claims=["x" * 100])
    return t.says("u1", stance("go", moved_by="t3.c1")).says("end")


def demanded() -> Table:
    """Returns a review that only a demand of an earlier one keeps from an approval."""
    lock = demand("e1", "f00d", "high", 0.9, "Missing lock", "app/db.py", 12, "RIGHT", "n += 1")
    lock = replace(lock, finding=replace(lock.finding, must_fix=True, anchored=True))
    change = Material(MaterialKind.PULL_REQUEST, "Shop", "…", demands=(lock,), facts={"run": "2"})
    t = seated("t1 a", "t2 b", ballot=REVIEW, findings=True, material=change)
    return t.says("t1", "approve").says("t2", "approve").says("end")


NOTHING = "without it there would be no decision."
NO_DECISION = "without any one of them there would be no decision."
TWO_SEATS = f"The stance “go” of 2 seats: held by a and b, not by c; {NO_DECISION}"
THREE_SEATS = f"The stance “go” of 3 seats: held by a, b and c, not by d and e; {NO_DECISION}"
NO, YES = "without it the verdict would be no.", "without it the verdict would be approve."
ALL = "held by a and b; without any of them the verdict would be approve."
HELD = f"The query is built from user input (app/db.py:12): held by a and b, not by c; {YES}"
SETTLES = f"{HELD} What would settle it:"
HAPPENS = f"{SETTLES} whether this can happen, “name='x'”."
TITLES = "“Fault 0”, “Fault 1”"


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        (moved(1), [f"“Claim 2”: said by c, it moved a; {NO}", TWO_SEATS]),
        (
            moved(2),
            [
                f"“Claim 4”: said by e, it moved a; {NO}",
                f"“Claim 3”: said by d, it moved b; {NO}",
                THREE_SEATS,
            ],
        ),
        (
            moved(3),
            [
                f"“Claim 6”: said by g, it moved a; {NO}",
                f"“Claim 5”: said by f, it moved b; {NO}",
                f"“Claim 4”: said by e, it moved c; {NO} And 1 more.",
            ],
        ),
        (moved_at_first(), []),
        (faulty(1), [f"Fault 0 (a0.py:12): held by a and b; {YES}"]),
        (faulty(3), [f"3 findings that must be fixed ({TITLES} and “Fault 2”): {ALL}"]),
        (faulty(4), [f"4 findings that must be fixed ({TITLES}, “Fault 2” and 1 more): {ALL}"]),
        (against("name='x'."), [HAPPENS]),
        (against("name='x'.", because="no"), [HAPPENS]),
        (against("name='x'.", would_resolve_if="a call."), [f"{SETTLES} a call."]),
        (against(""), [HELD]),
        (chosen("go", "go", "no"), [TWO_SEATS]),
        (heavy(), [f"The stance “no”: held by c, not by a and b; {NOTHING}"]),
        (wordy(), [f"“{'x' * 87}…”: said by c, it moved a; {NO}", TWO_SEATS]),
        (demanded(), [f"Missing lock (app/db.py:12): held by an earlier run; {YES}"]),
        # what would not be decided either is no crux of a debate that decided nothing
        (chosen("go", "no"), []),
        (chosen("go", "go", "no", "no"), []),
        (table().fails("t1").fails("t2").fails("t3"), []),
    ],
)
def test_what_a_verdict_turns_on_in_words(made: Table, lines: list[str]) -> None:
    assert list(crux_lines(made.debate)) == lines


def test_the_claim_that_keeps_a_decision_from_being_reached_is_a_crux() -> None:
    t = seated("t1 a", "t2 b", "t3 c", "u3 c", ballot=(*GO, Option("wait", "c", 2)))
    t.says("t1", "go").says("t2", "no", claims=["It costs too much"]).says("t3", "go")
    t.says("u3", stance("wait", moved_by="t2.c1")).says("end")
    assert not decision(t.debate).reached
    assert crux_lines(t.debate) == (
        "“It costs too much”: said by b, it moved c; without it the verdict would be go.",
    )


@given(st.sampled_from(DEBATES), st.integers(0, 10**6))
@drawn(10)
def test_a_stance_is_a_crux_where_and_only_where_its_silence_changes_the_verdict(
    name: tuple[str, str], seed: int
) -> None:
    voices = Voices((Voice(seed=seed), Voice("voice-b", "b", seed + 1)))
    debate, _ = asyncio.run(
        played(opening(name[0], voices=voices, seed=seed, format=name[1]), voices)
    )
    turns = {crux.ids[0] for crux in cruxes(debate) if crux.kind is CruxKind.STANCE}
    for seat, (turn, _held) in debate.stances().items():
        silent = {t.id: replace(s, stance=None) for t, s in debate.statements((seat,))}
        then = replace(debate, finished={**debate.finished, **silent})
        other = verdict(then).decision != verdict(debate).decision
        assert (turn.id in turns) is other
    assert len(crux_lines(debate)) <= MOST
    views = crux_views(debate)
    assert len(views) <= len(cruxes(debate))
    named = [
        c
        for c in cruxes(debate)
        if decision(debate).reached or was_decided(c.without, c.mechanism, reached=c.reached)
    ]
    assert {seat for view in views for seat in view.seats} == {s for c in named for s in c.by}


def test_seats_whose_same_stance_is_as_decisive_are_one_point() -> None:
    seats = (*(f"critic_{n}" for n in "abcdefg"), "chair:chair")
    t = table(seats)
    for n in range(1, 8):
        t.says(f"t{n}", "request_changes" if n < 5 else "approve")
    (line,) = crux_lines(t.debate)
    assert len(cruxes(t.debate)) == 4
    assert line == (
        "The stance “request changes” of 4 seats: held by critic a, critic b, critic c and "
        "critic d, not by critic e, critic f and critic g; without any one of them the verdict "
        "would be comment."
    )


def test_two_seats_with_the_same_decisive_stance_are_counted() -> None:
    t = table().says("t1", "request_changes").says("t2", "request_changes").says("t3", "approve")
    (line,) = crux_lines(t.debate)
    assert line.startswith("The stance “request changes” of 2 seats: held by security critic and ")


def test_a_stance_names_what_would_settle_it() -> None:
    t = table()
    for n, turn in enumerate(t.debate.turns):
        if not turn.closing:
            held = "approve" if n else "request_changes"
            t.says(turn.id, stance(held, would_resolve_if="a test of the retry"))
    for view in crux_views(t.debate):
        assert view.line.endswith(" What would settle it: a test of the retry.")
