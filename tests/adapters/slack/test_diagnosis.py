"""The doctor's lines about Slack are right."""

from __future__ import annotations

from adapters.slack.scopes import scopes
from adapters.slack.settings import SlackSettings
from adapters.slack.setup.diagnosis import diagnose
from core.application.check import DoctorState, PartCheck
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn


async def checks(
    slack: SlackStandIn,
    token: str = BOT_TOKEN,
    app_token: str = APP_TOKEN,
    url: str = "",
    secret: str = "",
) -> list[PartCheck]:
    settings = SlackSettings(
        bot_token=token, app_token=app_token, signing_secret=secret, api_url=url or slack.url
    )
    return await diagnose(settings)


async def test_all_is_well(slack: SlackStandIn) -> None:
    assert await checks(slack) == [
        PartCheck("bot token", DoctorState.OK, "debate in Example"),
        PartCheck("scopes", DoctorState.OK, f"all {len(scopes())} are granted"),
        PartCheck("socket mode", DoctorState.OK, "Slack offers a socket"),
    ]
    assert (await checks(slack, app_token="", secret="s"))[-1].state is DoctorState.OK
    assert (await checks(slack, app_token=""))[-1].next.startswith("Set SLACK_APP_TOKEN")


async def test_each_missing_thing_has_its_next_step(slack: SlackStandIn) -> None:
    slack.world.scopes -= {"files:read", "assistant:write"}
    again = (
        "Paste what `debate docs slack.json` prints under App Manifest, then Install App once more."
    )
    assert (await checks(slack, app_token="xapp-wrong"))[1:] == [
        PartCheck("scope assistant:write", DoctorState.CARE,
                  "missing: assistant.threads.setSuggestedPrompts", again),
        PartCheck("scope files:read", DoctorState.BROKEN,
                  "missing: attached files as material", again),
        PartCheck(
            "socket mode", DoctorState.BROKEN, "Slack refuses SLACK_APP_TOKEN (invalid_auth)",
            "Basic Information, App-Level Tokens: make one with connections:write. Then Socket "
                    "Mode: Enable.",
        ),
    ]  # fmt: skip


async def test_a_refused_token_and_a_slack_that_is_away(slack: SlackStandIn) -> None:
    refused = (
        "Slack does not accept the bot token. Set SLACK_BOT_TOKEN to the one under OAuth & "
        "Permissions."
    )
    assert await checks(slack, token="xoxb-wrong") == [
        PartCheck("bot token", DoctorState.BROKEN, "Slack refuses it (invalid_auth)", refused)
    ]
    away = await checks(slack, url="http://127.0.0.1:1/api/")
    assert [(check.state, check.next) for check in away] == [
        (DoctorState.BROKEN, "Check the network, or SLACK_API_URL.")
    ]
