"""The doctor's lines about who reaches the room, and about files and secrets of this machine."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.models import Vendors
from bot.doctor.configured import dotenv, figures, room, tracing
from bot.doctor.machine import database
from bot.doctor.models import chosen
from bot.settings import Settings, read
from bot.shell.serve import log_broken
from core.application.check import DoctorState, PartCheck
from storage.places import Installations
from storage.schema import open_database
from storage.sealing import Seal

PUBLIC = {"DEBATE_PUBLIC_URL": "https://debates.example/"}
SLACK = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s" * 32}
MISTRAL = {"MISTRAL_API_KEY": "k" * 32, "DEBATE_MODELS": "mistral/mistral-large-latest"}
DISCORD = {"DISCORD_CLIENT_SECRET": "d" * 32}
OK, CARE = DoctorState.OK, DoctorState.CARE


@pytest.mark.parametrize("installed", [True, False])
def test_a_collector_without_its_part_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, installed: bool
) -> None:
    assert [*tracing(read({}, tmp_path))] == []
    if not installed:
        monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    (found,) = tracing(read(env, tmp_path))
    assert found.state is (DoctorState.OK if installed else DoctorState.BROKEN)
    assert ("debatebot[otel]" in found.next) is not installed


def test_a_room_on_this_machine_is_there_while_a_bot_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings = read({"DEBATE_PORT": f"{listening.getsockname()[1]}"}, tmp_path)
        there = room(settings)
    gone = room(settings)
    assert (there.state, gone.state) == (DoctorState.OK, DoctorState.OFF)
    assert "by the link that `debate open` prints" in there.what
    assert gone.next == "Run: debate serve"


@pytest.mark.parametrize(
    ("part", "env", "state", "text"),
    [
        (room, {"DEBATE_HOST": "0.0.0.0"}, CARE, "on 0.0.0.0, so nobody can sign in"),  # noqa: S104
        (room, PUBLIC, CARE, "nobody can sign in at https://debates.example"),
        (room, PUBLIC | SLACK, OK, "https://debates.example/sign-in/slack/done"),
        (room, PUBLIC | SLACK | DISCORD, OK, "https://debates.example/sign-in/discord/done"),
        (figures, {}, DoctorState.OFF, "answer nobody"),
        (figures, {"DEBATE_WATCH_PORT": "9464"}, OK, "to all who reach their port, on port 9464"),
        (figures, {"DEBATE_WATCH_TOKEN": "t" * 20}, OK, "with the token"),
    ],
)
def test_who_reaches_the_room_and_sees_the_figures(
    tmp_path: Path,
    part: Callable[[Settings], PartCheck],
    env: dict[str, str],
    state: DoctorState,
    text: str,
) -> None:
    finding = part(read(env, tmp_path))
    assert (finding.state, bool(finding.next)) == (state, state is not OK)
    assert text in finding.what


def test_a_named_file_of_settings_is_looked_at_where_it_lies(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "settings"
    file.parent.mkdir()
    file.write_text("DEBATE_BUDGET=1\n")
    file.chmod(0o644)
    (finding,) = dotenv(read({"DEBATE_ENV_FILE": str(file)}, tmp_path))
    assert (finding.state, finding.next) == (DoctorState.CARE, f"chmod 600 {file}")
    file.chmod(0o600)
    assert not list(dotenv(read({"DEBATE_ENV_FILE": str(file)}, tmp_path)))


async def test_a_database_that_others_can_read_is_told_of(tmp_path: Path) -> None:
    settings = read({"DEBATE_DATABASE_URL": str(tmp_path / "debate.db")}, tmp_path)
    await (await open_database(settings.database_url)).close()
    (finding,) = await database(settings)
    assert finding.state is DoctorState.OK
    (tmp_path / "debate.db").chmod(0o644)
    (finding,) = await database(settings)
    assert finding.state is DoctorState.BROKEN
    assert f"If it is yours: chmod 600 {tmp_path / 'debate.db'}" in finding.what


KEY = "a key of the operator"


async def test_secrets_that_no_key_opens_are_named_with_what_to_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/debate.db"
    opened = await open_database(url)
    vault = Installations(opened, Seal([KEY]))
    await vault.keep("slack:T1", "xoxb-1")
    await vault.keep("github-app:github.com", "{}")
    await opened.close()
    for keys, fault, then in (
        (KEY, "", ""),
        (f"another key of theirs,{KEY}", "", ""),
        ("another key of theirs", "sealed under another key", "Put that key behind the first"),
        ("", "no key is set to open", "Set DEBATE_SECRET_KEY to the key that it was sealed with"),
        ("short", "DEBATE_SECRET_KEY", "A key has at least 16 characters: debate db key"),
    ):
        given = {"DEBATE_DATABASE_URL": url, "DEBATE_SECRET_KEY": keys}
        checks = await database(read(given, tmp_path))
        named = [one for one in checks if one.part == "stored secrets"]
        assert len(named) == bool(fault)
        for one in named:
            assert fault in one.what
            assert then in one.next
            assert "xoxb" not in one.what
            assert ("github-app:github.com, slack:T1" in one.what) is (keys != "short")


def test_the_bot_logs_at_its_start_the_settings_that_can_not_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    usual = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted:slow"}
    for env, part, what, then in (
        ({"DEBATE_SIGNING_KEY": "x"}, "receipts", "DEBATE_SIGNING_KEY: The signing key", "openssl"),
        ({"DEBATE_ROOM_LINKS": "1"}, "receipts", "links to debates", "Set DEBATE_SIGNING_KEY"),
        ({"GITHUB_APP_ID": "1"}, "GitHub App", "GITHUB_APP_PRIVATE_KEY is not", "Set both"),
        ({"GITHUB_APP_PRIVATE_KEY": "k"}, "GitHub App", "GITHUB_APP_ID is not", "Set both"),
        ({"DEBATE_TEMPLATES_DIR": "/none"}, "templates", "/none is no folder", "Correct"),
        ({"DEBATE_MODELS": "bogus!"}, "model", "No model is called 'bogus!'", ""),
        ({"MISTRAL_API_BASE": "bogus"} | MISTRAL, "model", "MISTRAL_API_BASE is no address", ""),
    ):
        caplog.clear()
        settings = read(usual | env, tmp_path)
        log_broken(settings, Vendors(env=settings.env, configured=settings.models))
        (entry,) = caplog.records
        facts = vars(entry)
        assert (facts["action"], facts["part"]) == ("setting", part)
        assert what in entry.getMessage()
        assert then in facts.get("next", "")


async def test_models_that_a_chat_may_name_are_examined(tmp_path: Path) -> None:
    env = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted:slow",
        "DEBATE_ALLOWED_MODELS": "scripted:slow,bogus!",
    }
    broken = [one for one in await chosen(read(env, tmp_path)) if one.state is DoctorState.BROKEN]
    assert [one.what for one in broken] == ["bogus!"]
    assert "No model is called 'bogus!'" in broken[0].next
