"""A stand-in for Slack, a desk in memory, and the real app between them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.slack.app import SlackApp, build
from adapters.slack.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from tests.slack.desk import RecordingDesk
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    """Every call of every test is held to the schemas and the limits."""
    async with SlackStandIn() as stand_in:
        yield stand_in
        assert stand_in.complaints == []


@pytest.fixture
def desk() -> RecordingDesk:
    return RecordingDesk()


@pytest.fixture
def settings(slack: SlackStandIn) -> SlackSettings:
    return SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=slack.url, ping_interval=0.2, timeout=2.0)


@pytest.fixture
async def app(settings: SlackSettings, desk: RecordingDesk) -> AsyncIterator[SlackApp]:
    app = build(settings, desk)
    await app.start()
    yield app
    await app.stop()


@pytest.fixture
async def chat(settings: SlackSettings) -> AsyncIterator[SlackChat]:
    workspaces = Workspaces(settings)
    await workspaces.open()
    yield SlackChat(workspaces)
    await workspaces.close()
