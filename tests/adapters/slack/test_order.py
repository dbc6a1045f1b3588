"""Events that come late or twice, states that are shown once, and a Slack that is away."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from adapters.slack import app as slack_app
from adapters.slack import places
from adapters.slack.app import build
from adapters.slack.incoming.events import Events
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from tests.adapters.desk import RecordingDesk
from tests.adapters.slack.conftest import MakeApp
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn

KEY = ("T1", "C1", "1.0", "U1", "x")


async def test_an_older_event_is_outdated_and_one_of_the_same_time_is_not(
    make_app: MakeApp,
) -> None:
    events = Events((await make_app())._listener)
    at = (0.0, 5.0, 5.0, 4.9, 5.0, 6.0, 5.9)
    assert [events._outdated(KEY, time) for time in at] == [
        False, False, False, True, False, False, True
    ]  # fmt: skip
    assert not events._outdated((*KEY[:-1], "tada"), 1.0)


@pytest.mark.parametrize(
    ("error", "for_good"),
    [("unknown_method", True), ("not_allowed", True), ("channel_not_found", False), ("500", False)],
)
async def test_a_workspace_without_sessions_is_asked_no_more(
    slack: SlackStandIn, chat: SlackChat, error: str, for_good: bool
) -> None:
    slack.world.channel("D1")
    where = places.place("T1", "D1")
    slack.faults.append(Fault("agents.sessions.setStatus", error))
    for status in ("active", "processing"):
        await chat.sessions.set_status(where, "1.0", status)
    calls = [call for call in slack.calls if call.method == "agents.sessions.setStatus"]
    assert len(calls) == (1 if for_good else 2)


async def test_the_pauses_between_two_introductions_double_up_to_half_a_minute(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    settings = SlackSettings(bot_token=BOT_TOKEN, app_token="a", api_url=slack.url)
    app = build(settings, RecordingDesk())
    await app._workspaces.open()
    slack.faults.append(Fault("auth.test", "500", times=7))
    monkeypatch.setattr(slack_app, "asyncio", SimpleNamespace(sleep=sleep))
    await app._introduce_later()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert app._missing == ""
    slack.faults += [Fault("auth.test", "500"), Fault("auth.test", "invalid_auth")]
    await app._introduce_later()
    assert "Slack refuses SLACK_BOT_TOKEN (invalid_auth)" in app._missing
    await app._workspaces.close()
