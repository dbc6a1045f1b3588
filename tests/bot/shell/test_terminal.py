"""How a command shows what happens: as the terminal can, unless something else is asked for."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from adapters.terminal.terminal import Style, Terminal
from bot.__main__ import main
from bot.shell.playing import run
from bot.wire.parts import Parts
from tests.adapters.terminal.test_living import CONTROL
from tests.standins.openai import OpenAI


def test_a_demo_says_at_once_what_it_does_and_a_refused_key_is_all_that_stays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    provider: OpenAI,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    monkeypatch.setenv("DEBATE_MODELS", "openai/gpt-4.1")
    monkeypatch.setattr("sys.stdout", screen := Screen())
    monkeypatch.setattr(provider, "refuses", 401)
    assert main(["demo"]) == 3
    frames = [line.strip() for line in CONTROL.split(screen.getvalue()) if line.strip()]
    assert frames[0].startswith("Reading ")
    assert frames[-1] == "Checking that the models answer"
    assert screen.getvalue().endswith("\r\x1b[2K\x1b[?25h\r"), "it is erased before the error"
    refused = capsys.readouterr().err
    assert (refused.count("\n"), "OPENAI_API_KEY" in refused) == (1, True)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_command_is_live_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    styles: list[Style] = []
    opened = run.Shell

    def noted(parts: Parts, terminal: Terminal, person: str, json: bool) -> run.Shell:
        styles.append(terminal.style)
        return opened(parts, terminal, person, json)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "Shell", noted)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setattr("sys.stderr", Screen())
    for typed, style in (
        ("resume d1", Style.LIVE),
        ("vote d1 approve", Style.LIVE),  # which has no such option
        ("fork d1 --plain", Style.PLAIN),
        ("fork d1 --json", Style.QUIET),
    ):
        assert main(typed.split()) == 2, "there is no such debate"
        assert styles.pop() == style
