"""How a command shows what happens: as the terminal can, unless something else is asked for."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from adapters.terminal.terminal import Style, Terminal
from bot.__main__ import main
from bot.shell import cli
from bot.shell.playing.run import Shell
from bot.wire.parts import Parts


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "style"),
    [
        ("resume d1", Style.LIVE),
        ("vote d1 approve", Style.LIVE),  # which has no such option
        ("fork d1 --plain", Style.PLAIN),
        ("fork d1 --json", Style.QUIET),
    ],
)
def test_a_command_is_live_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, style: Style
) -> None:
    styles: list[Style] = []
    opened = cli.shell_on

    def shell_on(parts: Parts, terminal: Terminal, person: str, *, json: bool) -> Shell:
        styles.append(terminal.style)
        return opened(parts, terminal, person, json=json)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "shell_on", shell_on)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.setattr("sys.stderr", Screen())
    assert main(typed.split()) == 2, "there is no such debate"
    assert styles == [style]
