"""A package that came along with another one, and has an entry point of ours: nothing of it runs
until the operator names it, and never where strangers' texts are read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.plugins import load_plugins
from tests.bot.plugins.packages import leave

CURIOUS = """
import os

with open(os.environ["CURIOUS_RAN"], "a") as file:
    file.write(f"{os.getpid()}\\n")
"""
CHANGE = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yields the file in which the package records each process that runs it."""
    site = tmp_path / "site"
    site.mkdir()
    leave(site, "curious", CURIOUS)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("CURIOUS_RAN", str(tmp_path / "ran"))
    monkeypatch.setenv("DEBATE_SCRIPTED", "1")
    monkeypatch.setenv("DEBATE_MODELS", "scripted")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "change.diff").write_text(CHANGE)
    load_plugins.cache_clear()
    yield tmp_path / "ran"
    load_plugins.cache_clear()
    sys.modules.pop("curious", None)


COMMANDS = (
    ["plugins"],
    ["templates"],
    ["doctor"],
    ["code_review", "change.diff", "--rounds", "1", "--yes", "--plain"],
)


def test_an_installed_package_runs_only_where_it_is_named(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ran.parent / ".env").write_text("DEBATE_PLUGINS=curious\n")
    for typed in COMMANDS:  # a folder's file names nothing that runs, for who looks around in it
        main(typed)
    assert not ran.exists()
    monkeypatch.setenv("DEBATE_PLUGINS", "another")
    for typed in COMMANDS[:2]:  # another package's name is not its own
        main(typed)
    assert not ran.exists()
    monkeypatch.setenv("DEBATE_PLUGINS", "curious")
    assert main(["plugins"]) == main(COMMANDS[-1]) == 0
    assert ran.read_text().split() == [str(os.getpid())], "no reader of strangers' texts loads it"
