"""Checks of the configured chats: each platform reports on its tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.doctor.configured import still_empty
from bot.platforms import NO_KEY
from bot.settings import Settings
from core.application.check import DoctorState, PartCheck, broken, off, ok

if TYPE_CHECKING:
    from adapters.discord.settings import DiscordSettings
    from adapters.slack.settings import SlackSettings


async def slack(settings: Settings) -> list[PartCheck]:
    """Checks Slack's settings and, if they could work, asks Slack about the tokens."""
    configured = _slack_settings(settings)
    if configured.state is not DoctorState.OK or not settings.slack_bot_token:
        return [configured]
    from adapters.slack.setup.diagnosis import diagnose

    checks = await diagnose(slack_settings(settings))
    return [configured, *platform_findings("Slack", checks)]


def slack_settings(settings: Settings) -> SlackSettings:
    from adapters.slack.settings import API, SlackSettings

    return SlackSettings(
        bot_token=settings.slack_bot_token,
        app_token=settings.slack_app_token,
        signing_secret=settings.slack_signing_secret,
        api_url=settings.slack_api_url or API,
    )


def discord_settings(settings: Settings) -> DiscordSettings:
    from adapters.discord.settings import DiscordSettings

    return DiscordSettings(
        settings.discord_token,
        api_url=settings.discord_api_url,
        gateway_url=settings.discord_gateway_url,
    )


def platform_findings(platform: str, checks: Iterable[PartCheck]) -> list[PartCheck]:
    """Returns a platform's own checks, each with the platform's name before its part."""
    return [replace(check, part=f"{platform} {check.part}".strip()) for check in checks]


def _slack_settings(settings: Settings) -> PartCheck:
    if not settings.slack_bot_token and not settings.slack_client_id:
        if settings.slack_app_token or settings.slack_signing_secret:
            return broken(
                "Slack",
                "no SLACK_BOT_TOKEN",
                "Install the app to your workspace and set its xoxb- token.",
            )
        empty = settings.left_empty.intersection(("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"))
        if empty:
            return still_empty("Slack", sorted(empty, reverse=True))
        talk = "both" if settings.discord_token else "slack"
        return off(
            "Slack",
            "not configured",
            f"Run `debate init --talk {talk}`: it prints the link that makes the app and asks for "
            "its tokens.",
        )
    if settings.slack_bot_token and not settings.slack_bot_token.startswith("xoxb-"):
        return broken(
            "Slack",
            "SLACK_BOT_TOKEN is no bot token",
            "Copy the token that begins with xoxb- (OAuth & Permissions).",
        )
    if not settings.slack_bot_token and not settings.secret_keys:
        what, _, step = NO_KEY.partition(". ")
        return broken("Slack", what, step)
    if settings.slack_app_token:
        if not settings.slack_app_token.startswith("xapp-"):
            return broken(
                "Slack",
                "SLACK_APP_TOKEN is no app token",
                "Make one that begins with xapp- and has connections:write.",
            )
        return ok("Slack", "Socket Mode")
    if settings.slack_signing_secret:
        where = f"{settings.public_url or 'your public address'}/slack/events"
        return ok(
            "Slack",
            f"HTTP; Slack must reach {where}",
            "" if settings.public_url else "Set DEBATE_PUBLIC_URL.",
        )
    return broken(
        "Slack", "no way in", "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)."
    )


async def discord(settings: Settings) -> list[PartCheck]:
    """Checks that there is a token and, if there is one, asks Discord what the bot lacks."""
    if "DISCORD_TOKEN" in settings.left_empty:
        return [still_empty("Discord", ["DISCORD_TOKEN"])]
    if not settings.discord_token:
        talk = "both" if settings.slack_bot_token or settings.slack_client_id else "discord"
        step = (
            f"Run `debate init --talk {talk}`: it asks for the bot's token and prints the link "
            "that invites it."
        )
        return [off("Discord", "not configured", step)]
    from adapters.discord.setup.diagnosis import diagnose

    checks = await diagnose(discord_settings(settings))
    return platform_findings("Discord", checks)
