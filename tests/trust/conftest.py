"""The same forge and log as in the end-to-end tests, and one shell command in a clean folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.__main__ import main
from tests.end_to_end.conftest import github, log, same_draw
from tests.end_to_end.readers import forked_readers
from tests.end_to_end.shell import Ran
from tests.pg import postgres_server, postgres_url

Command = Callable[..., Ran]

__all__ = [
    "Command", "debate", "forked_readers", "github", "log", "postgres_server", "postgres_url",
    "same_draw",
]  # fmt: skip


@pytest.fixture
def debate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs one command in a clean folder, with the scripted model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEBATE_SCRIPTED", "1")
    monkeypatch.setenv("DEBATE_MODELS", "scripted")

    def run(*typed: str) -> Ran:
        code = main(typed)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err)

    return run
