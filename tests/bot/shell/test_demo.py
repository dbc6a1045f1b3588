"""``debate demo``, and the words of a demonstration whose model has no judgement."""

from __future__ import annotations

import secrets
from pathlib import Path
from random import Random

import pytest

from bot.shell.playing.demo import CHANGE, RECORDED
from tests.end_to_end.recorded_page import page
from tests.end_to_end.shell import EXAMPLE, environment, process


async def test_the_recording_is_what_the_program_makes_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To write it anew: python -m tests.end_to_end.recorded_page"""
    drawn = Random(7)
    monkeypatch.setattr(secrets, "randbits", drawn.getrandbits)
    monkeypatch.setattr(secrets, "choice", drawn.choice)
    monkeypatch.setattr(secrets, "randbelow", drawn.randrange)
    assert await page(tmp_path) == RECORDED.read_text("utf-8")


def test_who_can_speak_here_debates_the_change_that_ships(tmp_path: Path) -> None:
    ran = process(tmp_path, "demo", env=environment())
    assert ran.code == 0, ran.err
    assert "■ " in ran.out
    assert "RECORDED" not in ran.out
    assert CHANGE.is_file()
    wrong = process(tmp_path, "demo", "please", env=environment())
    assert (wrong.code, "demo takes no words" in wrong.err) == (2, True)


def test_a_demonstration_is_not_clear_where_most_seats_say_otherwise(tmp_path: Path) -> None:
    """One of four asks for changes; what code proved comes first, though it does not block."""
    cast = "scripted:stance=approve,scripted:stance=comment,scripted:stance=request_changes"
    typed = ("code_review", str(CHANGE), "--models", cast, "--plain", "--check")
    ran = process(tmp_path, *typed, env=environment())
    headline = (
        "No clear verdict: seats want 1 finding fixed, and only 2 of 5 seats ask for changes. This "
        "model cannot judge."
    )
    lines = ran.out.partition("■ ")[2].splitlines()
    assert lines[0] == headline
    (first,) = [line for line in lines if line.startswith("• ")][:1]
    assert first == "• Medium: The test test_no_name_leads_out_of_the_folder is removed"
    assert "Who disagrees" not in "\n".join(lines), "with a verdict that is none"
    next_step = "A provider's key brings one that can: debate doctor"
    assert (ran.code, ran.err) == (1, f"debate: {headline} {next_step}\n")
    listed = process(tmp_path, "list", env=environment()).out
    assert "\tno clear verdict\t" in listed


def test_a_demonstration_never_asks_for_what_no_seat_asks(tmp_path: Path) -> None:
    """The findings would block; every seat approves."""
    typed = ("code_review", str(EXAMPLE), "--models", "scripted:stance=approve", "--quiet")
    ran = process(tmp_path, *typed, "--only-blocking", env=environment())
    assert ran.code == 1, "a model that cannot judge turns no pipeline green"
    (headline,) = [line for line in ran.out.splitlines() if line.startswith("■")]
    assert headline == (
        "■ No clear verdict: seats want 2 findings fixed, and no seat asks for changes. This model "
        "cannot judge."
    )
    second = process(tmp_path, *typed[:-2], "scripted:stance=request_changes", env=environment())
    assert "■ Changes requested" in second.out
