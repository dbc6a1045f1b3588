"""Who reaches the room, as the doctor tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.doctor.configured import room
from bot.doctor.finding import State
from bot.settings import read

PUBLIC = {"DEBATE_PUBLIC_URL": "https://debates.example/"}
SLACK = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s" * 32}
DISCORD = {"DISCORD_CLIENT_SECRET": "d" * 32}


@pytest.mark.parametrize(
    ("env", "state", "said"),
    [
        ({}, State.OK, "open on this machine at http://127.0.0.1:8765, to nobody else"),
        ({"DEBATE_HOST": "0.0.0.0"}, State.CARE, "0.0.0.0 lets nobody sign in"),  # noqa: S104
        (PUBLIC, State.CARE, "nobody can sign in at https://debates.example"),
        (PUBLIC | SLACK, State.OK, "https://debates.example/sign-in/slack/done"),
        (PUBLIC | SLACK | DISCORD, State.OK, "https://debates.example/sign-in/discord/done"),
    ],
)
def test_who_reaches_the_room(tmp_path: Path, env: dict[str, str], state: State, said: str) -> None:
    found = room(read(env, tmp_path))
    assert found.state is state
    assert said in found.what
    assert bool(found.next) is (state is State.CARE)
