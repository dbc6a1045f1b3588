"""A stand-in for Slack, a desk in memory, and the real app between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Protocol

import pytest
from aiohttp import web

from adapters.routes.serving import serve_routes
from adapters.slack.app import SlackApp, connect
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from tests.adapters.desk import RecordingDesk
from tests.patience import PATIENCE
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SECRET, SlackStandIn


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    """Yields the stand-in and holds every call of every test to the schemas and the limits."""
    async with SlackStandIn() as stand_in:
        yield stand_in
        assert stand_in.complaints == []


@pytest.fixture
def desk() -> RecordingDesk:
    return RecordingDesk(answers_people=True)


@pytest.fixture
def settings(slack: SlackStandIn) -> SlackSettings:
    return SlackSettings(
        bot_token=BOT_TOKEN,
        app_token=APP_TOKEN,
        api_url=slack.url,
        ping_interval=0.2,
        timeout=PATIENCE,
        pace=0.0,
    )


class MakeApp(Protocol):
    async def __call__(self, *, http: bool = False, **changes: Any) -> SlackApp: ...


@pytest.fixture
async def make_app(
    settings: SlackSettings, desk: RecordingDesk, slack: SlackStandIn
) -> AsyncIterator[MakeApp]:
    """Apps that a test starts itself; over HTTP behind a server of their own, which the stand-in
    then delivers to.
    """
    made: list[SlackApp] = []
    runners: list[web.AppRunner] = []

    async def make(*, http: bool = False, **changes: Any) -> SlackApp:
        transport = {"app_token": "", "signing_secret": SECRET} if http else {}
        app = SlackApp(connect(replace(settings, **{**transport, **changes})), desk)
        made.append(app)
        if http:
            server = serve_routes(app.routes())
            runner = web.AppRunner(server, shutdown_timeout=0.1)
            runners.append(runner)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            slack.events_url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
        await app.start()
        return app

    yield make
    for app in made:
        await app.stop(grace=0.1)
    for runner in runners:
        await runner.cleanup()


@pytest.fixture
async def app(make_app: MakeApp) -> SlackApp:
    return await make_app()


@pytest.fixture
async def chat(settings: SlackSettings) -> AsyncIterator[SlackChat]:
    workspaces = Workspaces(settings)
    await workspaces.open()
    yield SlackChat(workspaces, pace=0.0)
    await workspaces.close()
