"""The doctor's lines about who reaches the room."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adapters.ports.check import State
from bot.doctor.configured import figures, room, tracing
from bot.doctor.machine import database
from bot.settings import read
from storage.schema import open_database

PUBLIC = {"DEBATE_PUBLIC_URL": "https://debates.example/"}
SLACK = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s" * 32}
DISCORD = {"DISCORD_CLIENT_SECRET": "d" * 32}


@pytest.mark.parametrize("installed", [True, False])
def test_a_collector_without_its_part_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, installed: bool
) -> None:
    assert [*tracing(read({}, tmp_path))] == []
    if not installed:
        monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    (found,) = tracing(read(env, tmp_path))
    assert found.state is (State.OK if installed else State.BROKEN)
    assert ("debatebot[otel]" in found.next) is not installed


@pytest.mark.parametrize(
    ("env", "state", "text"),
    [
        ({}, State.OK, "at http://127.0.0.1:8765, by the link that `debate open` prints"),
        ({"DEBATE_HOST": "0.0.0.0"}, State.CARE, "on 0.0.0.0, where nobody can sign in"),  # noqa: S104
        (PUBLIC, State.CARE, "nobody can sign in at https://debates.example"),
        (PUBLIC | SLACK, State.OK, "https://debates.example/sign-in/slack/done"),
        (PUBLIC | SLACK | DISCORD, State.OK, "https://debates.example/sign-in/discord/done"),
    ],
)
def test_who_reaches_the_room(tmp_path: Path, env: dict[str, str], state: State, text: str) -> None:
    finding = room(read(env, tmp_path))
    assert finding.state is state
    assert text in finding.what
    assert bool(finding.next) is (state is State.CARE)


@pytest.mark.parametrize(
    ("env", "state", "text"),
    [
        ({}, State.OFF, "answer nobody"),
        ({"DEBATE_WATCH_PORT": "9464"}, State.OK, "to all who reach their port, on port 9464"),
        ({"DEBATE_WATCH_TOKEN": "t" * 20}, State.OK, "with the token"),
    ],
)
def test_who_sees_the_figures(tmp_path: Path, env: dict[str, str], state: State, text: str) -> None:
    finding = figures(read(env, tmp_path))
    assert (finding.state, bool(finding.next)) == (state, state is State.OFF)
    assert text in finding.what


async def test_a_database_that_others_can_read_is_told_of(tmp_path: Path) -> None:
    settings = read({"DEBATE_DATABASE_URL": str(tmp_path / "debate.db")}, tmp_path)
    await (await open_database(settings.database_url)).close()
    (finding,) = await database(settings)
    assert finding.state is State.OK
    (tmp_path / "debate.db").chmod(0o644)
    (finding,) = await database(settings)
    assert (finding.state, finding.next) == (State.CARE, f"chmod 600 {tmp_path / 'debate.db'}")
