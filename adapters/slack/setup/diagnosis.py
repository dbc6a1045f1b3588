"""Asks Slack for everything that the bot still lacks before its first debate; each answer has its
next step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adapters.network.broken import broken_by
from adapters.slack.outgoing.failures import delivery_error, reason_of
from adapters.slack.scopes import WITHOUT, scopes, why
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces, granted_scopes
from core.application.check import DoctorState, PartCheck, broken, care, ok

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

_AGAIN = (
    "Paste what `debate docs slack.json` prints under App Manifest, then Install App once more."
)


async def diagnose(settings: SlackSettings) -> list[PartCheck]:
    """Checks the bot token, its scopes, and the way events come in.

    Never raises; a Slack that cannot be reached is an answer too.
    """
    workspaces = Workspaces(settings)
    await workspaces.open()
    try:
        client = workspaces.make_client(settings.bot_token)
        checks = await _token(client)
        if checks[0].state is DoctorState.OK and settings.app_token:
            checks.append(await _socket(client, settings.app_token))
        elif checks[0].state is DoctorState.OK:
            checks.append(_http(settings.signing_secret))
        return checks
    finally:
        await workspaces.close()


async def _token(client: AsyncWebClient) -> list[PartCheck]:
    from slack_sdk.errors import SlackApiError, SlackClientError

    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        name = reason_of(error) or str(error.response.status_code)
        step = str(delivery_error(error.response))
        return [broken("bot token", f"Slack refuses it ({name})", step)]
    except (SlackClientError, OSError, TimeoutError) as error:
        return [_away("bot token", error)]
    return [
        ok("bot token", f"{answer.get('user')} in {answer.get('team')}"),
        *_scopes(granted_scopes(answer.headers)),
    ]


def _scopes(granted: frozenset[str]) -> Sequence[PartCheck]:
    if not granted:
        step = "OAuth & Permissions lists them, `debate docs slack` what each is for."
        return [care("scopes", "Slack did not list the token's scopes", step)]
    missing = [scope for scope in scopes() if scope not in granted]
    if not missing:
        return [ok("scopes", f"all {len(scopes())} are granted")]
    return [
        PartCheck(
            f"scope {scope}",
            DoctorState.CARE if scope in WITHOUT else DoctorState.BROKEN,
            f"missing: {why(scope)}",
            _AGAIN,
        )
        for scope in missing
    ]


async def _socket(client: AsyncWebClient, app_token: str) -> PartCheck:
    from slack_sdk.errors import SlackApiError, SlackClientError

    step = (
        "Basic Information, App-Level Tokens: make one with connections:write. Then Socket "
        "Mode: Enable."
    )
    try:
        await client.apps_connections_open(app_token=app_token)
    except SlackApiError as error:
        return broken(
            "socket mode",
            f"Slack refuses SLACK_APP_TOKEN ({reason_of(error) or error.response.status_code})",
            step,
        )
    except (SlackClientError, OSError, TimeoutError) as error:
        return _away("socket mode", error)
    return ok("socket mode", "Slack offers a socket")


def _away(part: str, error: Exception) -> PartCheck:
    text = f"Slack cannot be reached ({broken_by(error)})"
    return broken(part, text, "Check the network, or SLACK_API_URL.")


def _http(signing_secret: str) -> PartCheck:
    if signing_secret:
        return ok("http", "events are taken at /slack/events, signed")
    return broken(
        "events",
        "no way in",
        "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP at /slack/events).",
    )
