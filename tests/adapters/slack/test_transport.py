"""Both ways to Slack: the socket and signed HTTP; tokens that are refused; many workspaces through
OAuth.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from aiohttp import ClientSession
from yarl import URL

from adapters.ports.chat import Post, Shape
from adapters.slack.app import SlackApp, SlackConnection, SlackOutgoing, connect
from adapters.slack.settings import SlackSettings
from adapters.slack.setup.installing import SignedStates
from core.application.presence import DeliveryError
from core.debate.errors import BadInput
from tests.adapters.desk import RecordingDesk
from tests.adapters.slack.conftest import MakeApp
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SECRET, Fault, SlackStandIn, signed

ROOT = Post("d1:root", "d1", Shape.ROOT, title="t")


async def post(slack: SlackStandIn, body: str, headers: dict[str, str]) -> int:
    async with (
        ClientSession() as session,
        session.post(slack.events_url, data=body, headers=headers) as answer,
    ):
        return answer.status


async def test_a_signature_that_is_bad_old_or_missing_is_refused_unread(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp
) -> None:
    app = await make_app(http=True)
    assert app.ready() == ""
    body = json.dumps({"type": "url_verification", "challenge": "c"})
    good = {"Content-Type": "application/json", **signed(body)}
    assert await post(slack, body, good) == 200
    assert await post(slack, body, {**good, **signed(body, at=time.time() - 301)}) == 401
    assert await post(slack, body, {**good, **signed(body, secret="other")}) == 401
    assert await post(slack, body, {**good, "X-Slack-Request-Timestamp": "now"}) == 401
    assert await post(slack, body, {"Content-Type": "application/json"}) == 401
    assert await post(slack, "{not json", {**good, **signed("{also not")}) == 401
    assert await post(slack, body + " ", good) == 401


async def test_ids_of_any_kind_anywhere_are_answered_and_never_a_fault(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp
) -> None:
    await make_app(http=True)
    names = (
        *("type", "team", "team_id", "enterprise", "enterprise_id", "user", "user_id", "channel"),
        *("event", "message", "view", "authorizations", "is_ext_shared_channel", "user_team"),
        *("actions", "item", "id", "function_data", "response_urls", "thread_ts", "container"),
    )
    random, statuses = Random(3), Counter[int]()

    def odd(depth: int) -> object:
        kinds: tuple[object, ...] = (
            None,
            5,
            True,
            [],
            {},
            "T1",
            [{"team": 5}],
            {"id": ["T1"]},
            [[]],
        )
        if depth == 0 or random.random() < 0.4:
            return random.choice(kinds)
        return {name: odd(depth - 1) for name in random.sample(names, random.randint(0, 6))}

    sent: list[object] = [{"type": "event_callback", "event": {}, "authorizations": [{"team": 5}]}]
    sent += [
        {
            "type": "block_actions",
            "user": {"id": "U1"},
            "actions": [{"action_id": "x"}],
            "item": {"channel": 5},
        }
    ]
    for _ in range(60):
        kind = random.choice(("event_callback", "block_actions", "view_submission", "shortcut"))
        held = {
            "event": {name: odd(1) for name in random.sample(names, 2)},
            "user": "U1",
            "actions": [{"action_id": "x"}],
            "view": {"id": "V"},
        }
        sent.append({name: odd(2) for name in random.sample(names, 2)} | held | {"type": kind})
    for each in sent:
        body = json.dumps(each)
        headers = {"Content-Type": "application/json", **signed(body)}
        statuses[await post(slack, body, headers)] += 1
    assert set(statuses) == {400, 404}, statuses  # refused by its shape, and nobody's


async def test_everything_over_http(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp
) -> None:
    app = await make_app(http=True)
    await slack.slash("status")
    await slack.mention("help")
    ref = await app.chat.send("slack:T1/C1", None, ROOT)
    await slack.react(ref.ids[0], "x")
    await slack.until(lambda: desk.taken and desk.sayings and desk.reactions)
    await slack.shortcut("debate_new")
    view = (await slack.until(lambda: list(slack.world.views.values())))[0]
    wrong = await slack.submit(view["id"])
    assert wrong.answer["response_action"] == "errors"


async def test_refused_tokens_are_one_clear_line(
    slack: SlackStandIn, settings: SlackSettings, desk: RecordingDesk
) -> None:
    for changed, says in (
        (
            replace(settings, bot_token="xoxb-wrong"),
            r"Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)\. Copy it again",
        ),
        (
            replace(settings, app_token="xapp-wrong"),
            r"Slack refuses SLACK_APP_TOKEN \(invalid_auth\)\. Make one under Basic Information",
        ),
    ):
        app = SlackApp(connect(changed), desk)
        with pytest.raises(BadInput, match=says):
            await app.start()
        await app.stop()
    for missing, says in (
        (replace(settings, bot_token=""), "SLACK_BOT_TOKEN"),
        (replace(settings, app_token=""), "SLACK_APP_TOKEN"),
    ):
        with pytest.raises(BadInput, match=says):
            SlackApp(connect(missing), desk)


async def test_a_slack_that_is_down_at_the_start_is_waited_for(
    slack: SlackStandIn, desk: RecordingDesk, settings: SlackSettings
) -> None:
    slack.faults += [Fault("auth.test", "503"), Fault("apps.connections.open", "500")]
    app = SlackApp(connect(settings), desk)
    starting = asyncio.create_task(app.start())
    await slack.until(lambda: slack.called("apps.connections.open"))
    assert app.ready() != ""
    await starting
    await slack.until(lambda: len(slack.called("auth.test")) >= 3)
    await slack.until(lambda: app.ready() == "")
    await app.stop()
    assert app.ready() == "stopped"


async def test_a_socket_that_breaks_while_it_is_opened_is_opened_at_another_address(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp
) -> None:
    slack.broken_sockets = 2
    app = await make_app()
    await slack.until(lambda: app.ready() == "")
    slack.broken_sockets = 1
    await slack.cut()
    await slack.until(lambda: slack.connections == 2 and app.ready() == "")
    assert len(slack.called("apps.connections.open")) == 5


async def test_no_token_stands_in_a_log_line(
    slack: SlackStandIn,
    desk: RecordingDesk,
    settings: SlackSettings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    app = SlackApp(connect(settings), desk)
    await app.start()
    slack.faults += [Fault("chat.postMessage", "500"), Fault("views.open", "expired_trigger_id")]
    with pytest.raises(DeliveryError):
        await app.chat.send("slack:T1/C1", None, ROOT)
    await slack.shortcut("debate_new")
    await slack.slash("status")
    await slack.until(lambda: slack.responses)
    await app.stop()
    text = "\n".join(caplog.handler.format(record) for record in caplog.records)
    assert text
    for secret in (BOT_TOKEN, APP_TOKEN, SECRET):
        assert secret not in text
        assert secret not in repr(settings)


@dataclass
class MemoryVault:
    kept: dict[str, str] = field(default_factory=dict)
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.answers.set()

    async def keep(self, workspace: str, token: str) -> None:
        self.kept[workspace] = token

    async def token(self, workspace: str) -> str | None:
        await self.answers.wait()
        return self.kept.get(workspace)

    async def holders(self, token: str) -> list[str]:
        return [name for name, kept in self.kept.items() if kept == token]


@pytest.fixture
def vault() -> MemoryVault:
    return MemoryVault()


def many(vault: MemoryVault) -> dict[str, object]:
    return {"bot_token": "", "client_id": "1.2", "client_secret": "shh", "vault": vault}


old_credentials = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")
"""Slack's SDK still hands them to aiohttp."""


async def asked_to_install(slack: SlackStandIn, browser: ClientSession) -> str:
    """Returns the state that the page of the installation gives to a browser."""
    page = await browser.get(URL(slack.events_url).origin() / "slack/install")
    return (await page.text()).partition("state=")[2].partition("&")[0].partition('"')[0]


async def sent_back(
    slack: SlackStandIn, browser: ClientSession, code: str, state: str
) -> tuple[int, str]:
    """Returns what a browser that comes back from Slack is answered."""
    answer = await browser.get(
        (URL(slack.events_url).origin() / "slack/oauth_redirect").with_query(
            code=code, state=state
        ),
        headers={"Cookie": f"slack-app-oauth-state={state}"},
    )
    return answer.status, await answer.text()


@old_credentials
async def test_installing_keeps_the_token_and_uninstalling_forgets_it(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp, vault: MemoryVault
) -> None:
    app = await make_app(http=True, **many(vault))
    async with ClientSession() as browser:
        state = await asked_to_install(slack, browser)
        assert (await sent_back(slack, browser, "T7", "forged"))[0] == 401
        assert vault.kept == {}
        assert (await sent_back(slack, browser, "T7", state))[0] == 200
        assert vault.kept == {"slack:T7": "xoxb-T7-installed"}
        assert (await sent_back(slack, browser, "T8", state))[0] == 401
    await slack.slash("status", team="T7")
    await slack.until(lambda: desk.taken)
    assert desk.taken[0][1].place == "slack:T7/C1"
    await app.chat.send("slack:T7/C1", None, ROOT)
    await slack.event({"type": "app_uninstalled"}, team="T7")
    await slack.until(lambda: desk.gone)
    vault.kept.clear()
    with pytest.raises(DeliveryError, match="not installed"):
        await app.chat.send("slack:T7/C1", None, ROOT)


ODD = (
    ("oauth.v2.access", b"[]"),
    ("oauth.v2.access", b"<html>"),
    ("oauth.v2.access", b'{"ok":true,"access_token":["x"]}'),
    ("oauth.v2.access", b'{"ok":true,"access_token":"x","team":"T7"}'),
    ("auth.test", b'{"ok":true}'),
)


@old_credentials
async def test_an_installation_that_slack_answers_oddly_is_a_page_that_says_so(
    slack: SlackStandIn, make_app: MakeApp, vault: MemoryVault
) -> None:
    await make_app(http=True, **many(vault))
    async with ClientSession() as browser:
        for method, body in ODD:
            state = await asked_to_install(slack, browser)
            slack.faults.append(Fault(method, "other_after", instead=body))
            status, text = await sent_back(slack, browser, "T7", state)
            assert (status, vault.kept) == (401, {}), body
            assert "Something Went Wrong" in text


@old_credentials
async def test_an_organisation_installs_once_for_all_of_its_workspaces(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp, vault: MemoryVault
) -> None:
    app = await make_app(http=True, **many(vault))
    async with ClientSession() as browser:
        state = await asked_to_install(slack, browser)
        assert (await sent_back(slack, browser, "E1-T7-T8", state))[0] == 200
    assert vault.kept == {"slack:E1": "xoxb-E1-installed"}
    with pytest.raises(DeliveryError, match="not installed"):
        await app.chat.send("slack:T9/C1", None, ROOT)
    await slack.slash("status", team="T7")
    await slack.mention("status", team="T8")
    await slack.until(lambda: len(desk.taken) + len(desk.sayings) == 2)
    assert desk.taken[0][1].place == "slack:T7/C1"
    later = await make_app(http=True, **many(vault))  # another process, which has seen nothing
    for team in ("T7", "T8"):
        await later.chat.send(f"slack:{team}/C1", None, ROOT)
    assert len(slack.messages(team="E1")) >= 2
    await slack.event({"type": "tokens_revoked", "tokens": {"bot": ["U0BOT"]}}, team="T8")
    await slack.until(lambda: len(desk.gone) == 3)
    assert sorted(desk.gone) == ["slack:E1", "slack:T7", "slack:T8"]
    vault.kept.clear()
    with pytest.raises(DeliveryError, match="not installed"):
        await later.chat.send("slack:T8/C1", None, ROOT)


async def test_acknowledged_although_the_vault_stalls(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp, vault: MemoryVault
) -> None:
    vault.answers.clear()
    await make_app(http=True, **many(vault))
    deliveries = [
        await slack.slash("status"),
        await slack.event(
            {"type": "app_home_opened", "user": "U1", "tab": "home", "channel": "D1"}
        ),
    ]
    assert all(delivery.acked for delivery in deliveries)
    vault.answers.set()


async def test_states_are_signed_expire_and_are_taken_once() -> None:
    states = SignedStates("secret")
    state = await states.async_issue()
    assert await SignedStates("other").async_consume(state) is False
    assert await states.async_consume(state) is True
    assert await states.async_consume(state) is False
    assert await states.async_consume(await SignedStates("secret", lives=-1).async_issue()) is False
    assert await states.async_consume("") is False


def test_events_are_routed_only_with_a_secret_that_proves_them() -> None:
    def paths(**given: str) -> list[tuple[str, str]]:
        app = SlackApp(connect(SlackSettings(bot_token="b", **given)), RecordingDesk())  # type: ignore[arg-type]
        return [route.key for route in app.routes()]

    assert paths(app_token="a") == []
    assert paths(signing_secret="s") == [("POST", "/slack/events")]


async def test_a_process_that_takes_nothing_in_opens_no_socket_and_speaks_all_the_same(
    slack: SlackStandIn, settings: SlackSettings
) -> None:
    connection = SlackConnection(settings)
    outgoing = SlackOutgoing(connection)
    assert outgoing.ready() == "not started"
    await outgoing.start()
    try:
        assert outgoing.ready() == ""
        await connection.chat.send("slack:T1/C1", None, ROOT)
        assert len(slack.messages()) == 1
        assert slack.called("apps.connections.open") == []
        assert slack.connections == 0
    finally:
        await outgoing.stop()
    assert outgoing.ready() == "stopped"
    with pytest.raises(BadInput, match="Slack refuses SLACK_BOT_TOKEN"):
        await SlackOutgoing(SlackConnection(replace(settings, bot_token="xoxb-wrong"))).start()
