"""The living status of a terminal, and what a person types below it."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import termios
from types import SimpleNamespace

import pytest

from adapters.terminal import typing as keyboard
from adapters.terminal.status import StatusLine
from adapters.terminal.terminal import Style, Terminal
from adapters.terminal.typing import Keys, can_type, typing
from core.debate import events as e
from core.debate.script import TurnId
from core.debate.state import evolve, replay
from core.words.views.course.invitations import PAUSES, TYPE_HERE
from tests.adapters.terminal.screen import STYLE, Screen
from tests.adapters.terminal.test_terminal import SEATS, TURNS, story
from tests.core.table import table
from tests.standins.discord_world import until

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _live(out: io.StringIO) -> Terminal:
    return Terminal(out, style=Style.LIVE, width=60, clock=lambda: 0.0)


async def test_the_status_lives_while_the_debate_runs_and_leaves_nothing() -> None:
    out = Screen()
    terminal = _live(out)
    started = table(seats=SEATS, turns=TURNS).add(e.TurnStarted(TurnId("t1"))).debate
    async with terminal.running():
        terminal.status.debate = started
        assert terminal.status.hint == PAUSES
        await until(lambda: "security critic is thinking" in STYLE.sub("", out.getvalue()))
        drawn = len(out.getvalue())
        await until(lambda: len(out.getvalue()) > drawn, what="the next frame")
        terminal.note("Fetching Tiny", 1, 2)
        assert terminal.status.note == "Fetching Tiny: 0 of 0 MB"
        await until(lambda: "security critic waits" in STYLE.sub("", out.getvalue()))
        terminal.note("Fetching Tiny", 2, 2)
        assert terminal.status.note == ""
    after = terminal.status
    assert (after.debate is None, after.hint) == (True, "")
    ended = len(out.getvalue())
    terminal._draw()
    assert len(out.getvalue()) == ended


def test_what_is_done_before_a_debate_is_shown_and_leaves_nothing() -> None:
    terminal = _live(out := Screen())
    terminal.wait("Reading x.diff")
    assert CONTROL.sub("", out.getvalue()).strip() == "Reading x.diff"
    terminal.wait("Checking that the models answer")
    assert "Checking that the models answer" in CONTROL.sub("", out.getvalue())
    terminal.ready()
    assert out.getvalue().endswith("\r\x1b[2K\x1b[?25h\r"), "the line is erased"
    plain = Terminal(quiet := io.StringIO(), style=Style.PLAIN)
    plain.wait("Reading x.diff")
    plain.ready()
    assert quiet.getvalue() == ""


async def test_where_nobody_watches_nothing_is_drawn() -> None:
    out = io.StringIO()
    terminal = Terminal(out, style=Style.PLAIN, width=60)
    async with terminal.running(lambda line: None, 0):
        assert terminal.status.hint == ""
    assert out.getvalue() == ""
    assert terminal.words("d1", table().debate.turns[0]) is None


def test_words_of_a_seat_go_into_the_status() -> None:
    terminal = _live(Screen())
    turn = table().debate.turns[0]
    words = terminal.words("d1", turn)
    assert words is not None
    words("It ")
    words("fails")
    assert terminal.status.tails == {turn.id: "It fails"}


@pytest.mark.parametrize("typed", [b"vote approve\rhalf", "Grüße\n".encode()])
async def test_a_person_types_below_the_status(
    typed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyboard, "can_type", lambda fd: True)
    monkeypatch.setattr("adapters.terminal.terminal.can_type", lambda fd: True)
    own, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    terminal, lines = _live(Screen()), list[str]()
    try:
        async with terminal.running(lines.append, theirs):
            assert terminal.status.hint == TYPE_HERE
            echo = termios.tcgetattr(theirs)[3] & termios.ECHO
            assert not echo
            os.write(own, typed)
            await until(lambda: lines, what="a line")
            if typed.endswith(b"half"):
                await until(lambda: terminal.status.typed == "half", what="the rest")
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(own)
        os.close(theirs)
    assert lines == [typed.partition(b"\r")[0].decode().strip()]


async def test_a_keyboard_that_ends_is_read_no_more() -> None:
    own, theirs = pty.openpty()
    changes: list[str] = []
    try:
        with typing(theirs, changes.append, changes.append):
            os.write(own, b"x")
            await until(lambda: changes == ["x"])
            os.close(own)
            await asyncio.sleep(0.02)
            assert changes == ["x"]
    finally:
        os.close(theirs)


def test_who_is_no_terminal_or_behind_another_process_does_not_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, other = os.pipe()
    try:
        assert not can_type(own)
    finally:
        os.close(own)
        os.close(other)
    for group, types in ((os.getpgrp(), True), (os.getpgrp() + 1, False)):
        fake = SimpleNamespace(
            isatty=lambda fd: True, tcgetpgrp=lambda fd, g=group: g, getpgrp=os.getpgrp
        )
        monkeypatch.setattr(keyboard, "os", fake)
        assert can_type(0) is types


def test_a_typed_line_has_four_thousand_characters_at_most() -> None:
    keys = Keys()
    assert keys.feed(b"x" * 3_999) == []
    assert len(keys.text) == 3_999
    keys.feed(b"yz")
    assert keys.text == "x" * 3_999 + "y"
    keys.feed(b"\x7f")
    assert keys.text == "x" * 3_999


def test_a_finding_is_known_by_the_number_that_it_was_shown_with() -> None:
    terminal = _live(Screen())
    events = story().events
    debate = replay(events[:1])
    for event in events[1:]:
        debate = evolve(debate, event)
        terminal.on_event(event, debate)
    assert terminal.finding(1) == "t1.f1"
    assert terminal.finding(2) == ""


def test_a_status_without_a_debate_shows_what_all_wait_for() -> None:
    from adapters.terminal.status import lines

    assert [line.plain for line in lines(StatusLine(note="Fetching"), 40, 4)] == ["Fetching"]
    assert lines(StatusLine(), 40, 4) == []
