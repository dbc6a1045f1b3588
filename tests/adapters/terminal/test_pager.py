"""What a person asked for is shown, by their pager or without one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adapters.terminal.pager import PersonPager


@pytest.mark.parametrize(
    ("pager", "text"),
    [
        ("sed s/^/paged:/", "paged:the report\n"),
        ("no-such-pager -R", "the report\n"),
        ("/etc/passwd", "the report\n"),  # no program
        ('printf "%s " "$LESS"; cat', "FRX the report\n"),
        ("false", ""),  # left at once
    ],
)
def test_the_pager_shows_it_and_where_there_is_none_it_is_printed(
    pager: str, text: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGER", pager)
    monkeypatch.delenv("LESS", raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    PersonPager().show("the report\n")
    assert tuple(capfd.readouterr()) == (text, "")


def test_without_a_shell_or_a_usual_pager_it_is_printed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError("/bin/sh")

    monkeypatch.setattr(subprocess, "Popen", missing)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setenv("PAGER", "less")
    PersonPager().show("one\n")
    monkeypatch.delenv("PAGER")
    monkeypatch.setenv("PATH", "/nowhere")
    PersonPager().show("two\n")
    assert capfd.readouterr().out == "one\ntwo\n"
