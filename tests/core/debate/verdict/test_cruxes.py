"""Without a crux the verdict is another one, and nothing else is called a crux."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.debate.verdict import verdict
from core.debate.verdict.cruxes import CruxKind, cruxes
from core.words.views.verdict.cruxes import MOST, crux_lines, crux_views
from core.words.views.verdict.decision import decision
from core.words.views.verdict.labels import was_decided
from tests.core.memory import Voice, Voices, opening, played
from tests.core.table import agree, finding, stance, table
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
        if decision(debate).reached or was_decided(c.without, "", reached=True)
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
