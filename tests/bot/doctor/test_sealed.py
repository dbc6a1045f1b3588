"""The doctor names stored secrets that no key opens any more, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import settings
from bot.doctor.machine import database
from storage.places import Installations
from storage.schema import open_database
from storage.sealing import Seal

KEY = "a key of the operator"


@pytest.mark.parametrize(
    ("keys", "fault", "then"),
    [
        (f"{KEY}", "", ""),
        (f"another key of theirs,{KEY}", "", ""),
        ("another key of theirs", "sealed under another key", "Put that key behind the first"),
        ("", "no key is set to open", "Set DEBATE_SECRET_KEY to the key that it was sealed with"),
        ("short", "needs at least 16 characters", "debate db key"),
    ],
)
async def test_secrets_that_no_key_opens_are_named_with_what_to_do(
    tmp_path: Path, keys: str, fault: str, then: str
) -> None:
    url = f"sqlite:///{tmp_path}/debate.db"
    opened = await open_database(url)
    vault = Installations(opened, Seal([KEY]))
    await vault.keep("slack:T1", "xoxb-1")
    await vault.keep("github-app:github.com", "{}")
    await opened.close()
    given = {"DEBATE_DATABASE_URL": url, "DEBATE_SECRET_KEY": keys}
    checks = await database(settings.read(given, tmp_path))
    named = [one for one in checks if one.part == "stored secrets"]
    assert len(named) == bool(fault)
    for one in named:
        assert fault in one.what
        assert then in one.next
        assert "xoxb" not in one.what
        assert ("github-app:github.com, slack:T1" in one.what) is (keys != "short")
