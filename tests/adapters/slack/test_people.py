"""Reactions and buttons, events that come late or twice, a Slack that is away, and the app's
removal.
"""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from adapters.ports.chat import Post, Shape
from adapters.slack import app as slack_app
from adapters.slack import places
from adapters.slack.app import SlackApp, connect
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from core.application.commands import Control
from core.application.desk import Button
from core.application.presence import Ref
from tests.adapters.desk import RecordingDesk
from tests.adapters.slack.conftest import MakeApp
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn

PLACE = "slack:T1/C1"
ROOT = Post(
    "d1:root", "d1", Shape.ROOT, title="o/r#412",
    buttons=(Button("stop", "Stop", "d1", danger=True), Button("challenge", "Challenge", "d1",
    form=True)),
)  # fmt: skip


async def finding(app: SlackApp) -> Ref:
    root = await app.chat.send(PLACE, None, ROOT)
    return await app.chat.send(
        PLACE, root.thread, Post("d1:f1", "d1", Shape.FINDING, title="HIGH a.py:1", subject="f1")
    )


async def test_a_reaction_is_a_vote_and_taking_it_back_takes_the_vote_back(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    """Those of bots and on other messages are not handed on, and an older event that comes late
    changes nothing.
    """
    message = (await finding(app)).ids[0]
    slack.twice = True
    await slack.react(message, "thumbsup::skin-tone-4")
    await slack.react(message, "thumbsup::skin-tone-4", added=False)
    await slack.until(lambda: len(desk.reactions) == 2)
    assert desk.reactions == [
        (PLACE, message, "slack:T1/U1", "+1", True),
        (PLACE, message, "slack:T1/U1", "+1", False),
    ]
    slack.twice = False
    events = [d.body["event"] for d in slack.deliveries if "reaction" in d.body.get("event", {})]
    desk.sources.clear()
    desk.reactions.clear()
    await slack.event(events[0], event_id="Ev-other")
    slack.world.user("U9", is_bot=True)
    await slack.react(message, "x", user="U9")
    await slack.react((await slack.write("hello"))["ts"], "x")
    await slack.react(message, "x", user="U0BOT")
    await slack.event(
        {
            "type": "reaction_added",
            "user": "U1",
            "reaction": "x",
            "item": {"type": "file", "file": "F1"},
        }
    )
    await slack.react(message, "eyes")
    await slack.event(events[-1], event_id="Ev-same-time")
    await slack.until(lambda: len(desk.reactions) == 2)
    assert [(emoji, added) for *_, emoji, added in desk.reactions] == [
        ("eyes", True), ("+1", False)
    ]  # fmt: skip


async def test_a_reaction_that_is_replayed_after_an_outage_is_counted_as_it_is_now(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    message = (await finding(app)).ids[0]
    await slack.until(lambda: desk.recounted)
    desk.recounted.clear()
    await slack.react(message, "x", event_ts=f"{time.time() - 7_200:.6f}")
    await slack.until(lambda: desk.recounted)
    assert desk.recounted == ["slack"]
    await slack.react(message, "x", added=False)
    await slack.until(lambda: len(desk.reactions) == 2)
    assert desk.recounted == ["slack"]


async def test_one_persons_reactions_keep_their_order_although_slack_is_slow_to_say_who_they_are(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    ref = await app.chat.send("slack:T1/C1", None, Post("d1:root", "d1", Shape.ROOT, title="t"))
    slack.faults.append(Fault("users.info", "slow", seconds=0.1))
    for emoji in ("x", "eyes", "tada"):
        await slack.react(ref.ids[0], emoji, user="U7")
    await slack.until(lambda: len(desk.reactions) == 3)
    assert [emoji for *_, emoji, _ in desk.reactions] == ["x", "eyes", "tada"]


async def test_of_whom_slack_says_nothing_is_a_guest(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.faults += [Fault("users.info", "500")] * 3
    await slack.slash("status", user="U8")
    await slack.until(lambda: desk.taken)
    assert desk.taken[0][1].guest
    assert await app.chat.is_guest("slack:T1/C1", "slack:T1/U8")
    slack.faults.clear()
    assert not await app.chat.is_guest("slack:T1/C1", "slack:T1/U8")


async def test_votes_are_counted_again_on_every_new_connection(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    assert desk.recounted == ["slack"]
    await slack.refresh()
    await slack.until(lambda: slack.connections == 2 and len(desk.recounted) == 2)
    await slack.cut()
    await slack.until(lambda: slack.connections == 3 and len(desk.recounted) == 3)
    await slack.slash("status")
    await slack.until(lambda: desk.taken)


async def test_a_button_works_after_a_restart(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp
) -> None:
    first = await make_app()
    root = (await first.chat.send(PLACE, None, ROOT)).thread
    await first.stop()
    await make_app()
    await slack.press(root, "stop")
    await slack.until(lambda: slack.responses)
    [(action, value, caller, text)] = desk.presses
    assert (action, value, caller.thread, caller.place, text) == ("stop", "d1", root, PLACE, "")
    assert slack.responses[0]["response_type"] == "ephemeral"
    assert slack.responses[0]["replace_original"] is False


async def test_prompts_in_a_direct_message_where_the_workspace_has_agents(
    slack: SlackStandIn, app: SlackApp
) -> None:
    slack.world.channel("D1")
    await slack.open_home(tab="messages")
    await slack.until(lambda: slack.world.prompts)
    slack.world.agents = False
    await slack.open_home(tab="messages")
    await slack.until(lambda: len(slack.called("assistant.threads.setSuggestedPrompts")) == 2)
    assert [p["message"] for p in slack.world.prompts["D1"]][2:] == ["status", "help"]


async def test_slacks_own_stop_stops_the_debate(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.channel("D1")
    root = await app.chat.send(
        "slack:T1/D1",
        None,
        Post("d1:root", "d1", Shape.ROOT, title="t", buttons=(Button("pause", "Pause"),)),
    )
    slack.twice = True
    await slack.native_stop(root.thread)
    await slack.until(lambda: len(slack.world.sessions["D1", root.thread]) == 2)
    [(ask, caller)] = desk.taken
    assert (ask, caller.thread, caller.private) == (Control("stop"), root.thread, True)
    assert slack.world.sessions["D1", root.thread] == ["processing", "active"]


async def test_uninstalling_purges_and_a_user_token_does_not(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    await slack.event({"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}})
    await slack.event({"type": "app_uninstalled"})
    await slack.until(lambda: desk.gone)
    assert desk.gone == ["slack:T1"]
    await slack.event({"type": "tokens_revoked", "tokens": {"bot": ["U0BOT"]}})
    await slack.until(lambda: len(desk.gone) == 2)


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
    app = SlackApp(connect(settings), RecordingDesk())
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
