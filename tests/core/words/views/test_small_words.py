"""Short words and counts, each at its edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from core.debate.earned import Standing, Threshold
from core.debate.events import (
    ChallengeRaised,
    DebatePaused,
    DebateResumed,
    ForgeNoted,
    Sizing,
    TurnsAdded,
    TurnStarted,
    WholeShown,
)
from core.debate.material import Coverage, Hunk, Line, Read
from core.debate.material.diffs import FileDiff, FileStatus, heading
from core.debate.script import AFTER_VERDICT, SeatId, TurnId
from core.debate.state import evolve
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.learned.forecasts import FindingRatings
from core.debate.verdict.learned.ratings import CurvePoint
from core.debate.verdict.votes import Interval
from core.languages import LANGUAGES, speaking
from core.words.views.course.following import saying
from core.words.views.course.happenings import challenge_taken
from core.words.views.course.progress import current_round, votes_count
from core.words.views.course.replayed import Replayed
from core.words.views.documents.forge import noted_title
from core.words.views.documents.headings import size_sentence
from core.words.views.history import forecast_lines, meter
from core.words.views.language.grammar import quoted
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import initials, models_line
from core.words.views.verdict.coverage import STATES, file_line
from core.words.views.verdict.scores import risk
from tests.core.table import CRITICS, finding, table, withdraw

SAME, NO_MODEL = "The same: 12 events of debate d1 came out again", "No model was called."
NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "taken", "letters"),
    [
        ("security critic", (), "SC"),
        ("security critic of money", (), "SC"),
        ("security critic", ("SC",), "SE"),
        ("judge", (), "J"),
        ("Al", ("A", "AL"), "A"),
        ("P2", (), "P2"),
        ("P12", (), "P1"),
        ("participant 2", (), "P2"),
        ("(…)", (), "?"),
        ("– critic", (), "C"),
    ],
)
def test_initials(name: str, taken: tuple[str, ...], letters: str) -> None:
    assert initials(name, taken) == letters


def test_a_seat_s_words_are_literal_in_every_language() -> None:
    t = table().says("t1", "request_changes", findings=[finding()])
    for language in LANGUAGES:
        with speaking(language):
            text = spelled_out(t.debate, "I hold request_changes for t1.f1, not approve.")
            named = quoted(finding().title)
        assert text == f"I hold request_changes for {named}, not approve."


def test_a_file_s_line_says_why_it_was_not_read() -> None:
    full = Coverage("a.py", Read.FULL)
    assert file_line(full) == "a.py"
    partly = Coverage("a.py", Read.PARTIAL, "too long")
    assert file_line(partly) == f"a.py ({STATES[Read.PARTIAL]}, too long)"
    left = Coverage("uv.lock", Read.LEFT_OUT, "lock file")
    assert file_line(left) == "uv.lock (lock file)"


def test_what_a_file_s_heading_says_of_its_name() -> None:
    moved = FileDiff("b.py", "a.py", FileStatus.RENAMED)
    assert heading(moved) == f"=== b.py ({FileStatus.RENAMED} from a.py)"
    same = FileDiff("a.py", "a.py")
    assert "from" not in heading(same)
    assert f"({FileStatus.ADDED}" in heading(FileDiff("a.py", "", FileStatus.ADDED))


def test_lines_are_counted_by_their_mark() -> None:
    lines = tuple(Line(mark, "x") for mark in "++- ")
    file = FileDiff("a.py", hunks=(Hunk("a.py", "@@", lines),))
    assert (file.added, file.removed) == (2, 1)


def test_who_did_something_on_the_forge_is_named_where_that_is_known() -> None:
    assert noted_title(ForgeNoted("merged", "", NOW, by="github:ann")).endswith(", by ann")
    assert ", by" not in noted_title(ForgeNoted("merged", "", NOW))


def test_a_panel_says_who_estimated_its_size_and_what_it_costs() -> None:
    sizing = Sizing("panel", 0.4, (), "two files", 0.01, None, estimate=0.4, estimated_by="gpt-5")
    assert size_sentence(table(terms={"sizing": sizing}).debate) == (
        "Panel: two files (gpt-5 estimated 0.40; standard at most $0.01, extended unknown)."
    )
    free = Sizing("panel", 0.4, (), "two files", 0, 0, why_not="no model answers")
    assert size_sentence(table(terms={"sizing": free}).debate) == (
        "Panel: two files (no estimate: no model answers)."
    )
    assert size_sentence(table().debate) == ""


def test_forecasts_are_compared_with_the_seats_own_confidence_if_there_are_enough() -> None:
    few = FindingRatings(3, None, None, (), (), Threshold())
    assert "too few to tell" in " ".join(forecast_lines(few))
    enough = " ".join(forecast_lines(replace(few, n=60, brier=0.125, stated=0.25)))
    assert "Brier 0.125 (the seats' own confidence: 0.25)" in enough.replace("0.250", "0.25")
    assert forecast_lines(replace(few, n=0)) == ()
    step = CurvePoint(5, 0.8, 0.6, Interval(0.2, 0.9))
    assert forecast_lines(replace(few, curve=(step,)))[1:] == (
        "forecast 80%: right in 60% of 5 (20% to 90%)",
    )


@pytest.mark.parametrize(
    ("judged", "earned", "words"),
    [
        (29, False, "advice: 29 of 30 judged findings so far, 20 right"),
        (30, False, "advice: 30 judged findings, 20 right (surely 60% at least, 70% are needed)"),
        (31, True, "blocks: 31 judged findings, 20 right (surely 60% at least, 70% are needed)"),
    ],
)
def test_how_far_a_category_is_from_blocking(judged: int, earned: bool, words: str) -> None:
    assert meter(Standing(judged, 20, 0.6, earned), Threshold()) == words


def test_the_round_is_the_latest_that_has_begun() -> None:
    t = table()
    assert current_round(t.debate) == 0
    for turn, number in (("t2", 1), ("u1", 2), ("t1", 2)):
        assert current_round(t.add(TurnStarted(TurnId(turn))).debate) == number


@pytest.mark.parametrize(("window", "count"), [(0.0, False), (0.5, True)])
def test_votes_count_after_a_verdict_while_they_have_time(window: float, count: bool) -> None:
    t = table(terms={"vote_window": window}).says("t1", "approve").says("end")
    assert votes_count(t.concluded(closed=False).debate) is count
    assert not votes_count(t.concluded().debate)
    lost = table(terms={"vote_window": window}).fails("t1").concluded(closed=False)
    assert not votes_count(lost.debate), "there is no verdict"


def test_a_challenger_hears_at_once_who_answers_and_when() -> None:
    debate = table().debate
    one, two = (SeatId(name) for name in CRITICS[:2])
    to_one, to_both = (ChallengeRaised("ch1", "ann", "Why?", to) for to in ((one,), (one, two)))
    reply = replace(debate.turns[0], id=TurnId("ch1.1"), round=1)
    again = replace(reply, task=min(AFTER_VERDICT))
    both = "Taken. The security critic and performance critic"
    for events, words in (
        ((to_one,), "Taken. The security critic will answer."),
        ((to_one, TurnsAdded((reply,), (), "")),
         "Taken. The security critic will answer in round 2 of 3."),
        ((to_one, TurnsAdded((again,), (), "")),
         "Taken. The security critic answers, and decides again."),
        ((to_both, TurnsAdded((reply, again), (), "")), f"{both} answer, and decide again."),
    ):  # fmt: skip
        assert challenge_taken(debate, events).replace("and the", "and") == words


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ({}, [f"{SAME}. {NO_MODEL}"]),
        ({"compared": True}, [f"{SAME}, and the verdict and the report. {NO_MODEL}"]),
        ({"hashed": True}, [f"{SAME}, byte for byte. {NO_MODEL}"]),
        (
            {"hashed": True, "compared": True},
            [f"{SAME}, byte for byte, and verdict, report and receipt with them. {NO_MODEL}"],
        ),
        (
            {"hashed": True, "older": 2},
            [f"{SAME}. {NO_MODEL}", "2 events are stored in the form of an earlier release."],
        ),
    ],
)
def test_a_replay_says_how_exactly_it_came_out_again(
    fields: dict[str, Any], lines: list[str]
) -> None:
    assert Replayed("d1", 12, **fields).lines == lines


def test_the_risk_is_that_of_the_open_findings_that_a_line_shows() -> None:
    t = table().says("t1", "comment", findings=[finding(), finding("F2", anchored=False)])
    assert risk(merge_findings(t.debate)) == pytest.approx(4.8)
    t.says("u1", "comment", answers=[withdraw("t1.f1")])
    assert risk(merge_findings(t.debate)) == 0.0


def test_one_model_for_all_seats_is_named_once() -> None:
    seats = (*CRITICS, "chair")
    assert models_line(table(cast=dict.fromkeys(seats, "m/x")).debate) == "m/x"
    two = table(cast={**dict.fromkeys(seats, "m/x"), "chair": "m/y"})
    assert models_line(two.debate) == (
        "m/x (security critic, performance critic, maintainability critic), m/y (chair)"
    )


def test_a_thread_is_shown_whole_once_somebody_asked_for_it() -> None:
    assert not table().debate.whole
    assert table().add(WholeShown("ann")).debate.whole


def test_what_is_heard_ends_with_what_is_so_and_names_a_round_once() -> None:
    before = after = table().debate
    paused, resumed = DebatePaused("ann"), DebateResumed("ann")
    events = (TurnStarted(TurnId("t1")), TurnStarted(TurnId("t2")), paused, resumed, paused)
    for event in events:
        after = evolve(after, event)
    assert saying(before, events, after) == "Paused. It goes on. Paused."
    assert saying(before, events[:3], after) == "Round 1. Paused."
