"""Messages to one person, and the places where they arrive."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.posting.private import tell
from core.application.presence import DeliveryError
from tests.bot.crashing import ASKER, PLACE
from tests.standins.chat import RecordingChat


@pytest.mark.parametrize(
    ("place", "direct", "closed", "told_in"),
    [
        (PLACE, False, False, PLACE),
        (PLACE, True, False, ""),
        (PLACE, True, True, PLACE),
        ("discord:G/1", False, False, ""),
    ],
    ids=["where they asked", "direct", "they take no direct messages", "known elsewhere"],
)
async def test_a_person_is_told_where_they_are(
    tmp_path: Path, place: str, direct: bool, closed: bool, told_in: str
) -> None:
    chat = RecordingChat(tmp_path / "chat.jsonl", closed={ASKER} if closed else set())
    await tell({"slack": chat, "discord": chat}, place, ASKER, "It failed.", direct=direct)
    assert chat.private == [(told_in, ASKER, "It failed.")]


@pytest.mark.parametrize("person", ["forge:", "discord:G/7"])
async def test_whom_no_chat_reaches_is_said(tmp_path: Path, person: str) -> None:
    chat = RecordingChat(tmp_path / "chat.jsonl")
    with pytest.raises(DeliveryError, match="no chat reaches"):
        await tell({"slack": chat}, PLACE, person, "It failed.")
