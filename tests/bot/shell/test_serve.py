"""The link into the room, as the bot shows it at its start."""

from __future__ import annotations

import io
import logging
import sys
from pathlib import Path

import pytest

from bot.settings import read
from bot.shell.serve import tell_link
from storage.schema import open_database

ADDRESS = "http://127.0.0.1:8765"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "prints", "printed", "message"),
    [
        (True, "", True, ""),
        (True, "1", True, ""),
        (False, "", False, "to get in, type `debate open` here"),
        (False, "1", False, "open this link to get in"),
    ],
)
async def test_a_link_is_printed_to_a_terminal_and_logged_only_where_that_is_set(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    terminal: bool,
    prints: str,
    printed: bool,
    message: str,
) -> None:
    out = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    file = str(tmp_path / "debate.db")
    database = await open_database(file)
    environ = {"DEBATE_DATABASE_URL": file, "DEBATE_PRINT_LINK": prints}
    settings = read({name: value for name, value in environ.items() if value}, tmp_path)
    with caplog.at_level(logging.INFO, tell_link.__module__):
        await tell_link(settings, database, ADDRESS)
    await database.close()
    assert (f"Open this link to get in:\n\n    {ADDRESS}/" in out.getvalue()) is printed
    assert caplog.messages == [message] * bool(message)
    links = [getattr(record, "link", "") for record in caplog.records]
    assert [link.startswith(ADDRESS) for link in links] == [prints == "1"] * bool(message)
